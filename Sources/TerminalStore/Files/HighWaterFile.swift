internal import HubProtocol
internal import Retail

/// How far order numbers were given out: a business day and the counter within it.
struct OrderMark: Hashable, Comparable, Sendable {
    /// The business day as eight digits; 0 before the first.
    let day: Int64
    let counter: Int64

    static let none = OrderMark(day: 0, counter: 0)

    static func < (left: OrderMark, right: OrderMark) -> Bool {
        (left.day, left.counter) < (right.day, right.counter)
    }
}

/// `<home>/high-water.json`: the order numbers' high-water mark, kept outside the database so that a database
/// restored from an old copy never repeats a number.
struct HighWaterFile: Sendable {
    /// What was found.
    enum Content: Hashable {
        case absent
        case mark(OrderMark)
        /// The file was brought here from elsewhere: it tells how far a copy of this home had come.
        case copied(OrderMark)
        case corrupt
    }

    let path: String

    init(home: String) {
        path = home + "/high-water.json"
    }

    func load() -> Content {
        switch DurableFile.read(path) {
        case .absent: return .absent
        case .unreadable: return .corrupt
        case .bytes(let bytes):
            guard let document = try? JSONParser.parse(bytes), let day = document["businessDay"]?.integer,
                let counter = document["counter"]?.integer, counter >= 0,
                day == 0 || BusinessDay(number: day) != nil
            else { return .corrupt }
            let mark = OrderMark(day: day, counter: counter)
            // Files of the first release name no number.
            guard let number = document["file"]?.string else { return .mark(mark) }
            return number == String(DurableFile.fileNumber(at: path)) ? .mark(mark) : .copied(mark)
        }
    }

    /// Makes `mark` durable before it returns.
    func save(_ mark: OrderMark) throws(FileError) {
        try DurableFile.replace(path, temporaryName: ".high-water.tmp") { number in
            let document: JSONValue = [
                "businessDay": .integer(mark.day), "counter": .integer(mark.counter),
                "file": .string(String(number)),
            ]
            return document.canonicalBytes + [0x0A]
        }
    }
}
