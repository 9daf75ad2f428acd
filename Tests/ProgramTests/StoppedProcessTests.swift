import FaultRelay
import Foundation
import Glibc
import HubProtocol
import TestKit
import Testing

/// The real agent stopped and continued: time in which it was stopped does not count. T1 is 3 s.
@Suite("A stopped process", .onStage, .serialized)
struct StoppedProcessTests {
    @Test("A stop of eight seconds on a good connection switches nothing")
    func goodLine() throws {
        let shop = try ShopUnderTest(.relay)
        try shop.startAgent()
        try shop.waitUntilReachable()
        shop.pauseAgent(for: 8)
        try shop.staysOnline(for: 6)
        #expect(try shop.document("history")["periods"]?.array == [])
    }

    @Test("A line that was dead only while the agent stood still was never dead")
    func deadMeanwhile() throws {
        let shop = try ShopUnderTest(.relay)
        try shop.startAgent()
        try shop.waitUntilReachable()
        shop.pauseAgent(for: 8) {
            shop.relay?.setMode(.silentBlackhole)
            Thread.sleep(forTimeInterval: 6)
            shop.relay?.setMode(.open)
        }
        try shop.staysOnline(for: 6)
        #expect(try shop.document("history")["periods"]?.array == [])
    }

    @Test("Stopped in the midst of a doubt for longer than T1, the agent looks again before it judges")
    func doubted() throws {
        let shop = try ShopUnderTest(.relay)
        try shop.startAgent()
        try shop.waitUntilReachable()
        shop.relay?.setMode(.silentBlackhole)
        try shop.waitUntil("a doubt", within: 12) { $0.networkState == "suspect" }
        shop.pauseAgent(for: 8) { shop.relay?.setMode(.open) }
        try shop.staysOnline(for: 6)
        #expect(try shop.document("history")["periods"]?.array == [])
    }

    @Test("A connection that stays dead is found faulty after T1 of running time")
    func deadThroughout() throws {
        let shop = try ShopUnderTest(.relay)
        try shop.startAgent()
        try shop.waitUntilReachable()
        shop.relay?.setMode(.silentBlackhole)
        try shop.waitUntil("a doubt", within: 12) { $0.networkState == "suspect" }
        shop.pauseAgent(for: 8)
        let awake = try shop.waitUntil("offline", within: 20) { $0.causes.contains("network") }
        #expect(awake >= 2.5)
        shop.relay?.setMode(.open)
        try shop.waitUntil("online again", within: 30) { $0.mode == "online" }
    }
}

extension ShopUnderTest {
    /// Stops the agent's process for `seconds`, `meanwhile` included.
    func pauseAgent(for seconds: Double, _ meanwhile: () -> Void = {}) {
        let wakes = Date(timeIntervalSinceNow: seconds)
        agent?.signal(SIGSTOP)
        meanwhile()
        Thread.sleep(until: wakes)
        agent?.signal(SIGCONT)
    }

    /// Looks at the status for `seconds`: the till is never offline.
    func staysOnline(for seconds: Double) throws {
        #expect(try holds(for: seconds) { $0.mode == "online" && $0.causes.isEmpty })
    }
}
