/// One observation of the network.
enum NetworkEvidence: Hashable, Codable, Sendable {
    /// The terminal has just started and has observed nothing yet.
    case starting
    /// The last run ended with the network down.
    case takenOver
    /// The terminal was suspended and must probe again.
    case resumed
    case pathLost
    case pathBack
    case pathChanged
    case pingTimedOut
    case probeFailed(NetworkFailure)
    case probePortal(PortalEvidence)
    case requestFailed(NetworkFailure)
    case requestPortal(PortalEvidence)
    /// A request is connected and received no byte for 3 s.
    case requestStalled
    case internetResponded
    case internetSilent
    /// T1 is over, the network works, and the hub responded to nothing.
    case hubDark

    /// Its name in the status and in offline periods.
    var name: String {
        switch self {
        case .starting: "starting"
        case .takenOver: "lastRun"
        case .resumed: "resumed"
        case .pathLost: "pathLost"
        case .pathBack: "pathBack"
        case .pathChanged: "pathChanged"
        case .pingTimedOut: "ping:timeout"
        case .probeFailed(let failure): "probe:\(failure.rawValue)"
        case .probePortal(let portal): "probe:portal:\(portal.rawValue)"
        case .requestFailed(let failure): "request:\(failure.rawValue)"
        case .requestPortal(let portal): "request:portal:\(portal.rawValue)"
        case .requestStalled: "request:stalled"
        case .internetResponded: "internet:answered"
        case .internetSilent: "internet:silent"
        case .hubDark: "hubDark"
        }
    }

    /// The kind of suspicion that it opens.
    var kinds: SuspicionKinds {
        switch self {
        case .starting, .takenOver: .unverified
        case .pathLost: .path
        case .pingTimedOut: .echo
        case .requestStalled: .silence
        case .probeFailed(let failure), .requestFailed(let failure):
            failure == .silent || failure == .connectTimeout ? .silence : .refusal
        case .probePortal, .requestPortal: .portal
        case .resumed, .pathBack, .pathChanged, .internetResponded, .internetSilent, .hubDark: []
        }
    }

    /// The reason that the snapshot names for it.
    var reason: ConnectivitySnapshot.Reason {
        switch self {
        case .starting, .takenOver, .resumed, .pathBack, .pathChanged, .internetResponded, .internetSilent,
            .hubDark:
            .none
        case .pathLost: .noInterface
        case .pingTimedOut, .requestStalled: .timeout
        case .probeFailed(let failure), .requestFailed(let failure): failure.reason
        case .probePortal(let portal), .requestPortal(let portal): portal.reason
        }
    }

    /// What showed that somebody else responded in the hub's place; nil for other evidence.
    var portal: PortalEvidence? {
        switch self {
        case .probePortal(let portal), .requestPortal(let portal): portal
        case .starting, .takenOver, .resumed, .pathLost, .pathBack, .pathChanged, .pingTimedOut,
            .probeFailed, .requestFailed, .requestStalled, .internetResponded, .internetSilent, .hubDark:
            nil
        }
    }

    /// Whether the hub's name could not be resolved.
    var isOfNames: Bool { reason == .dnsFail }
}

extension PortalEvidence {
    /// The reason that the snapshot names for it.
    var reason: ConnectivitySnapshot.Reason {
        switch self {
        case .redirect, .foreignBody, .foreignNonce, .foreignCertificate: .captivePortal
        case .foreignName, .expiredCertificate: .tlsError
        }
    }
}

extension NetworkFailure {
    var reason: ConnectivitySnapshot.Reason {
        switch self {
        case .dns: .dnsFail
        case .connect, .reset: .connectFail
        case .connectTimeout, .silent: .timeout
        case .tls: .tlsError
        }
    }
}

/// The kinds of evidence in one suspicion; they decide which responses can end it.
struct SuspicionKinds: OptionSet, Hashable, Codable, Sendable {
    let rawValue: UInt8

    /// No HTTP response came. Only a response of the hub ends it.
    static let silence = SuspicionKinds(rawValue: 1)
    /// Something came back that is no response: a DNS error, a refused or reset connection, broken TLS.
    static let refusal = SuspicionKinds(rawValue: 2)
    /// Somebody other than the hub responded.
    static let portal = SuspicionKinds(rawValue: 4)
    /// The kernel reports no path. It ends when the path is back.
    static let path = SuspicionKinds(rawValue: 8)
    /// The hub was never reached in this run; only its own response ends it.
    static let unverified = SuspicionKinds(rawValue: 16)
    /// Only pings got no response. A response to a ping ends it.
    static let echo = SuspicionKinds(rawValue: 32)
}

/// The last few observations, newest last, without repeats in a row.
struct EvidenceTrail: Hashable, Codable, Sendable {
    private(set) var items: [NetworkEvidence] = []
    /// Counts changes, so that a reader detects them cheaply.
    private(set) var revision: UInt64 = 0

    static let capacity = 8

    mutating func note(_ evidence: NetworkEvidence) {
        guard items.last != evidence else { return }
        if items.count == Self.capacity { items.removeFirst() }
        items.append(evidence)
        revision += 1
    }

    mutating func clear() {
        guard !items.isEmpty else { return }
        items.removeAll(keepingCapacity: true)
        revision += 1
    }
}
