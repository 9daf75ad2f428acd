internal import GRDB
import Base
package import HubProtocol
internal import Retail

/// Entries that this terminal recorded and that its database no longer has: the write-ahead log is gone, or
/// the database is an older copy.
///
/// The high-water file has a newer mark of the used order numbers than such a database. A clean end leaves no
/// log and a file that agrees with the database; after a kill the file is ahead by what was reserved, and the
/// log is there.
package struct JournalLoss: Hashable, Sendable {
    /// Unix milliseconds of the wall clock at which it was noticed.
    package let at: Int64
    /// Business day and counter up to which numbers may have been given out.
    package let reserved: String
    /// Business day and counter of the last sale in the database.
    package let found: String
    /// Whether the write-ahead log was there.
    package let hadLog: Bool

    /// The name of the fact that keeps the last loss.
    static let factName = "journalLoss"
    /// The fact that keeps which mark of the high-water file the database has seen, so that numbers that were
    /// reserved and not used before a kill are no finding after it.
    static let seenName = "numbersSeen"

    /// After a kill the file may be ahead by one block and the half of another that was reserved early. More
    /// is an older database; with half as much an honest kill would be taken for one.
    private static let reservable = 2 * OrderNumberReserve.block

    /// As it is kept and shown.
    package var json: JSONValue {
        [
            "at": .string(Timestamp.text(milliseconds: at)), "reserved": .string(reserved),
            "found": .string(found), "log": .string(hadLog ? "present" : "missing"),
        ]
    }

    private init(at: Int64, reserved: String, found: String, hadLog: Bool) {
        (self.at, self.reserved, self.found, self.hadLog) = (at, reserved, found, hadLog)
    }

    /// Nil for what is no such report.
    init?(json: JSONValue) {
        guard let at = json["at"]?.string.flatMap(Timestamp.milliseconds(of:)),
            let reserved = json["reserved"]?.string, let found = json["found"]?.string
        else { return nil }
        self.init(at: at, reserved: reserved, found: found, hadLog: json["log"]?.string == "present")
    }

    /// Compares both at an opening, and keeps what is found.
    ///
    /// - Parameters:
    ///   - reserved: the file's mark; nil without a plausible one.
    ///   - last: the database's.
    ///   - hadLog: whether the log was there before SQLite opened the database.
    static func notice(
        reserved: OrderMark?, last: OrderMark, hadLog: Bool, at now: Int64, in connection: Database
    ) throws {
        let seen = try String.fetchOne(
            connection, sql: "SELECT value FROM facts WHERE name = ?", arguments: [seenName]
        ).flatMap(OrderMark.init(fact:))
        // A version before this one noted nothing.
        guard let seen else {
            return try keep(max(reserved ?? last, last).fact, as: seenName, in: connection)
        }
        let known = max(last, seen)
        guard let reserved, reserved > known else { return }
        let ahead = reserved.counter - (reserved.day == known.day ? known.counter : 0)
        try connection.inOneTransaction {
            if !hadLog || ahead > reservable {
                let loss = JournalLoss(at: now, reserved: reserved.fact, found: last.fact, hadLog: hadLog)
                try keep(loss.json.canonicalText, as: factName, in: connection)
            }
            try keep(reserved.fact, as: seenName, in: connection)
        }
    }

    /// Notes that the file could not be brought back to the last number used.
    static func acceptReserved(_ mark: OrderMark, in connection: Database) throws {
        try keep(mark.fact, as: seenName, in: connection)
    }

    private static func keep(_ value: String, as name: String, in connection: Database) throws {
        try connection.execute(
            sql: "INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", arguments: [name, value])
    }
}

extension OrderMark {
    /// As the facts keep it, for example `20261121-168`.
    fileprivate var fact: String { "\(day)-\(counter)" }

    fileprivate init?(fact: String) {
        let parts = fact.split(separator: "-").compactMap { Int64($0) }
        guard parts.count == 2 else { return nil }
        self.init(day: parts[0], counter: parts[1])
    }
}

extension SQLiteTerminalFacts {
    /// The last time that the database had less than the terminal had recorded; nil: never.
    package func journalLoss() async throws(Failure) -> JournalLoss? {
        try await fact(JournalLoss.factName)
            .flatMap { try? JSONParser.parse(Array($0.utf8)) }.flatMap(JournalLoss.init)
    }
}
