import Foundation

/// What a run of worlds came to: the document of `pos-sim run --json`.
struct Report: Encodable {
    struct Failure: Encodable {
        let seed: UInt64
        let invariant: String
        /// Milliseconds since the world began.
        let at: Int64
        let detail: String
    }

    private(set) var seeds = 0
    private(set) var failures: [Failure] = []
    /// Open hours of all tills.
    private(set) var simulatedHours = 0
    private(set) var events: UInt64 = 0
    private(set) var sales = 0
    /// How often each kind of fault acted.
    private(set) var faults = Dictionary(uniqueKeysWithValues: FaultKind.allCases.map { ($0.rawValue, 0) })
    /// Of all traces, whatever the order in which the worlds ended.
    var hash: String { String(sum, radix: 16) }
    private var sum: UInt64 = 0
    /// Of real time.
    var seconds = 0.0

    mutating func add(_ result: WorldResult) {
        seeds += 1
        failures += result.failures.map {
            Failure(seed: result.seed, invariant: $0.invariant, at: $0.at, detail: $0.detail)
        }
        simulatedHours += result.terminalHours
        events += result.events
        sales += result.sales
        faults.merge(result.faults, uniquingKeysWith: +)
        sum &+= UInt64(result.hash, radix: 16) ?? 0
    }

    /// A kind of fault that never acted is no fault: what it should show was not tried.
    mutating func requireEveryFault(from seed: UInt64) {
        for (kind, count) in faults.sorted(by: { $0.key < $1.key }) where count == 0 {
            failures.append(
                Failure(
                    seed: seed, invariant: "every kind of fault acts", at: 0,
                    detail: "\(kind) never acted in \(seeds) worlds"))
        }
    }

    private enum CodingKeys: CodingKey { case seeds, failures, simulatedHours, events, sales, faults, hash }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(seeds, forKey: .seeds)
        try members.encode(failures, forKey: .failures)
        try members.encode(simulatedHours, forKey: .simulatedHours)
        try members.encode(events, forKey: .events)
        try members.encode(sales, forKey: .sales)
        try members.encode(faults, forKey: .faults)
        try members.encode(hash, forKey: .hash)
    }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    var text: String {
        let kinds = faults.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        return """
            \(seeds) worlds, \(simulatedHours) open hours of tills, \(sales) sales, \(events) events in \(Int(seconds)) s
            faults: \(kinds)
            \(failures.isEmpty ? "everything held" : "\(failures.count) failures"), trace \(hash)
            """
    }
}
