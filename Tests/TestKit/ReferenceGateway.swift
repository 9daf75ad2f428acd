import Foundation
import HubProtocol
import Synchronization

/// A payment gateway as `docs/reference/payment-gateway.md` wants it, on a real socket. It misbehaves on
/// command, keeps a ledger of what moved, and stops where a test wants to kill somebody.
package final class ReferenceGateway: Sendable {
    /// What it does with one request.
    package enum Behaviour: Hashable, Sendable {
        /// Does it and responds.
        case approve
        /// The same for all but an authorisation, which it declines.
        case decline
        /// Does it and never responds.
        case decideAndStall
        /// Stalls before it has done anything.
        case lose
        /// Does it and responds after the hub has given up.
        case late
        /// Does it and responds with what was decided on another payment.
        case otherPayment
        /// Does it, and the connection ends after so many bytes of the response.
        case cut(afterBytes: Int)
        /// Does it and sends the response twice.
        case twice
        /// Does nothing, and reports that it is down.
        case unavailable
        /// Does nothing, and responds with this status.
        case refuse(status: Int)
    }

    /// Where a request can be stopped.
    package enum Moment: CaseIterable, Sendable {
        /// It was read, and nothing was done.
        case arrived
        /// It was done, and the response was not sent.
        case decided
        /// The response was sent.
        case responded
    }

    /// What decides on the behaviour for a request; nil: ``Behaviour/approve``.
    package typealias Rule = @Sendable (GatewayCall) -> Behaviour?

    private struct State {
        var behaviours: [Behaviour] = []
        var rule: Rule?
        var halts: [Halt] = []
        var book = GatewayBook()
    }

    private let server: ScriptedServer
    private let state = Mutex(State())

    /// How late ``Behaviour/late`` is, in seconds: longer than the hub's shortest wait of 1 s.
    private static let lateness = 1.5

    package init() throws {
        server = try ScriptedServer()
        server.handle { [weak self] request in self?.response(to: request) }
    }

    package var url: String { server.url }

    /// What it did so far.
    package var book: GatewayBook { state.withLock { $0.book } }

    /// What it does with the next authorisations, before the rule is asked.
    package func next(_ behaviours: Behaviour...) { state.withLock { $0.behaviours = behaviours } }

    /// What decides on requests from now on; nil: all are approved.
    package func behave(_ rule: Rule?) { state.withLock { $0.rule = rule } }

    /// Stops the next request of a kind at a moment.
    package func halt(_ kind: GatewayCall.Kind, at moment: Moment) -> Halt {
        let halt = Halt(kind, moment)
        state.withLock { $0.halts.append(halt) }
        return halt
    }

    private func response(to request: ScriptedRequest) -> ScriptedResponse {
        guard let call = GatewayCall(request) else { return .json(404, "{}") }
        let behaviour = behaviour(for: call)
        if behaviour == .unavailable { return .json(503, "{}") }
        if case .refuse(let status) = behaviour { return .json(status, "{}") }
        guard pass(call, at: .arrived) else { return .close }
        if behaviour == .lose { return .stall }
        let done = state.withLock { $0.book.perform(call, declines: behaviour == .decline) }
        _ = pass(call, at: .decided)
        let bytes = Self.bytes(done.status, done.body)
        let sent = ScriptedResponse.Step.run { [weak self] in _ = self?.pass(call, at: .responded) }
        switch behaviour {
        case .approve, .decline, .lose, .unavailable, .refuse: return ScriptedResponse([.send(bytes), sent])
        case .decideAndStall: return .stall
        case .late: return ScriptedResponse([.pause(Self.lateness), .send(bytes), sent])
        case .cut(let count): return ScriptedResponse([.send(Array(bytes.prefix(count))), .close])
        case .twice: return ScriptedResponse([.send(bytes + bytes), sent])
        case .otherPayment:
            return .json(200, #"{"key":"another","state":"authorized","approvalCode":"WRONG"}"#)
        }
    }

    private static func bytes(_ status: Int, _ body: JSONValue) -> [UInt8] {
        ScriptedResponse.bytes(status, type: "application/json", headers: [:], body: body.canonicalText)
    }

    private func behaviour(for call: GatewayCall) -> Behaviour {
        let (next, rule) = state.withLock { state -> (Behaviour?, Rule?) in
            let isNext = call.kind == .authorize && !state.behaviours.isEmpty
            return (isNext ? state.behaviours.removeFirst() : nil, state.rule)
        }
        return next ?? rule?(call) ?? .approve
    }

    /// Whether the request goes on; false where the test lost it.
    private func pass(_ call: GatewayCall, at moment: Moment) -> Bool {
        let halt = state.withLock { state -> Halt? in
            let place = state.halts.firstIndex { $0.kind == call.kind && $0.moment == moment }
            return place.map { state.halts.remove(at: $0) }
        }
        return halt?.pass(call) ?? true
    }
}

/// A request of a ``ReferenceGateway`` that stands still until the test lets it go on.
package final class Halt: @unchecked Sendable {
    // What changes is guarded by `condition`.
    let kind: GatewayCall.Kind
    let moment: ReferenceGateway.Moment
    private let condition = NSCondition()
    private var call: GatewayCall?
    private var isReleased = false
    private var isLost = false

    /// After so long a request goes on by itself, in seconds: the test has failed by then, and its hub shall
    /// end.
    private static let longest = 60.0

    init(_ kind: GatewayCall.Kind, _ moment: ReferenceGateway.Moment) {
        self.kind = kind
        self.moment = moment
    }

    /// Whether a request stands still, or stood.
    package var isReached: Bool { condition.withLock { call != nil } }

    /// Waits for a request; nil when none came within `seconds`.
    package func reached(within seconds: Double = 30) -> GatewayCall? {
        let limit = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while call == nil, condition.wait(until: limit) {}
        return call
    }

    /// Lets the request go on.
    ///
    /// - Parameter losing: whether it never arrived; only at ``ReferenceGateway/Moment/arrived``.
    package func release(losing: Bool = false) {
        condition.withLock {
            (isReleased, isLost) = (true, losing)
            condition.broadcast()
        }
    }

    /// On the connection's own thread.
    fileprivate func pass(_ call: GatewayCall) -> Bool {
        let limit = Date(timeIntervalSinceNow: Self.longest)
        condition.lock()
        defer { condition.unlock() }
        self.call = call
        condition.broadcast()
        while !isReleased, condition.wait(until: limit) {}
        return !isLost
    }
}
