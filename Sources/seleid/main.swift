// One call: closures written here would belong to the main actor, and trap on an event loop's thread.
SeleID.main()
