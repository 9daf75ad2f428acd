import Base
import Foundation

/// All that a world does not decide itself: its size, its settings and its faults. Drawn from a seed, or
/// read from a file, where a shrunk one lies.
struct Schedule: Codable, Hashable {
    var seed: UInt64
    var tills: Int
    /// The tills are in so many stores, in turn.
    var stores: Int
    /// Days on which the shop is open.
    var days: Int
    /// Hours of one day.
    var hours: Int
    /// The longest of the drawn pauses between two customers of a till, in seconds.
    var pause: Int
    /// Keys of the tills' configuration with their values, all of them seconds.
    var settings: [String: Int]
    /// Members of the chain, who pay with points and coupons; nil: none.
    var members: Int?
    /// People who sign in with a PIN before they sell; nil: nobody has to.
    var people: Int?
    /// Whether each till has a card machine; nil: none has.
    var cards: Bool?
    /// Whether the machines speak ZVT; else they speak nexo.
    var zvt: Bool?
    /// Whether the tills of a store see each other; nil: they do not.
    var neighbours: Bool?
    var faults: [Fault]
    /// How many images of power cuts are made at most; nil: none.
    var images: Int?
    /// A bug that is planted in this world; nil: none.
    var plant: String?

    /// Of a shop that opens at eight in the morning of 2 March 2026.
    static let opening: Int64 = 1_772_438_400_000

    /// The world of a seed: most are small and busy, so that many of them fit in an hour, and some are large.
    ///
    /// - Parameter days: nil: drawn, one or two.
    init(seed: UInt64, days: Int? = nil) {
        var draw = SplitMix64(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
        self.seed = seed
        let isLarge = draw.below(40) == 0
        tills = isLarge ? 6 : [1, 1, 2, 2, 3][Int(draw.below(5))]
        stores = 1 + Int(draw.below(UInt64(min(tills, 3))))
        self.days = days ?? (isLarge ? 3 : [1, 1, 1, 1, 2][Int(draw.below(5))])
        hours = isLarge ? 5 : [1, 1, 1, 1, 2][Int(draw.below(5))]
        pause = [15, 60, 180, 600][Int(draw.below(4))]
        settings = [
            "network.debounceSeconds": 2 + Int(draw.below(14)),
            "network.pingIntervalSeconds": [15, 60, 300, 900][Int(draw.below(4))],
            "network.probeIntervalSeconds": [60, 300, 900][Int(draw.below(3))],
            "network.recoveryHoldSeconds": 5 + Int(draw.below(30)),
            "qos.pollSeconds": [30, 120, 300][Int(draw.below(3))],
            "sync.pullSeconds": [300, 1800][Int(draw.below(2))],
            "sync.requestTimeoutSeconds": 3 + Int(draw.below(10)),
            "sync.maximumBackoffSeconds": [60, 600, 3600][Int(draw.below(3))],
        ]
        members = [nil, 2, 5][Int(draw.below(3))]
        people = [nil, nil, nil, 2][Int(draw.below(4))]
        faults = []
        faults = drawnFaults(&draw)
        drawNeighbours()
        // A database of before has lost what was at the machine meanwhile, which nobody can know.
        let losing: Set<FaultKind> = [.tillRollback, .databaseDamage]
        var cardDraw = SplitMix64(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 7)
        guard cardDraw.below(3) != 0, !faults.contains(where: { losing.contains($0.kind) }) else { return }
        cards = true
        // People decide what no machine can say, and those of a store with PINs need an approval for it.
        zvt = people == nil && cardDraw.below(2) == 0 ? true : nil
        let kinds = FaultKind.allCases.filter(\.isOfMachine)
        faults += (0..<max(6, 6 * terminalHours)).map { _ in
            drawnFault(kinds[Int(cardDraw.below(UInt64(kinds.count)))], &cardDraw)
        }
        sortFaults()
    }

    /// In every second world with several tills.
    private mutating func drawNeighbours() {
        var draw = SplitMix64(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 11)
        guard tills > stores, draw.below(2) == 0 else { return }
        neighbours = true
        let kinds = FaultKind.allCases.filter(\.isOfNeighbours)
        faults += (0..<max(3, 3 * terminalHours)).map { _ in
            drawnFault(kinds[Int(draw.below(UInt64(kinds.count)))], &draw)
        }
        sortFaults()
    }

    var hasNeighbours: Bool { neighbours == true }
    var hasCards: Bool { cards == true }
    var speaksZVT: Bool { zvt == true }

    private mutating func sortFaults() {
        faults.sort { ($0.at, $0.kind.rawValue, $0.till ?? -1) < ($1.at, $1.kind.rawValue, $1.till ?? -1) }
    }

    /// Half of the kinds are left out. Of the others each has its own rate, and the world has one for all of
    /// them: in a calm one nothing hides what a single fault leaves behind.
    private func drawnFaults(_ draw: inout SplitMix64) -> [Fault] {
        var kinds = FaultKind.allCases.filter { !$0.isOfMachine && !$0.isOfNeighbours }
        for index in kinds.indices.dropLast() {
            kinds.swapAt(index, index + Int(draw.below(UInt64(kinds.count - index))))
        }
        let often = kinds.prefix(kinds.count / 2).flatMap { kind in
            Array(repeating: kind, count: 1 + Int(draw.below(4)))
        }
        let perHour = [1, 3, 6][Int(draw.below(3))]
        return (0..<max(5, terminalHours * perHour)).map { _ in
            drawnFault(often[Int(draw.below(UInt64(often.count)))], &draw)
        }.sorted { ($0.at, $0.kind.rawValue, $0.till ?? -1) < ($1.at, $1.kind.rawValue, $1.till ?? -1) }
    }

    private func drawnFault(_ kind: FaultKind, _ draw: inout SplitMix64) -> Fault {
        let day = Int64(draw.below(UInt64(days))) * 86_400_000
        // Shorter than a debounce, some minutes, and longer than what a till waits for.
        let longest: UInt64 = [20_000, 300_000, 3_600_000][Int(draw.below(3))]
        return Fault(
            at: day + 300_000 + Int64(draw.below(UInt64(hours) * 3_600_000 - 600_000)), kind: kind,
            till: kind.isOfTill ? Int(draw.below(UInt64(tills))) : nil,
            lasts: kind.isMoment ? 0 : 1_000 + Int64(draw.below(longest)))
    }

    /// Hours in which tills were open, all of them together.
    var terminalHours: Int { tills * days * hours }

    /// The store of a till, by its number.
    func store(of till: Int) -> String { "S\(1 + till % stores)" }
}
