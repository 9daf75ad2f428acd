/// Whether the terminal may rely on the hub. `offline` exactly while at least one ``OfflineCause`` holds.
public enum Mode: String, Hashable, Codable, Sendable {
    case online
    case offline
}

/// Why the terminal is offline. The causes are independent: none can clear another.
public enum OfflineCause: String, Hashable, Codable, Sendable, CaseIterable, Comparable {
    /// A person set it offline; stored before it is announced.
    case manual
    /// The network detector confirmed a fault of the network to the hub.
    case network
    /// A core service is faulty, as decided by QoS, an operator or the local lease.
    case service

    /// The order in which causes are listed: manual, network, service.
    public static func < (left: OfflineCause, right: OfflineCause) -> Bool {
        left.order < right.order
    }

    private var order: Int {
        switch self {
        case .manual: 0
        case .network: 1
        case .service: 2
        }
    }
}
