public import Base

/// The status that the machine publishes, derived from its state.
extension OfflineMachine {
    /// Why the last failure happened, before any fault is confirmed; `none` once the hub has responded again.
    package var lastFailureReason: ConnectivitySnapshot.Reason {
        network.observed.signals.lastFailure?.reason ?? .none
    }

    /// The complete status at `now`.
    public func status(at now: Instant) -> ModeStatus {
        ModeStatus(
            mode: digest.mode, since: digest.since, causes: digest.causes, manual: manual.status,
            network: network.status, services: shownServices, connectivity: connectivity,
            quality: quality.status(at: now))
    }

    /// Derived from the raw signals at every call and never stored.
    public var connectivity: ConnectivitySnapshot {
        ConnectivitySnapshot(
            deriving: ConnectivitySnapshot.Inputs(
                signals: network.observed.signals, path: network.path.reported, wayOut: network.wayOut,
                isPathLost: network.path.isLost && !network.isReachable,
                isHubAlone: network.isHubAlone, isHubDark: network.backendCauseHolds,
                isBackendDown: services.causeHolds, account: account, throttledUntil: throttle?.until,
                isDegraded: quality.isDegraded, failing: failing.reason, isManual: manual.isOn))
    }

    /// The services; while the hub is silent its core ones are shown as faulty with the source `local`.
    private var shownServices: [ServiceStatus] {
        guard network.backendCauseHolds else { return services.statuses }
        return services.statuses.map { status in
            guard status.isCore, status.state == .healthy || status.state == .suspect else { return status }
            return ServiceStatus(
                service: status.service, isCore: true,
                state: network.isRecovering ? .recovering : .faulty, since: network.since, source: .local,
                generation: status.generation)
        }
    }

    /// Announces what changed since the last event.
    mutating func publish(at now: Instant, _ effects: inout [OfflineEffect]) {
        let revisions = StatusDigest.Revisions(
            network: network.revision, evidence: network.observed.trail.revision, manual: manual.revision,
            account: account, throttledUntil: throttle?.until, isDegraded: quality.isDegraded,
            failing: failing.reason, services: services.revision)
        guard revisions != digest.revisions else { return }
        guard digest.takeRevisions(revisions, services: services.statuses) else { return }
        let held = causes
        digest.update(causes: held, evidence: held.isEmpty ? [] : evidence, at: now, &effects)
        effects.append(.announceStatus)
    }

    /// Stores for the next start whether the network is down, and the last good times.
    mutating func keepLastRun(at now: Instant, _ effects: inout [OfflineEffect]) {
        let isReachable = network.isReachable
        guard keeping.isDue(isReachable: isReachable, isDown: network.networkCauseHolds, at: now) else {
            return
        }
        let run = LastRun(
            networkIsDown: network.networkCauseHolds, lastInternetOk: network.observed.signals.lastInternetOk,
            lastBackendOk: network.observed.signals.lastBackendOk)
        if keeping.note(run, isReachable: isReachable, at: now) { effects.append(.saveLastRun(run)) }
    }

    /// Names of the evidence that keeps the terminal offline.
    private var evidence: [String] {
        var names: [String] = []
        if manual.isOn {
            names.append(manual.status.reason.map { "manual:\($0)" } ?? "manual")
        }
        if network.networkCauseHolds || network.backendCauseHolds {
            names += network.observed.trail.items.map(\.name)
        }
        for status in services.statuses where status.isCore && services.isFaulty(status.service) {
            names.append("service:\(status.service):\(status.source.rawValue)")
        }
        return names
    }
}
