extension ServiceFaultDetector {
    /// Asks QoS first; tripped evidence waits for it anew, since it could not answer meanwhile.
    mutating func regainNetwork(at now: Instant) {
        guard networkReachability == .lost else { return }
        networkReachability = .returned
        for index in watches.indices {
            watches[index].askAt = now
            watches[index].ledger.dropStale(at: now, settings)
            switch watches[index].phase {
            case .suspect:
                let confirmation = now + settings.silenceLimit
                watches[index].enter(.suspect(failedQueries: 0, confirmation: confirmation), at: now)
            case .healthy, .overruled, .faulty, .leased, .recovering: break
            }
            weighEvidence(of: index, at: now)
        }
    }

    /// Freezes questions, canaries and leases. What is out is forgotten: its failure would be the network's.
    mutating func loseNetwork(at now: Instant) {
        networkReachability = .lost
        question = nil
        for report in sentReports { putBack(report, at: now) }
        sentReports = []
        for index in watches.indices {
            switch watches[index].phase {
            case .recovering(var trial):
                guard case .calling = trial.step else { break }
                trial.step = .due(at: now)
                watches[index].enter(.recovering(trial), at: now)
            case .healthy, .suspect, .overruled, .faulty, .leased: break
            }
        }
    }

    /// A person's retry: asks QoS, tries a leased service and sends a waiting canary, the hub's pace aside.
    mutating func retryNow(at now: Instant) {
        guard networkReachability != .lost else { return }
        for index in watches.indices {
            watches[index].askAt = now
            switch watches[index].phase {
            case .leased: watches[index].enter(.leased(until: now), at: now)
            case .recovering(var trial):
                guard case .due = trial.step else { break }
                trial.step = .due(at: now)
                watches[index].enter(.recovering(trial), at: now)
            case .healthy, .suspect, .overruled, .faulty: break
            }
        }
    }
}
