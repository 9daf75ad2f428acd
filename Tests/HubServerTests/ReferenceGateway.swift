import Foundation
import HubProtocol
import Synchronization
import TestKit

/// A payment gateway as `docs/reference/payment-gateway.md` wants it, on a real socket. It misbehaves on
/// command and counts what moved.
final class ReferenceGateway: Sendable {
    /// What it does with one request for a decision.
    enum Behaviour {
        case approve, decline
        /// Decides and never responds.
        case decideAndStall
        /// Stalls before it has decided.
        case lose
        /// Decides and responds after the hub has given up.
        case late
        /// Responds with what was decided on another payment.
        case otherPayment
    }

    struct State {
        var behaviours: [Behaviour] = []
        /// By key: the response.
        var decided: [String: JSONValue] = [:]
        /// Idempotency keys of what moved money, in order.
        var moves: [String] = []
        var tokens: [String: String] = [:]
        var isDown = false
    }

    private let server: ScriptedServer
    private let state = Mutex(State())

    var url: String { server.url }

    init() throws {
        server = try ScriptedServer()
        server.handle { [weak self] request in self?.response(to: request) }
    }

    func with<Value: Sendable>(_ body: (inout State) -> Value) -> Value { state.withLock { body(&$0) } }

    func next(_ behaviours: Behaviour...) { with { $0.behaviours = behaviours } }

    /// What moved, in order.
    var moves: [String] { with { $0.moves } }

    private func response(to request: ScriptedRequest) -> ScriptedResponse {
        if with({ $0.isDown }) { return .json(503, "{}") }
        let parts = request.path.split(separator: "/").map(String.init)
        guard parts.first == "authorizations" else { return .json(404, "{}") }
        let key = request.headers["idempotency-key"] ?? ""
        switch (request.method, parts.count) {
        case ("POST", 1): return decide(key, request)
        case ("GET", 2):
            guard let known = with({ $0.decided[parts[1]] }) else { return .json(404, "{}") }
            return .json(200, known.canonicalText)
        case ("POST", 3):
            with { state in
                if !state.moves.contains(key) { state.moves.append(key) }
            }
            return .json(200, "{}")
        case _: return .json(404, "{}")
        }
    }

    private func decide(_ key: String, _ request: ScriptedRequest) -> ScriptedResponse {
        let behaviour = with { $0.behaviours.isEmpty ? .approve : $0.behaviours.removeFirst() }
        if case .lose = behaviour { return .stall }
        let body = (try? JSONParser.parse(request.body)) ?? .null
        let response = with { state -> JSONValue in
            if let known = state.decided[key] { return known }
            if let token = body["token"]?.string { state.tokens[key] = token }
            let isDeclined = if case .decline = behaviour { true } else { false }
            if !isDeclined { state.moves.append(key) }
            let made: JSONValue =
                isDeclined
                ? ["key": .string(key), "state": "declined", "declineReason": "stolen_card"]
                : ["key": .string(key), "state": "authorized", "approvalCode": .string("OK-\(key)")]
            state.decided[key] = made
            return made
        }
        switch behaviour {
        case .approve, .decline, .lose: return .json(200, response.canonicalText)
        case .decideAndStall: return .stall
        case .late:
            let bytes = ScriptedResponse.bytes(
                200, type: "application/json", headers: [:], body: response.canonicalText)
            return ScriptedResponse([.pause(1.5), .send(bytes)])
        case .otherPayment:
            return .json(200, #"{"key":"another","state":"authorized","approvalCode":"WRONG"}"#)
        }
    }
}
