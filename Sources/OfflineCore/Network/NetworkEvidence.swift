/// One thing that was seen of the network, in the order it was seen.
enum NetworkEvidence: Hashable, Codable, Sendable {
    /// The terminal has just started and has seen nothing yet.
    case starting
    /// The last run ended with the network down.
    case takenOver
    /// The terminal slept and must look again.
    case resumed
    case pathLost
    case pathBack
    case pathChanged
    case pingTimedOut
    case probeFailed(NetworkFailure)
    case probePortal(PortalEvidence)
    case requestFailed(NetworkFailure)
    case requestPortal(PortalEvidence)
    /// A request is connected and has seen no byte for 3 s.
    case requestStalled
    case internetAnswered
    case internetSilent
    /// T1 is over, the way works, and the hub responded to nothing.
    case hubDark

    /// How it is shown and recorded.
    var word: String {
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
        case .internetAnswered: "internet:answered"
        case .internetSilent: "internet:silent"
        case .hubDark: "hubDark"
        }
    }

    /// What kind of doubt it raises.
    var doubt: Doubt {
        switch self {
        case .starting, .takenOver: .unverified
        case .pathLost: .path
        case .pingTimedOut: .echo
        case .requestStalled: .silence
        case .probeFailed(let failure), .requestFailed(let failure):
            failure == .silent || failure == .connectTimeout ? .silence : .refusal
        case .probePortal, .requestPortal: .portal
        case .resumed, .pathBack, .pathChanged, .internetAnswered, .internetSilent, .hubDark: []
        }
    }

    /// The reason that the snapshot names for it.
    var reason: ConnectivitySnapshot.Reason {
        switch self {
        case .starting, .takenOver, .resumed, .pathBack, .pathChanged, .internetAnswered, .internetSilent,
            .hubDark:
            .none
        case .pathLost: .noInterface
        case .pingTimedOut, .requestStalled: .timeout
        case .probeFailed(let failure), .requestFailed(let failure): failure.reason
        case .probePortal(let portal), .requestPortal(let portal): portal.reason
        }
    }

    /// Who answered in the hub's place, if it is that.
    var portal: PortalEvidence? {
        switch self {
        case .probePortal(let portal), .requestPortal(let portal): portal
        case .starting, .takenOver, .resumed, .pathLost, .pathBack, .pathChanged, .pingTimedOut,
            .probeFailed, .requestFailed, .requestStalled, .internetAnswered, .internetSilent, .hubDark:
            nil
        }
    }

    /// Whether it is that the hub's name has no address.
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

/// The kinds of doubt in one suspicion; they tell which answers can end it.
struct Doubt: OptionSet, Hashable, Codable, Sendable {
    let rawValue: UInt8

    /// No HTTP response came. Only a response of the hub speaks against it.
    static let silence = Doubt(rawValue: 1)
    /// Something came back that is no answer: DNS, refused, reset, TLS broken off.
    static let refusal = Doubt(rawValue: 2)
    /// Somebody other than the hub answered.
    static let portal = Doubt(rawValue: 4)
    /// The kernel says there is no way. It ends when the path is back.
    static let path = Doubt(rawValue: 8)
    /// The hub was never seen in this run; only its own answer ends it.
    static let unverified = Doubt(rawValue: 16)
    /// Pings alone went unanswered. A ping answer speaks against it.
    static let echo = Doubt(rawValue: 32)
}

/// The last few things seen, newest last, without repeats in a row.
struct EvidenceTrail: Hashable, Codable, Sendable {
    private(set) var items: [NetworkEvidence] = []
    /// Counts changes, so that a reader can tell cheaply that something is new.
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
