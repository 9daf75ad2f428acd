internal import CurlTransport
internal import HubProtocol
internal import Logging
internal import TerminalStore

/// Brings the local catalogue nearer to the hub's, page by page.
struct CataloguePull: Sendable {
    /// How much may be pulled at once.
    enum Extent: Hashable, Sendable {
        /// Until the hub has nothing newer.
        case everything
        /// One small page of changes; a catalogue that is to be pulled anew waits, unless there is none.
        case aLittle
    }

    let hub: HubClient
    let catalogue: SQLiteCatalogue
    let logger: Logger

    /// Changes a page: few enough that reading one does not hold up the sales on the till's one loop.
    private static let pageSize = 500
    private static let smallPageSize = 100

    /// Pulls as much as `extent` allows.
    ///
    /// - Returns: how many changes were taken.
    func callAsFunction(_ extent: Extent) async throws -> Int {
        var count = 0
        while true {
            let cursor = try await catalogue.cursor()
            let whole = try await isWhole(extent, cursor)
            guard whole || cursor != nil else { return count }
            let page: ChangePage
            do throws(HubCallError) {
                page = try await hub.changes(
                    cursor: cursor, limit: whole ? Self.pageSize : Self.smallPageSize)
            } catch {
                guard case .refused(let problem) = error, problem.code == .cursorExpired, cursor != nil else {
                    throw error
                }
                try await catalogue.startAgain()
                continue
            }
            let unreadable = try await catalogue.apply(page)
            for id in unreadable { logger.warning("the hub's product \(id) cannot be read and was left out") }
            count += page.changes.count
            guard page.hasMore, whole else { return count }
        }
    }

    /// A till without a catalogue cannot sell, so that its first one is pulled over whatever path there is.
    private func isWhole(_ extent: Extent, _ cursor: String?) async throws -> Bool {
        switch extent {
        case .everything: return true
        case .aLittle: return try await catalogue.count() == 0
        }
    }
}
