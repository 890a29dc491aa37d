/// Everything of a list that a store gives by pages.
/// - Parameter page: gives what comes behind the last item of the page before (nil: from the start), as many as it is told.
func allPages<Item: Sendable>(_ page: (Item?, Int64) async throws -> [Item]) async throws -> [Item] {
    let limit: Int64 = 500
    var all: [Item] = []
    while true {
        let more = try await page(all.last, limit)
        all += more
        if more.count < limit { return all }
    }
}
