import Foundation
import HubProtocol
import TestKit
import Testing

/// A store with as many tills as see each other.
@Suite(
    "Sixteen tills of one store", .onStage,
    .enabled(if: NetworkNamespace.isAvailable, "\(NetworkNamespace.obstacle ?? "")"))
struct ManyTillsTests {
    private static let count = 16

    @Test("that start at once are all connected with each other, within bounds of time and memory")
    func atOnce() throws {
        let switched = try SwitchedShop()
        try switched.open()
        let addresses = (1...Self.count).map { "\(SwitchedShop.network)\($0)" }.joined(separator: ",")
        let tills = try (0..<Self.count).map { _ in
            try switched.till(with: ["POS_NEIGHBOURS_ADDRESSES": addresses]).1
        }
        for till in tills {
            _ = try till.document("sync", "now")
            till.kill()
        }
        let start = ContinuousClock.now
        for till in tills { try till.begin() }
        for till in tills { try till.awaitReady() }
        let others = Self.count - 1
        for till in tills {
            try till.sees("all others", within: 60) { $0.neighbours("reachable") == others }
        }
        let passed = (ContinuousClock.now - start).seconds
        let peaks = try tills.map { try $0.peakKiB() }
        #expect(passed < 30, "sixteen agents of a debug build begin on a few processors")
        #expect(peaks.allSatisfy { $0 < 128 << 10 }, "\(peaks)")
    }
}
