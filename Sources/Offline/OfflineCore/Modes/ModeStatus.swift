public import Base

/// The complete status of the offline module at one moment; `pos status` prints it.
///
/// Times are ``Instant``s of the machine; the reader converts them to wall-clock time.
public struct ModeStatus: Hashable, Sendable {
    /// Offline exactly while ``causes`` is not empty.
    public let mode: Mode
    /// When the present mode began.
    public let since: Instant
    /// The causes that hold, in the order manual, network, service. Empty exactly while online.
    public let causes: [OfflineCause]
    /// The manual switch, which `pos offline` sets.
    public let manual: ManualStatus
    /// The network detector, with its state also where another cause keeps the terminal offline.
    public let network: NetworkStatus
    /// One per known service, by name.
    public let services: [ServiceStatus]
    /// The state of the connection; the manual switch does not change it.
    public let connectivity: ConnectivitySnapshot
    /// How well HTTP works, by the last samples; it never changes ``mode``.
    public let quality: QualityStatus
    /// How sending to the hub goes; it never changes ``mode``.
    public let delivery: DeliveryState

    /// A status of one moment; `quality` is unmeasured and `delivery` well by default.
    public init(
        mode: Mode, since: Instant, causes: [OfflineCause], manual: ManualStatus, network: NetworkStatus,
        services: [ServiceStatus], connectivity: ConnectivitySnapshot,
        quality: QualityStatus = .unmeasured, delivery: DeliveryState = .well
    ) {
        self.mode = mode
        self.since = since
        self.causes = causes
        self.manual = manual
        self.network = network
        self.services = services
        self.connectivity = connectivity
        self.quality = quality
        self.delivery = delivery
    }
}

/// The manual cause as shown.
public struct ManualStatus: Hashable, Sendable {
    /// True also where the flag's file is corrupt.
    public let isOn: Bool
    /// Unix milliseconds; nil when off or unknown.
    public let since: Int64?
    /// Who set it; nil when off, when nobody was signed in, or when the file could not be read.
    public let by: String?
    /// As entered by the person who set it, or `flag_corrupt` when the file could not be read.
    public let reason: String?

    /// Every argument but `isOn` is nil while the switch is off.
    public init(isOn: Bool, since: Int64?, by: String?, reason: String?) {
        self.isOn = isOn
        self.since = since
        self.by = by
        self.reason = reason
    }
}

/// The network detector as shown.
public struct NetworkStatus: Hashable, Sendable {
    /// The detector's state as shown. `backendDown` appears as `reachable`, because the network works.
    public enum State: String, Hashable, Sendable {
        case reachable
        case suspect
        case unreachable
        case recovering
    }

    /// `pos status` prints its raw value.
    public let state: State
    /// When the detector entered its present state.
    public let since: Instant
    /// Names of the evidence, newest last, at most 8: `pathLost`, `probe:connectTimeout`, `ping:timeout`, ….
    public let evidence: [String]
    /// The debounce time in force: of the running suspicion, or of the next one.
    public let debounce: Duration
    /// When T1 or the recovery hold ends; nil when neither runs.
    public let deadline: Instant?
    /// Whether the independent address responded while the hub did not. Default false; nothing else shows
    /// that the internet works.
    public let internetResponds: Bool

    /// A state that began at `since`; without a `deadline` neither T1 nor the recovery hold runs.
    public init(
        state: State, since: Instant, evidence: [String], debounce: Duration, deadline: Instant?,
        internetResponds: Bool = false
    ) {
        self.state = state
        self.since = since
        self.evidence = evidence
        self.debounce = debounce
        self.deadline = deadline
        self.internetResponds = internetResponds
    }
}

/// One service as shown.
public struct ServiceStatus: Hashable, Codable, Sendable {
    /// The detector's state as shown. Only `faulty` and `recovering` of a core service keep the terminal
    /// offline.
    public enum State: String, Hashable, Codable, Sendable {
        case healthy
        case suspect
        case faulty
        case recovering
    }

    /// Who decided the present state: QoS, this terminal, or an operator at the hub.
    public enum Source: String, Hashable, Codable, Sendable {
        case qos
        case local
        case `operator`
    }

    /// For example `order` or `payment`.
    public let service: String
    /// Whether its fault takes the terminal offline. By default only `order` is core.
    public let isCore: Bool
    /// While the hub is dark, a core service is shown as `faulty`, whatever QoS decided.
    public let state: State
    /// When ``state`` as shown was entered.
    public let since: Instant
    /// `local` also for a healthy service on which QoS has decided nothing yet.
    public let source: Source
    /// The generation of the applied decision; 0 before the first.
    public let generation: Int64
    /// When the fault is tested next: the end of a local lease, or of the hold before the canaries. Nil while
    /// no moment is known.
    public let testedAt: Instant?

    /// A status of one moment; `generation` is 0 where no decision of QoS was applied yet, and by default no
    /// moment of a test is known.
    public init(
        service: String, isCore: Bool, state: State, since: Instant, source: Source, generation: Int64,
        testedAt: Instant? = nil
    ) {
        self.service = service
        self.isCore = isCore
        self.state = state
        self.since = since
        self.source = source
        self.generation = generation
        self.testedAt = testedAt
    }
}
