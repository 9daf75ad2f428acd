import Base

/// What the detector shows of its state to the other machines and in the status.
extension NetworkFaultDetector {
    /// Whether the network counts as working; services are judged only then.
    var isReachable: Bool {
        switch phase {
        case .reachable: true
        case .suspect, .unreachable, .backendDown, .recovering: false
        }
    }

    /// Whether the `network` cause holds.
    var networkCauseHolds: Bool {
        switch phase {
        case .unreachable: true
        case .recovering(let recovery): !recovery.isBackendDown
        case .reachable, .suspect, .backendDown: false
        }
    }

    /// Whether the `service` cause holds because the hub is dark while the network works.
    var backendCauseHolds: Bool {
        switch phase {
        case .backendDown: true
        case .suspect(let suspicion): suspicion.isBackendDown
        case .recovering(let recovery): recovery.isBackendDown
        case .reachable, .unreachable: false
        }
    }

    /// When the detector must be woken next. There is always such a moment.
    var deadline: Instant {
        let own =
            switch phase {
            case .reachable(let idle): idle.deadline(isPinging: path.isPinging)
            case .suspect(let suspicion): suspicion.deadline(on: path.view, settings)
            case .unreachable(let outage), .backendDown(let outage): outage.deadline
            case .recovering(let recovery): recovery.deadline
            }
        return path.settlesAt.map { min(own, $0) } ?? own
    }

    /// T1 of the next run of failures.
    var nextDebounce: Duration { path.isLost ? settings.pathDebounce : settings.debounce }

    /// Whether the last full round shows that only the hub is dark: the independent address responded or,
    /// where none is configured, the hub's address responded to pings.
    ///
    /// Pings prove nothing where somebody else responds in the hub's place, because they may reach that
    /// address. They prove nothing either where the hub's name cannot be resolved, because they go to an
    /// address that was learned before.
    func pathWorks(_ suspicion: Suspicion) -> Bool {
        guard suspicion.roundFailed, !path.isLost else { return false }
        if settings.probesInternet { return suspicion.internetResponded }
        return suspicion.echoResponded && !suspicion.kinds.contains(.portal)
            && observed.signals.lastFailure?.isOfNames != true
    }

    /// The detector as shown.
    var status: NetworkStatus {
        NetworkStatus(
            state: shownState, since: since, evidence: observed.trail.items.map(\.name),
            debounce: shownDebounce,
            deadline: shownDeadline, internetResponds: internetResponds)
    }

    /// Whether the independent address responded in the last full round; pings do not prove an internet
    /// connection.
    private var internetResponds: Bool {
        switch phase {
        case .backendDown: settings.probesInternet
        case .suspect(let suspicion): suspicion.internetResponded && !path.isLost
        case .recovering(let recovery): recovery.isBackendDown && settings.probesInternet
        case .reachable, .unreachable: false
        }
    }

    /// Whether the network works and the hub does not respond, as the last full round shows.
    var isHubAlone: Bool {
        switch phase {
        case .backendDown: true
        case .suspect(let suspicion): pathWorks(suspicion)
        case .recovering(let recovery): recovery.isBackendDown
        case .reachable, .unreachable: false
        }
    }

    var isRecovering: Bool {
        switch phase {
        case .recovering: true
        case .reachable, .suspect, .unreachable, .backendDown: false
        }
    }

    /// Whether there is a way out, for the snapshot. A suspicion changes nothing before the fault is
    /// confirmed, unless somebody else responds or the hub was never reached.
    var wayOut: ConnectivitySnapshot.WayOut {
        switch phase {
        case .reachable, .backendDown: .open
        case .suspect(let suspicion): suspicion.kinds.contains(.unverified) ? .unknown : .open
        case .unreachable: .closed
        case .recovering(let recovery): recovery.isBackendDown ? .open : .closed
        }
    }

    private var shownState: NetworkStatus.State {
        switch phase {
        case .reachable, .backendDown: .reachable
        case .suspect: .suspect
        case .unreachable: .unreachable
        case .recovering: .recovering
        }
    }

    private var shownDebounce: Duration {
        switch phase {
        case .suspect(let suspicion):
            return suspicion.commitsAt.map { $0 - suspicion.openedAt } ?? nextDebounce
        case .reachable, .unreachable, .backendDown, .recovering: return nextDebounce
        }
    }

    private var shownDeadline: Instant? {
        switch phase {
        case .suspect(let suspicion): suspicion.commitsAt
        case .recovering(let recovery): recovery.holdEnds
        case .reachable, .unreachable, .backendDown: nil
        }
    }
}
