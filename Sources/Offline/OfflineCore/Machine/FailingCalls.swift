import Base

/// The calls of core services that fail in a row, in whatever class, while the network works.
///
/// A broken connection or a foreign page is evidence on the network first. When the confirmation round that
/// it starts reaches a healthy hub, the failure belongs to the call, and it is evidence on its service from
/// the second in a row: one alone is an accident of the path.
struct FailingCalls: Hashable, Codable, Sendable {
    /// What looks like the network's failure until the confirmation round is decided.
    enum Failure: Hashable, Codable, Sendable {
        case network(NetworkFailure)
        case portal(PortalEvidence)

        var reason: ConnectivitySnapshot.Reason {
            switch self {
            case .network(let failure): failure.reason
            case .portal(let portal): portal.reason
            }
        }

        var outcome: OutcomeClass {
            switch self {
            case .network(let failure): .network(failure)
            case .portal(let portal): .portal(portal)
            }
        }
    }

    struct Waiting: Hashable, Codable, Sendable {
        let api: APIRoute
        let service: String
        let failure: Failure
    }

    private struct Run: Hashable, Codable, Sendable {
        var count = 0
        var reason = ConnectivitySnapshot.Reason.none
    }

    /// More undecided calls than a terminal ever has; the oldest is dropped first.
    private static let capacity = 16
    private var runs: [String: Run] = [:]
    private(set) var waiting: [Waiting] = []

    /// Why calls fail, once two in a row have; nil while they do not.
    ///
    /// - Parameter service: whose calls are known to fail by themselves; nil: none.
    func reason(except service: String?) -> ConnectivitySnapshot.Reason? {
        if runs.isEmpty { return nil }
        return runs.filter { $0.value.count > 1 && $0.key != service }.min { $0.key < $1.key }?.value.reason
    }

    /// Whether nothing failed since the last success, and nothing waits.
    var isEmpty: Bool { runs.isEmpty && waiting.isEmpty }

    mutating func wait(_ failure: Waiting) {
        if waiting.count == Self.capacity { waiting.removeFirst() }
        waiting.append(failure)
    }

    mutating func takeWaiting() -> [Waiting] {
        defer { waiting = [] }
        return waiting
    }

    /// A call failed while the network works.
    ///
    /// - Returns: whether it is evidence on the service: the second in a row, or a later one.
    mutating func note(_ service: String, _ reason: ConnectivitySnapshot.Reason) -> Bool {
        let count = (runs[service]?.count ?? 0) + 1
        runs[service] = Run(count: min(count, 2), reason: reason)
        return count > 1
    }

    /// The hub served a call of `service`, or refused it as the contract allows: what failed before it,
    /// decided or not, is in no row with what fails later.
    mutating func served(_ service: String) {
        if !runs.isEmpty { runs[service] = nil }
        if !waiting.isEmpty { waiting.removeAll { $0.service == service } }
    }

    /// The network fails, which explains all of them.
    mutating func blameNetwork() {
        runs = [:]
        waiting = []
    }
}

extension ServiceFailure {
    /// The reason that the snapshot names for it.
    var reason: ConnectivitySnapshot.Reason {
        switch self {
        case .status, .brokenBody: .http5xx
        case .timedOutAfterConnect: .timeout
        }
    }
}
