// Sends one kind of load to a server on this machine and prints what it saw as one JSON object.
LoadGenerator.main()
