import Base

/// The raw signals that the snapshot is derived from.
struct NetworkSignals: Hashable, Codable, Sendable {
    var lastInternetOk: Instant?
    var lastBackendOk: Instant?
    var latency: Duration?
    /// What showed last that somebody other than the hub responded; nil once the hub has responded.
    var portal: PortalEvidence?
    /// What the last failure was; nil once the hub has responded.
    var lastFailure: NetworkEvidence?
    /// The hub's own health response was not good, or it is missing while the network works.
    var hubTrouble = HubTrouble.none
}

/// What is wrong with the hub while the network works.
enum HubTrouble: Hashable, Codable, Sendable {
    case none
    /// Its health response had this status.
    case status(Int)
    /// It is silent while pings or the independent address respond.
    case silent
}

/// What was observed of the hub and of the way to it, and the trail of the last observations.
struct NetworkObservations: Hashable, Codable, Sendable {
    private(set) var signals: NetworkSignals
    private(set) var trail = EvidenceTrail()
    /// Counts changes of what is shown; the trail counts its own.
    private(set) var revision: UInt64 = 0

    init(startup: StartupState) {
        signals = NetworkSignals(
            lastInternetOk: startup.lastInternetOk, lastBackendOk: startup.lastBackendOk)
    }

    mutating func note(_ evidence: NetworkEvidence) { trail.note(evidence) }

    /// The network works: what the trail holds is over.
    mutating func clearTrail() { trail.clear() }

    mutating func note(failure evidence: NetworkEvidence) {
        trail.note(evidence)
        let portal = evidence.portal ?? signals.portal
        guard signals.lastFailure != evidence || signals.portal != portal else { return }
        signals.lastFailure = evidence
        signals.portal = portal
        revision += 1
    }

    /// The verified hub responded: the network works, whatever the status.
    mutating func noteHubResponse(latency: Duration, isWell: Bool, at now: Instant) {
        signals.lastInternetOk = now
        if isWell { signals.lastBackendOk = now }
        signals.latency = latency
        if signals.hubTrouble == .silent { note(hubTrouble: .none) }
        guard signals.portal != nil || signals.lastFailure != nil else { return }
        signals.portal = nil
        signals.lastFailure = nil
        revision += 1
    }

    mutating func noteInternetResponse(at now: Instant) { signals.lastInternetOk = now }

    mutating func note(hubTrouble: HubTrouble) {
        guard signals.hubTrouble != hubTrouble else { return }
        signals.hubTrouble = hubTrouble
        revision += 1
    }
}
