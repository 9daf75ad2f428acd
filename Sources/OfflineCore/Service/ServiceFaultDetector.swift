/// Decides which of the hub's services are faulty.
public struct ServiceFaultDetector: Hashable, Sendable {
    public init(settings: ServiceSettings, apis: CoreAPIs, seed: UInt64, at now: Instant) {
        statuses = apis.allServices.map {
            ServiceStatus(
                service: $0, isCore: apis.core.contains($0), state: .healthy, since: now, source: .local,
                generation: 0)
        }
    }

    public mutating func handle(_ event: ServiceEvent, at now: Instant) -> [ServiceEffect] { [] }

    /// When the detector wants to be asked again; nil while nothing is due, as while the network is down.
    public var deadline: Instant? { nil }

    /// One per known service, by name.
    public private(set) var statuses: [ServiceStatus]

    /// Whether the fault of a core service is in force: the `service` cause.
    public var causeHolds: Bool { false }

    /// Whether calls of `service` are to go local.
    public func isFaulty(_ service: String) -> Bool { false }
}
