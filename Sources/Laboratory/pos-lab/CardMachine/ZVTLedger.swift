import HubProtocol

internal import ArgumentParser
internal import Foundation

/// What a terminal booked, in a file of one JSON object a line. A booking is final when it is written.
struct ZVTLedger {
    struct Booking {
        enum Kind: String {
            case sale, reversal, refund
        }

        let kind: Kind
        let receipt: Int
        let amount: Int64
        /// As the terminal's calendar and clock show it, in binary-coded decimals.
        let date: [UInt8]
        let time: [UInt8]
        /// The receipt that it undoes.
        let original: Int?
    }

    private let file: FileHandle
    /// Since the last end of day, oldest first.
    private(set) var bookings: [Booking] = []
    private var lastReceipt: Int

    /// - Parameters:
    ///   - firstReceipt: of a new file.
    ///   - forgets: whether what the file has is not read, as after a reset to the factory's state.
    init(path: String, firstReceipt: Int, forgets: Bool) throws {
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
        lastReceipt = firstReceipt - 1
        guard !forgets else { return }
        for line in text.split(separator: "\n") {
            guard let entry = try? JSONParser.parse(line.utf8) else { continue }
            if entry["kind"] == "endOfDay" { bookings = [] }
            guard let booking = Booking(entry) else { continue }
            bookings.append(booking)
            lastReceipt = booking.receipt
        }
    }

    /// The number of the next booking: 1 to 9999, then from the beginning again.
    var nextReceipt: Int { lastReceipt % 9999 + 1 }

    mutating func book(_ booking: Booking) {
        bookings.append(booking)
        lastReceipt = booking.receipt
        write(booking.json)
    }

    /// What can be undone: a sale of this number that nothing has undone since the last end of day.
    func sale(_ receipt: Int, amount: Int64) -> Booking? {
        guard !bookings.contains(where: { $0.original == receipt }) else { return nil }
        return bookings.last { $0.kind == .sale && $0.receipt == receipt && $0.amount == amount }
    }

    /// Sales less what went back, in minor units.
    var total: Int64 { bookings.reduce(0) { $0 + ($1.kind == .sale ? $1.amount : -$1.amount) } }

    mutating func endDay() {
        write(["kind": "endOfDay", "count": .integer(Int64(bookings.count)), "amount": .integer(total)])
        bookings = []
    }

    private func write(_ entry: JSONValue) {
        try? file.write(contentsOf: Data(entry.canonicalBytes + [0x0A]))
        try? file.synchronize()
    }
}

extension ZVTLedger.Booking {
    fileprivate var json: JSONValue {
        var entry: JSONObject = [
            "kind": .string(kind.rawValue), "receipt": .integer(Int64(receipt)), "amount": .integer(amount),
            "date": .string(Self.text(date)), "time": .string(Self.text(time)),
        ]
        entry["original"] = original.map { .integer(Int64($0)) }
        return .object(entry)
    }

    fileprivate init?(_ entry: JSONValue) {
        guard let kind = entry["kind"]?.string.flatMap(Kind.init(rawValue:)),
            let receipt = entry["receipt"]?.integer, let amount = entry["amount"]?.integer,
            let date = entry["date"]?.string, let time = entry["time"]?.string
        else { return nil }
        self.init(
            kind: kind, receipt: Int(receipt), amount: amount, date: Self.digits(date),
            time: Self.digits(time), original: entry["original"]?.integer.map(Int.init))
    }

    private static func text(_ digits: [UInt8]) -> String {
        digits.map { String($0 >> 4) + String($0 & 0xF) }.joined()
    }

    private static func digits(_ text: String) -> [UInt8] {
        let halves = text.utf8.map { $0 - UInt8(ascii: "0") }
        return stride(from: 0, to: halves.count - 1, by: 2).map { halves[$0] << 4 | halves[$0 + 1] }
    }
}
