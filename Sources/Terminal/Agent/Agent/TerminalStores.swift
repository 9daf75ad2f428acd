import Base

internal import Foundation
internal import Logging
internal import OfflineMode
internal import Retail
internal import TerminalStore
internal import MachineRuntime

/// The store's parts over one open database.
struct TerminalStores {
    let database: TerminalDatabase
    let facts: SQLiteTerminalFacts
    let enrolment: Enrolment
    let catalogue: SQLiteCatalogue
    let search: SQLiteProductSearch
    let copy: SQLiteFeedCopy
    let ledger: SQLiteSaleLedger
    let intents: SQLiteCardIntents
    let orders: SQLiteOrderArchive
    let outbox: SQLiteOutbox
    let history: SQLiteOfflineHistory
    let leases: SQLiteLeases
    let lastRun: LastRunFile

    /// Opens the database of `home`.
    ///
    /// - Parameter hubClock: what the catalogue and the business days follow; it is started afterwards.
    /// - Throws: kind `unusable`, with what to do about it.
    init(home: TerminalHome, hubClock: HubTimeKeeper) async throws(TerminalError) {
        let time = hubClock.storeTime
        database = try Self.open(home: home, creating: false, clocks: hubClock.entryClocks)
        facts = SQLiteTerminalFacts(database)
        guard let enrolment = try await Self.enrolment(facts) else {
            throw TerminalError(.unusable, code: "not_enrolled") { $0.notEnrolled(home.path) }
        }
        self.enrolment = enrolment
        catalogue = SQLiteCatalogue(database) { time.wallMilliseconds() }
        search = SQLiteProductSearch(catalogue)
        copy = SQLiteFeedCopy(database) { time.wallMilliseconds() }
        ledger = SQLiteSaleLedger(database)
        intents = SQLiteCardIntents(database)
        orders = SQLiteOrderArchive(database)
        outbox = SQLiteOutbox(database)
        history = SQLiteOfflineHistory(database)
        leases = SQLiteLeases(database)
        lastRun = LastRunFile(home: home)
    }

    /// The writer of the offline periods, with the one that the last run left open.
    func periodLog(logger: Logger) async throws(TerminalError) -> PeriodLog {
        do {
            return PeriodLog(
                store: history, newest: try await history.newest(limit: 1).first, logger: logger)
        } catch {
            throw TerminalError(.unusable, code: "database_unusable") { $0.databaseUnusable("\(error)") }
        }
    }

    /// Removes what is old. Before anything runs, so that no copy of an attachment is on its way in; a failure
    /// costs space, and no sale.
    func removeOld(
        _ attachments: SQLiteAttachments, keeping days: [TerminalRetention: Int64], at now: Int64,
        _ logger: Logger
    ) async {
        for kind in TerminalRetention.allCases {
            let kept = (days[kind] ?? Int64(kind.rule.days)) * 86_400_000
            do {
                switch kind {
                case .attachments: try await attachments.tidy(retention: kept)
                case .offlinePeriods: try await history.removeEnded(before: now - kept)
                }
            } catch {
                logger.warning("old \(kind.rawValue) were not removed: \(error)")
            }
        }
    }

    static func open(
        home: TerminalHome, creating: Bool, clocks: (@Sendable () -> EntryClocks)? = nil
    ) throws(TerminalError) -> TerminalDatabase {
        do {
            return try TerminalDatabase.open(home: home.path, creating: creating, clocks: clocks)
        } catch {
            throw TerminalError(error)
        }
    }

    static func enrolment(_ facts: SQLiteTerminalFacts) async throws(TerminalError) -> Enrolment? {
        do {
            return try await facts.enrolment()
        } catch {
            throw TerminalError(.unusable, code: "database_unusable") { $0.databaseUnusable("\(error)") }
        }
    }
}
