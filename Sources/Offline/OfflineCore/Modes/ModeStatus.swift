public import Base

/// The complete status of the offline module at one moment; `pos status` prints it.
///
/// Times are ``Instant``s of the machine; the reader converts them to wall-clock time.
public struct ModeStatus: Hashable, Sendable {
    public let mode: Mode
    /// When the present mode began.
    public let since: Instant
    /// The causes that hold, in the order manual, network, service. Empty exactly while online.
    public let causes: [OfflineCause]
    public let manual: ManualStatus
    public let network: NetworkStatus
    /// One per known service, by name.
    public let services: [ServiceStatus]
    public let connectivity: ConnectivitySnapshot
    public let quality: QualityStatus

    public init(
        mode: Mode, since: Instant, causes: [OfflineCause], manual: ManualStatus, network: NetworkStatus,
        services: [ServiceStatus], connectivity: ConnectivitySnapshot,
        quality: QualityStatus = .unmeasured
    ) {
        self.mode = mode
        self.since = since
        self.causes = causes
        self.manual = manual
        self.network = network
        self.services = services
        self.connectivity = connectivity
        self.quality = quality
    }
}

/// The manual cause as shown.
public struct ManualStatus: Hashable, Sendable {
    public let isOn: Bool
    /// Unix milliseconds; nil when off or unknown.
    public let since: Int64?
    public let by: String?
    /// As entered by the person who set it, or `flag_corrupt` when the file could not be read.
    public let reason: String?

    public init(isOn: Bool, since: Int64?, by: String?, reason: String?) {
        self.isOn = isOn
        self.since = since
        self.by = by
        self.reason = reason
    }
}

/// The network detector as shown.
public struct NetworkStatus: Hashable, Sendable {
    public enum State: String, Hashable, Sendable {
        case reachable
        case suspect
        case unreachable
        case recovering
    }

    public let state: State
    public let since: Instant
    /// Names of the evidence, newest last, at most 8: `pathLost`, `probe:connectTimeout`, `ping:timeout`, ….
    public let evidence: [String]
    /// The debounce time in force: of the running suspicion, or of the next one.
    public let debounce: Duration
    /// When T1 or the recovery hold ends; nil when neither runs.
    public let deadline: Instant?
    /// Whether the independent address responded while the hub did not. Default false; nothing else shows
    /// that the internet works.
    public let internetAnswers: Bool

    public init(
        state: State, since: Instant, evidence: [String], debounce: Duration, deadline: Instant?,
        internetAnswers: Bool = false
    ) {
        self.state = state
        self.since = since
        self.evidence = evidence
        self.debounce = debounce
        self.deadline = deadline
        self.internetAnswers = internetAnswers
    }
}

/// One service as shown.
public struct ServiceStatus: Hashable, Codable, Sendable {
    public enum State: String, Hashable, Codable, Sendable {
        case healthy
        case suspect
        case faulty
        case recovering
    }

    public enum Source: String, Hashable, Codable, Sendable {
        case qos
        case local
        case `operator`
    }

    public let service: String
    public let isCore: Bool
    public let state: State
    public let since: Instant
    public let source: Source
    /// The generation of the applied decision; 0 before the first.
    public let generation: Int64

    public init(
        service: String, isCore: Bool, state: State, since: Instant, source: Source, generation: Int64
    ) {
        self.service = service
        self.isCore = isCore
        self.state = state
        self.since = since
        self.source = source
        self.generation = generation
    }
}
