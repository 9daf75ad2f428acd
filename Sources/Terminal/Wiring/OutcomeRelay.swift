internal import OfflineCore
internal import OfflineMode
internal import Synchronization

/// Passes outcomes to the offline module, which is made after the transport that reports to it.
final class OutcomeRelay: OutcomeObserving {
    private let target = Mutex<(any OutcomeObserving)?>(nil)

    func connect(to observer: any OutcomeObserving) {
        target.withLock { $0 = observer }
    }

    func requestFinished(_ outcome: RequestOutcome) {
        target.withLock { $0 }?.requestFinished(outcome)
    }

    func requestStalled(_ api: APIRoute, startedAt: Instant) {
        target.withLock { $0 }?.requestStalled(api, startedAt: startedAt)
    }
}
