internal import Foundation
internal import OfflineMode
internal import Retail
internal import TerminalStore

/// The store's parts over one open database.
struct TerminalStores {
    let database: TerminalDatabase
    let facts: TerminalFacts
    let enrolment: Enrolment
    let catalogue: SQLiteCatalogue
    let ledger: SQLiteSaleLedger
    let intents: SQLiteCardIntents
    let orders: SQLiteOrders
    let outbox: SQLiteOutbox
    let periods: SQLiteOfflinePeriods
    let lastRun: LastRunFact

    /// Opens the database of `home`.
    ///
    /// - Throws: kind `unusable`, with what to do about it.
    init(home: TerminalHome) async throws(TerminalError) {
        database = try Self.open(home: home, creating: false)
        facts = TerminalFacts(database: database)
        guard let enrolment = try await Self.enrolment(facts) else {
            throw TerminalError(
                .unusable, code: "not_enrolled",
                "the terminal in \(home.path) is not enrolled; run `pos init --hub URL --enrol CODE`")
        }
        self.enrolment = enrolment
        catalogue = SQLiteCatalogue(database: database)
        ledger = SQLiteSaleLedger(database: database)
        intents = SQLiteCardIntents(database: database)
        orders = SQLiteOrders(database: database)
        outbox = SQLiteOutbox(database: database)
        periods = SQLiteOfflinePeriods(database: database)
        lastRun = LastRunFact(home: home)
    }

    static func open(home: TerminalHome, creating: Bool) throws(TerminalError) -> TerminalDatabase {
        do {
            return try TerminalDatabase.open(home: home.path, creating: creating)
        } catch {
            throw TerminalError(.unusable, code: "database_unusable", "\(error)")
        }
    }

    static func enrolment(_ facts: TerminalFacts) async throws(TerminalError) -> Enrolment? {
        do {
            return try await facts.enrolment()
        } catch {
            throw TerminalError(.unusable, code: "database_unusable", "\(error)")
        }
    }
}
