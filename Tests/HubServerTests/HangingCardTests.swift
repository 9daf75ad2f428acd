import Foundation
import HubProtocol
import TestKit
import Testing

@testable import HubServer

/// Cards whose gateway does not respond hold no place of their till's other requests.
@Suite("A till whose cards hang goes on pushing", .timeLimit(.minutes(2)))
struct HangingCardTests {
    private let gateway: ReferenceGateway

    init() throws {
        gateway = try ReferenceGateway()
    }

    @Test("Four authorisations hang: a push and a pull get through, a fifth is refused and is not kept")
    func authorisations() async throws {
        let hub = try await HubInProcess { [gateway] in
            $0.payments = .http
            $0.gatewayURL = gateway.url
            $0.gatewayTimeout = .seconds(60)
        }
        var seller = try await hub.enrol()
        let (push, till) = (seller.sale(), seller)
        let keys = (0..<TerminalTurns.mostElsewhere).map { "K\($0)" }
        let halts = keys.map { _ in gateway.halt(.authorize, at: .arrived) }
        try await hub.overSockets { port in
            let hanging = keys.map { key in Task { try await Self.authorize(key, by: till, at: port) } }
            for halt in halts { #expect(await Self.onThread { halt.reached() } != nil) }
            let pushed = try await Self.send(
                "POST", Routes.mutation, [HeaderNames.idempotencyKey: "\"\(push.id)\""],
                body: push.json.canonicalText, by: till, at: port)
            #expect(pushed.status == 201)
            let pulled = try await Self.send("GET", Routes.changes, by: till, at: port)
            #expect(pulled.status == 200)
            let fifth = try await Self.authorize("K9", by: till, at: port)
            #expect(fifth.status == 429 && fifth.problemCode == "rate_limited")
            // Until the gateway's time is over for one of them.
            let wait = try #require(try fifth.json()["retryAfterMs"]?.integer)
            #expect((1_001...60_000).contains(wait))
            // A look-up of one that hangs needs the gateway, too.
            let state = try await Self.send("GET", "\(Routes.authorizations)/K0", by: till, at: port)
            #expect(state.status == 429)
            let unkept = try await Self.send("GET", "\(Routes.authorizations)/K9", by: till, at: port)
            #expect(unkept.status == 404)
            for halt in halts { halt.release() }
            for card in hanging {
                let response = try await card.value
                #expect(try response.json()["state"] == "authorized")
            }
            // Every place is free again.
            let last = try await Self.authorize("K9", by: till, at: port)
            #expect(last.status == 201)
        }
    }

    @Test("Look-ups that hang hold no place of a pull either")
    func lookUps() async throws {
        let hub = try await HubInProcess { [gateway] in
            $0.payments = .http
            $0.gatewayURL = gateway.url
            $0.gatewayTimeout = .seconds(60)
        }
        let till = try await hub.enrol()
        gateway.next(.refuse(status: 500), .refuse(status: 500), .refuse(status: 500))
        let keys = ["K0", "K1", "K2"]
        let halts = keys.map { _ in gateway.halt(.decision, at: .arrived) }
        try await hub.overSockets { port in
            for key in keys {
                let first = try await Self.authorize(key, by: till, at: port)
                #expect(try first.json()["state"] == "unknown")
            }
            let hanging = keys.map { key in
                Task { try await Self.send("GET", "\(Routes.authorizations)/\(key)", by: till, at: port) }
            }
            for halt in halts { #expect(await Self.onThread { halt.reached() } != nil) }
            let pulled = try await Self.send("GET", Routes.changes, by: till, at: port)
            #expect(pulled.status == 200)
            for halt in halts { halt.release() }
            for card in hanging {
                let response = try await card.value
                #expect(response.status == 200)
            }
        }
    }

    private static func authorize(
        _ key: String, by till: TillOverHTTP, at port: UInt16
    ) async throws -> LoopbackResponse {
        let body: JSONValue = ["orderId": "o1", "amount": ["amount": 1250, "currency": "CNY"]]
        return try await send(
            "POST", Routes.authorizations, [HeaderNames.idempotencyKey: "\"\(key)\""],
            body: body.canonicalText, by: till, at: port)
    }

    /// Over a connection of its own.
    private static func send(
        _ method: String, _ path: String, _ more: [String: String] = [:], body: String? = nil,
        by till: TillOverHTTP, at port: UInt16
    ) async throws -> LoopbackResponse {
        let headers = till.headers.merging(more) { $1 }
        return try await onThread {
            Result {
                try LoopbackClient(.tcp(port: port), timeout: 50).request(
                    method, path, headers: headers, body: body)
            }
        }.get()
    }

    /// What blocks has a thread of its own: those of tasks are the hub's, too.
    private static func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }
}
