import Base

internal import CurlTransport
internal import HubProtocol
internal import Logging
internal import OfflineCore
internal import OfflineMode
internal import TerminalStore
internal import MachineRuntime

/// Brings the local catalogue nearer to the hub's, page by page.
///
/// No row and no response holds it up: a page that is too large or cannot be read is requested again with
/// half of its rows, down to one; that row is passed over and reported. A feed that does not move, or does
/// not end, is left after a while, with all that it brought kept.
struct CataloguePull: Sendable {
    /// How much may be pulled at once.
    enum Extent: Hashable, Sendable {
        /// Until the hub has nothing newer.
        case everything
        /// One small page of changes; a catalogue that is to be pulled anew waits, unless there is none.
        case aLittle
    }

    /// Why a pull was left before its end.
    enum Trouble: Error, Hashable, CustomStringConvertible {
        /// More is said to follow, and it is the same page again.
        case feedStandsStill
        /// More pages than the rows in them can justify, or too long.
        case feedDoesNotEnd
        /// Not even one row came in time.
        case tooSlow
        /// A cursor that the hub has just given is expired.
        case cursorsExpireAtOnce

        var description: String {
            switch self {
            case .feedStandsStill: "the hub says that more follows and gives the same cursor again"
            case .feedDoesNotEnd: "the hub's changes do not end; what came is kept, the next pull goes on"
            case .tooSlow: "not even one change came in time; the line is too slow"
            case .cursorsExpireAtOnce: "the hub does not know the cursor that it has just given"
            }
        }
    }

    let hub: HubClient
    let catalogue: SQLiteCatalogue
    let time: any SystemTime
    let logger: Logger
    /// Takes what was passed over.
    var noteSkipped: @Sendable (SkippedRow) -> Void = { _ in }
    /// Takes what came.
    var noteTaken: @Sendable ([Change]) -> Void = { _ in }

    /// Changes a page: few enough that reading one does not hold up the sales on the till's one loop.
    private static let pageSize = 500
    private static let smallPageSize = 100
    /// Pages that a pull may have beyond one for every ``rowsToAPage`` rows. A hub whose pages end by bytes
    /// gives at least so many rows a page, and each row that is passed over costs some nine more; halved, a
    /// catalogue with twenty such rows takes two pulls, doubled, a broken hub gets twice the requests.
    private static let freePages = 200
    private static let rowsToAPage = 50
    /// A million articles come in less over a good line; what is left comes with the next pull.
    private static let longest = Duration.seconds(600)

    /// Pulls as much as `extent` allows.
    ///
    /// - Returns: how many changes were taken.
    func callAsFunction(_ extent: Extent) async throws -> Int {
        var count = 0
        var pages = 0
        var hasBegunAnew = false
        // Where this pull has been: cursors that take turns lead nowhere either, whatever rows they bring.
        var passed: Set<String> = []
        let end = time.now() + Self.longest
        let whole = try await isComplete(extent)
        let fullSize = whole ? Self.pageSize : Self.smallPageSize
        var size = fullSize
        while true {
            let cursor = try await catalogue.cursor()
            guard whole || cursor != nil else { return count }
            guard pages < Self.freePages + count / Self.rowsToAPage, time.now() < end else {
                throw Trouble.feedDoesNotEnd
            }
            pages += 1
            let response: ChangeResponse
            do throws(HubCallError) {
                response = try await hub.changes(cursor: cursor, limit: size)
            } catch {
                guard case .refused(let problem) = error, problem.code == .cursorExpired, cursor != nil else {
                    throw error
                }
                guard !hasBegunAnew else { throw Trouble.cursorsExpireAtOnce }
                hasBegunAnew = true
                passed = []
                try await catalogue.startAgain()
                continue
            }
            var page: ChangePage
            switch response {
            case .page(let whole): page = whole
            case .tooLarge, .unreadable, .tooSlow:
                if size > 1 {
                    size /= 2
                    continue
                }
                page = try await self.page(passing: response, behind: cursor)
            }
            if PlantedBug.changeFeedSkips.isPlanted, cursor != nil {
                page = ChangePage(
                    changes: Array(page.changes.dropLast()), cursor: page.cursor, hasMore: page.hasMore)
            }
            if let cursor { passed.insert(cursor) }
            guard !page.hasMore || !passed.contains(page.cursor) else { throw Trouble.feedStandsStill }
            let unreadable = try await catalogue.apply(page)
            for id in unreadable { skip("product", id, "it cannot be read") }
            noteTaken(page.changes.filter { $0.entity != "product" || !unreadable.contains($0.entityId) })
            count += page.changes.count
            size = min(fullSize, size * 2)
            guard page.hasMore, whole else { return count }
        }
    }

    /// What lies behind a single row that is too large or cannot be read. A slow line says nothing of the
    /// row, which comes when the line is better.
    private func page(passing response: ChangeResponse, behind cursor: String?) async throws -> ChangePage {
        guard response != .tooSlow else { throw Trouble.tooSlow }
        let passed = try await hub.changeBehind(cursor: cursor)
        skip(
            passed.entity, passed.entityId,
            response == .tooLarge ? "it is too large" : "this version cannot read it")
        return passed.page
    }

    private func skip(_ entity: String, _ entityId: String, _ reason: String) {
        let row = SkippedRow(
            entity: entity, entityId: entityId, reason: reason, at: time.wallMilliseconds())
        logger.warning("the hub's \(row.name) was passed over: \(reason)")
        noteSkipped(row)
    }

    /// A till without a catalogue cannot sell, so that its first one is pulled over whatever path there is.
    private func isComplete(_ extent: Extent) async throws -> Bool {
        switch extent {
        case .everything: return true
        case .aLittle: return try await catalogue.count() == 0
        }
    }
}
