import OfflineCore
import OfflineMode
import Synchronization

/// A shop's line to its server, with four parts that can be broken by hand. No packet is sent.
final class ShopLine: PathMonitoring, HubProbing, QoSConsulting {
    /// What can be broken.
    enum Part: Hashable {
        /// The cable between till and router: the system has no route.
        case cable
        /// The line behind the router: routes are there, and nothing comes back.
        case uplink
        /// The server responds, and cannot take orders.
        case service
        /// The server is silent, and the rest of the internet is not.
        case server
    }

    private struct State {
        var broken: Set<Part> = []
        /// One counter for the decisions of the QoS service.
        var generation: Int64 = 1
    }

    private let state = Mutex(State())
    private let paths: AsyncStream<PathStatus>
    private let changed: AsyncStream<PathStatus>.Continuation

    init() {
        (paths, changed) = AsyncStream.makeStream()
        changed.yield(Self.path(isUsable: true))
    }

    var broken: Set<Part> { state.withLock { $0.broken } }

    /// Breaks a part, or repairs it.
    func toggle(_ part: Part) {
        let broken = state.withLock { state in
            if state.broken.remove(part) == nil { state.broken.insert(part) }
            state.generation += 1
            return state.broken
        }
        if part == .cable { changed.yield(Self.path(isUsable: !broken.contains(.cable))) }
    }

    /// What a request to the server comes to.
    var outcome: OutcomeClass {
        let broken = broken
        if isDark(.hub) { return .network(.connectTimeout) }
        return broken.contains(.service) ? .service(.status(503)) : .success
    }

    /// Whether nothing comes back from it.
    private func isDark(_ target: ProbeTarget) -> Bool {
        !broken.isDisjoint(with: target == .hub ? [.cable, .uplink, .server] : [.cable, .uplink])
    }

    func statuses() -> AsyncStream<PathStatus> { paths }

    func probe(_ target: ProbeTarget, timeout: Duration) async -> ProbeResult {
        guard !isDark(target) else {
            try? await Task.sleep(for: min(timeout, .seconds(1)))
            return .failed(.connectTimeout)
        }
        return .good(roundTrip: .milliseconds(20))
    }

    func decisions(for services: [String], timeout: Duration) async -> QoSResponse? { response(services) }

    func report(_ report: QoSReport, timeout: Duration) async -> QoSResponse? {
        response([Orders.service.name])
    }

    private func response(_ services: [String]) -> QoSResponse? {
        guard !isDark(.hub) else { return nil }
        return state.withLock { state in
            let isFaulty = state.broken.contains(.service)
            return QoSResponse(
                issuer: "try",
                decisions: services.map { service in
                    ServiceDecision(
                        service: service, state: isFaulty ? .faulty : .healthy, scope: .global,
                        generation: state.generation, reason: isFaulty ? "orders fail" : nil,
                        source: .probe, validity: .seconds(60), pollAfter: .seconds(2), resume: nil)
                })
        }
    }

    private static func path(isUsable: Bool) -> PathStatus {
        PathStatus(
            isUsable: isUsable, interface: isUsable ? "eth0" : nil, transport: .ethernet, isMetered: false,
            isConstrained: false, route: isUsable ? "eth0 192.0.2.2 via 192.0.2.1" : "none")
    }
}
