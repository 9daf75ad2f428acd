internal import HubProtocol
internal import Retail

/// What the terminal must not spend again of its leases.
struct LeaseMarks: Hashable, Sendable {
    /// Of each lease what sales that are not void spent of it, at most.
    var spent: [String: Int64] = [:]
    /// Of leases to which voids gave something back, the most that sales had spent at any time.
    var mostSpent: [String: Int64] = [:]
    /// Leases of which nothing more is spent, whatever they leave.
    var givenUp: Set<String> = []

    /// A void gave something back to a lease, of which sales have spent `count` now.
    mutating func lower(_ id: String, to count: Int64) {
        if let before = spent[id], count < before { mostSpent[id] = max(before, mostSpent[id] ?? 0) }
        spent[id] = count == 0 ? nil : count
    }
}

/// `<home>/high-water.json`: the order numbers' high-water mark and what was spent of each lease, kept
/// outside the database, so that one that is restored from an old copy never repeats a number, nor spends a
/// lease again.
struct HighWaterFile: Sendable {
    /// What was found.
    enum Content: Hashable {
        case absent
        case mark(OrderMark)
        /// The file was copied here from elsewhere: its mark is that of a copy of this data folder.
        case copied(OrderMark)
        case corrupt
    }

    let path: String

    init(home: String) {
        path = home + "/high-water.json"
    }

    /// - Parameter latestDay: ``OrderMark/latestDay(at:)``; a mark that no sale of this terminal can have
    /// left
    ///   counts as corrupt.
    func load(latestDay: Int64) -> Content {
        switch DurableFile.read(path) {
        case .absent: return .absent
        case .unreadable: return .corrupt
        case .bytes(let bytes):
            guard let document = try? JSONParser.parse(bytes), let day = document["businessDay"]?.integer,
                let counter = document["counter"]?.integer, counter >= 0,
                day == 0 || BusinessDay(number: day) != nil
            else { return .corrupt }
            let mark = OrderMark(day: day, counter: counter)
            guard mark.isPlausible(latestDay: latestDay) else { return .corrupt }
            // Files of the first release name no number.
            guard let number = document["file"]?.string else { return .mark(mark) }
            return number == DurableFile.fileNumber(at: path) ? .mark(mark) : .copied(mark)
        }
    }

    /// What it has of leases; nothing where the file names none, or cannot be read.
    func leaseMarks() -> LeaseMarks {
        guard case .bytes(let bytes) = DurableFile.read(path), let document = try? JSONParser.parse(bytes)
        else { return LeaseMarks() }
        var marks = LeaseMarks()
        for (id, count) in document["leases"]?.object ?? [:] { marks.spent[id] = count.integer }
        for (id, count) in document["mostSpent"]?.object ?? [:] { marks.mostSpent[id] = count.integer }
        marks.givenUp = Set((document["returnedLeases"]?.array ?? []).compactMap(\.string))
        return marks
    }

    /// Makes `mark` and `leases` durable before it returns.
    func save(_ mark: OrderMark, leases: LeaseMarks = LeaseMarks()) throws(FileError) {
        try DurableFile.replace(path, temporaryName: ".high-water.tmp") { number in
            var members: JSONObject = [
                "businessDay": .integer(mark.day), "counter": .integer(mark.counter),
                "file": .string(number),
            ]
            if !leases.spent.isEmpty {
                members["leases"] = .object(JSONObject(leases.spent.mapValues(JSONValue.integer)))
            }
            if !leases.mostSpent.isEmpty {
                members["mostSpent"] = .object(JSONObject(leases.mostSpent.mapValues(JSONValue.integer)))
            }
            if !leases.givenUp.isEmpty {
                members["returnedLeases"] = .array(leases.givenUp.sorted().map(JSONValue.string))
            }
            let document = JSONValue.object(members)
            return document.canonicalBytes + [0x0A]
        }
    }
}
