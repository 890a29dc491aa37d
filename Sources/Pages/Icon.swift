/// The icon: a moon with its light on one side, after Selene; works on light and dark ground alike.
let iconText = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
    <rect width="32" height="32" rx="8" fill="#3a46c8"/>
    <path d="M20.5 6.4a10.2 10.2 0 1 0 5.1 13.4 8.3 8.3 0 0 1-5.1-13.4z" fill="#ffffff"/>
    <circle cx="22.6" cy="10.6" r="1.9" fill="#ffd977"/>
    </svg>
    """
