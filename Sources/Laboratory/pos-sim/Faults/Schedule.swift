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
    var faults: [Fault]
    /// A bug that is planted in this world; nil: none.
    var plant: String?

    /// Of a shop that opens at eight in the morning of 2 March 2026.
    static let opening: Int64 = 1_772_438_400_000

    /// The world of a seed.
    ///
    /// - Parameter days: nil: drawn, one or two.
    init(seed: UInt64, days: Int? = nil) {
        var draw = SplitMix64(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
        self.seed = seed
        tills = 1 + Int(draw.below(4))
        stores = 1 + Int(draw.below(3))
        self.days = days ?? 1 + Int(draw.below(2))
        hours = 1 + Int(draw.below(5))
        pause = 30 + Int(draw.below(600))
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
        faults = []
        faults = drawnFaults(&draw)
    }

    /// Half of the kinds are left out; each other one has its own rate.
    private func drawnFaults(_ draw: inout SplitMix64) -> [Fault] {
        var kinds = FaultKind.allCases
        for index in kinds.indices.dropLast() {
            kinds.swapAt(index, index + Int(draw.below(UInt64(kinds.count - index))))
        }
        var faults: [Fault] = []
        for kind in kinds.prefix(kinds.count / 2) {
            let rate = 1 + draw.below(kind.isOfTill ? 3 : 2)
            for _ in 0..<rate {
                let day = Int64(draw.below(UInt64(days))) * 86_400_000
                let at = day + 600_000 + Int64(draw.below(UInt64(hours) * 3_600_000 - 1_200_000))
                let longest: UInt64 = draw.below(3) == 0 ? 3_600_000 : 300_000
                faults.append(
                    Fault(
                        at: at, kind: kind, till: kind.isOfTill ? Int(draw.below(UInt64(tills))) : nil,
                        lasts: kind.isMoment ? 0 : 1_000 + Int64(draw.below(longest))))
            }
        }
        return faults.sorted {
            ($0.at, $0.kind.rawValue, $0.till ?? -1) < ($1.at, $1.kind.rawValue, $1.till ?? -1)
        }
    }

    /// Hours in which tills were open, all of them together.
    var terminalHours: Int { tills * days * hours }

    /// The store of a till, by its number.
    func store(of till: Int) -> String { "S\(1 + till % stores)" }
}
