internal import GRDB
import Base
package import HubProtocol
internal import OfflineCore
internal import Retail

/// Keeps numbers that cannot be this terminal's out of the order counter, and takes one back that an earlier
/// version let in.
enum OrderNumberRepair {
    /// The name of the fact that keeps the last leap.
    static let factName = "orderNumberLeap"

    /// Looks at the mark on disk when the database is opened.
    ///
    /// The clock alone does not decide: one that was set back would make correct numbers look absurd, and
    /// they would be used again. The last identifier that was minted here is never older than an earlier
    /// clock.
    ///
    /// - Returns: the mark to go on from.
    static func recover(at now: Int64, in connection: Database) throws -> RecoveredMark {
        let head = try JournalHead.read(connection)
        let latestDay = OrderMark.latestDay(at: max(now, Int64(head.lastId.milliseconds)))
        guard !head.orderMark.isPlausible(latestDay: latestDay) else {
            return RecoveredMark(last: head.orderMark, hasLeapt: false, latestDay: latestDay)
        }
        let used = try lastUsed(latestDay: latestDay, in: connection)
        let poisoned = "\(head.orderMark.day)-\(head.orderMark.counter)"
        try connection.inOneTransaction {
            try leap(from: used, reason: .recovered, number: poisoned, at: now, in: connection)
        }
        return RecoveredMark(last: used.leapt, hasLeapt: true, latestDay: latestDay)
    }

    /// Leaps over the order number of the head from the hub where it is plausible and not below this
    /// terminal's: the copy of this terminal that used it may go on with the numbers right behind it.
    /// Otherwise leaps from its own number, since some copy has used unknown ones.
    static func adopt(
        _ text: String, at now: Int64, numbers: OrderNumberReserve, in connection: Database
    ) throws {
        guard try !leap(over: text, at: now, numbers: numbers, in: connection) else { return }
        let mark = try JournalHead.read(connection).orderMark
        try leap(
            from: numbers.highest(mark), reason: .headNotBelieved, number: text, at: now, in: connection)
    }

    /// Leaps over the number where it is not below this terminal's.
    ///
    /// - Returns: false, and changes nothing, for a number that cannot be this terminal's.
    @discardableResult
    static func leap(
        over text: String, at now: Int64, numbers: OrderNumberReserve, in connection: Database
    ) throws -> Bool {
        let head = try JournalHead.read(connection)
        let latestDay = OrderMark.latestDay(at: max(now, Int64(head.lastId.milliseconds)))
        let mark = OrderMark(
            head: text, storeId: head.storeId, terminalNumber: head.terminalNumber, latestDay: latestDay)
        guard let mark else { return false }
        guard numbers.highest(head.orderMark) <= mark else { return true }
        try write(mark.leaptApart(at: now, chance: .random(in: 0..<OrderMark.drawn)), in: connection)
        return true
    }

    /// The mark that the next number of `day` follows. On a new day that is what the day's number was used
    /// for: under a number from outside, sales may have been made on days that were still to come.
    static func last(
        before day: Int64, of head: JournalHead, numbers: OrderNumberReserve, in connection: Database
    ) throws -> OrderMark {
        guard day > numbers.highest(head.orderMark).day, let storeId = head.storeId,
            let terminal = head.terminalNumber
        else { return head.orderMark }
        let prefix = "\(storeId)-\(terminal)-\(day)-"
        let texts = try String.fetchAll(
            connection,
            sql: "SELECT order_number FROM orders WHERE order_number > ? AND order_number < ?",
            // The character after the hyphen: every number of the day is in between.
            arguments: [prefix, prefix.dropLast() + "."])
        let used = texts.compactMap(OrderNumber.init).map(\.counter).filter { $0 < OrderMark.ceiling }.max()
        return used.map { OrderMark(day: day, counter: $0) } ?? head.orderMark
    }

    /// The newest plausible number of a sale. Numbers rise with the journal, so it is the highest.
    private static func lastUsed(latestDay: Int64, in connection: Database) throws -> OrderMark {
        let texts = try String.fetchCursor(
            connection, sql: "SELECT order_number FROM orders ORDER BY sequence DESC")
        while let text = try texts.next() {
            guard let number = OrderNumber(text) else { continue }
            let mark = OrderMark(day: number.businessDay.number, counter: number.counter)
            if mark.isPlausible(latestDay: latestDay) { return mark }
        }
        return .none
    }

    private static func leap(
        from mark: OrderMark, reason: OrderNumberLeap.Reason, number: String, at now: Int64,
        in connection: Database
    ) throws {
        try write(mark.leapt, in: connection)
        let leap = OrderNumberLeap(at: now, reason: reason, number: String(number.prefix(80)))
        try connection.execute(
            sql: "INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)",
            arguments: [factName, leap.json.canonicalText])
    }

    private static func write(_ mark: OrderMark, in connection: Database) throws {
        try connection.execute(
            sql: "UPDATE terminal SET business_day = ?, order_counter = ?",
            arguments: [mark.day, mark.counter])
    }
}

/// The mark in the database as it is opened.
struct RecoveredMark {
    let last: OrderMark
    /// `last` is a leap after the last number that was used, so no further leap is needed.
    let hasLeapt: Bool
    /// ``OrderMark/latestDay(at:)``.
    let latestDay: Int64
}

/// The order counter leapt because a number from outside, or one on this disk, was not plausible.
package struct OrderNumberLeap: Hashable, Sendable {
    /// Where the implausible number was found.
    package enum Reason: String, Hashable, Sendable {
        /// The hub sent a head whose order number cannot be this terminal's.
        case headNotBelieved = "head_not_believed"
        /// The database had such a number when it was opened.
        case recovered
    }

    /// Unix milliseconds of the wall clock.
    package let at: Int64
    /// Its raw value goes into ``json``.
    package let reason: Reason
    /// The number that was refused, at most 80 characters as received.
    package let number: String

    /// The report as it is kept and shown.
    package var json: JSONValue {
        [
            "at": .string(Timestamp.text(milliseconds: at)), "reason": .string(reason.rawValue),
            "number": .string(number),
        ]
    }

    init(at: Int64, reason: Reason, number: String) {
        self.at = at
        self.reason = reason
        self.number = number
    }

    /// Nil for what is no such report.
    init?(json: JSONValue) {
        guard let at = json["at"]?.string.flatMap(Timestamp.milliseconds(of:)),
            let reason = json["reason"]?.string.flatMap(Reason.init), let number = json["number"]?.string
        else { return nil }
        self.init(at: at, reason: reason, number: number)
    }
}

extension SQLiteTerminalFacts {
    /// The last leap of the order counter over implausible numbers; nil: never.
    package func orderNumberLeap() async throws(Failure) -> OrderNumberLeap? {
        try await fact(OrderNumberRepair.factName)
            .flatMap { try? JSONParser.parse(Array($0.utf8)) }.flatMap(OrderNumberLeap.init)
    }
}
