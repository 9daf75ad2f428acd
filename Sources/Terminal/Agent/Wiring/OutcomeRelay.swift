import Base

internal import OfflineCore
internal import OfflineMode
internal import Synchronization

/// Passes outcomes to the offline module, which is made after the transport that reports to it, and reports
/// to the drainer what shows that the hub responds.
final class OutcomeRelay: OutcomeObserving {
    private struct Targets {
        var observer: (any OutcomeObserving)?
        var drainer: OutboxDrainer?
    }

    private let targets = Mutex(Targets())
    private let apis: CoreAPIs

    init(apis: CoreAPIs) { self.apis = apis }

    func connect(to observer: any OutcomeObserving) {
        targets.withLock { $0.observer = observer }
    }

    func connect(to drainer: OutboxDrainer) {
        targets.withLock { $0.drainer = drainer }
    }

    func requestFinished(_ outcome: RequestOutcome) {
        let targets = targets.withLock { $0 }
        targets.observer?.requestFinished(outcome)
        // What a push brought the drainer knows by itself.
        if outcome.showsHubServes, apis.service(of: outcome.api) != "order" {
            targets.drainer?.hubResponded(toProbe: false)
        }
    }

    func requestStalled(_ api: APIRoute, startedAt: Instant) {
        targets.withLock { $0 }.observer?.requestStalled(api, startedAt: startedAt)
    }
}

extension RequestOutcome {
    /// Whether the verified hub served the request; a refusal in its own words is service too.
    fileprivate var showsHubServes: Bool {
        switch outcome {
        case .success, .business: true
        case .network, .service, .auth, .throttle, .portal, .cancelled: false
        }
    }
}

/// The probe of the hub, whose good response brings a waiting outbox to its next attempt.
struct ReportingProbe: HubProbing {
    let probe: any HubProbing
    let drainer: OutboxDrainer

    func probe(_ target: ProbeTarget, timeout: Duration) async -> ProbeResult {
        let result = await probe.probe(target, timeout: timeout)
        if case (.hub, .good) = (target, result) { drainer.hubResponded(toProbe: true) }
        return result
    }
}
