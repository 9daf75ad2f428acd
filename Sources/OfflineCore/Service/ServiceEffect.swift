/// What the service detector wants done. Tags tell one detector's answers apart and never repeat.
public enum ServiceEffect: Hashable, Sendable {
    /// Ask QoS for its decisions, within ``ServiceSettings/queryTimeout``.
    case queryQoS(tag: UInt64, services: [String])
    /// Send counts to QoS, within ``ServiceSettings/queryTimeout``; decisions come back.
    case reportQoS(tag: UInt64, QoSReport)
    /// Try one harmless call of `service`, within ``ServiceSettings/canaryTimeout``.
    case sendCanary(tag: UInt64, service: String)
    /// Let the traffic of `service` back at this pace, counted from now.
    case paceResume(service: String, ResumePace)
}
