import Base
import Foundation
import HubProtocol
import Synchronization
import TestKit
import Testing

/// A QoS service with the decisions of a test, in front of the hub's own.
private final class ScriptedQoS: Sendable {
    struct Decision {
        var state: String
        var generation: Int64
        var source = "operator"
        var resume: String?
        /// How long it is valid; below zero it was over before it was issued.
        var validSeconds = 300.0
    }

    private let current = Mutex(Decision(state: "healthy", generation: 1))

    func say(_ decision: Decision) { current.withLock { $0 = decision } }

    var rule: HubFront.Rule {
        { request in
            guard request.path.hasPrefix("/v1/qos/") else { return .pass }
            let decision = self.current.withLock { $0 }
            let now = Date()
            let end = now.addingTimeInterval(decision.validSeconds)
            let resume = decision.resume.map { #","resume":\#($0)"# } ?? ""
            let body = """
                {"decisions":[{"service":"order","state":"\(decision.state)","scope":"global",\
                "generation":\(decision.generation),"since":"\(Self.text(now))","reason":"scripted",\
                "source":"\(decision.source)","expiresAt":"\(Self.text(end))","pollAfterMs":1000\(resume)}],\
                "issuer":"scripted","issuedAt":"\(Self.text(now))"}
                """
            let nonce = request.headers.first { $0.key.lowercased() == "pos-nonce" }?.value ?? ""
            return .response(
                status: 200, headers: ["Content-Type": "application/json", "Pos-Nonce": nonce], body: body)
        }
    }

    private static func text(_ date: Date) -> String {
        Timestamp.text(milliseconds: Int64(date.timeIntervalSince1970 * 1000))
    }
}

/// What the terminal makes of the decisions of a QoS service with malformed responses.
@Suite("QoS decisions at the terminal", .onStage, .serialized)
struct QoSDecisionTests {
    private func shop(_ qos: ScriptedQoS) throws -> ShopUnderTest {
        let shop = try ShopUnderTest(.front)
        shop.front?.reply(qos.rule)
        try shop.startAgent()
        try shop.waitUntilReachable()
        return shop
    }

    @Test("healthy frees a terminal that waits for its slot, at once", arguments: [Int64(3), 4])
    func healthyFrees(generation: Int64) throws {
        let qos = ScriptedQoS()
        let shop = try shop(qos)
        qos.say(.init(state: "faulty", generation: 2))
        try shop.waitUntil("offline", within: 20) { $0.causes == ["service"] }
        _ = try shop.document("sell", "--line", Article.assortment[0].barcode)
        qos.say(
            .init(state: "recovering", generation: 3, resume: #"{"afterMs":600000,"ratePerMinute":600}"#))
        try shop.waitUntil("recovering", within: 20) { $0.serviceState("order") == "recovering" }
        #expect(try shop.holds(for: 3) { $0.mode == "offline" })
        qos.say(.init(state: "healthy", generation: generation))
        try shop.waitUntil("online", within: 10) { $0.mode == "online" }
        try shop.waitUntilDrained(within: 10)
    }

    @Test("A decision that had expired when it was issued takes no till offline")
    func expired() throws {
        let qos = ScriptedQoS()
        let shop = try shop(qos)
        qos.say(.init(state: "faulty", generation: 2, validSeconds: -100))
        #expect(try shop.holds(for: 6) { $0.mode == "online" })
        qos.say(.init(state: "faulty", generation: 3))
        try shop.waitUntil("offline", within: 20) { $0.causes == ["service"] }
    }

    @Test("Decisions that flip each second do not move the terminal with them")
    func flapping() throws {
        let qos = ScriptedQoS()
        let shop = try shop(qos)
        var last = "online"
        var switches = 0
        for second in 0..<24 {
            qos.say(
                .init(
                    state: second.isMultiple(of: 2) ? "faulty" : "healthy", generation: Int64(second + 2),
                    source: "reports"))
            for _ in 0..<10 {
                Thread.sleep(forTimeInterval: 0.1)
                guard let mode = try shop.status().mode, mode != last else { continue }
                switches += 1
                last = mode
            }
        }
        // Offline, back after 15 s, offline after 15 s more: 25 in a minute without the dwell.
        #expect((1...3).contains(switches), "\(switches) switches")
    }
}
