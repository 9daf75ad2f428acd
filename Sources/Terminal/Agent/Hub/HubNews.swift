import Base

internal import OfflineCore
internal import OfflineMode

/// What the transport and the token report, for the offline module, the drainer and the feed, which are made
/// after them: they need the hub to be made.
///
/// Reports are passed on in their order while ``deliver(to:_:)`` runs; before it they wait.
final class HubNews: OutcomeObserving, Sendable {
    private enum Report: Sendable {
        case finished(RequestOutcome)
        case stalled(APIRoute, startedAt: Instant)
        case moving(since: Instant)
        case identityRenewed
        case journalReopened
        case feedMoved
    }

    private let reports = AsyncStream.makeStream(of: Report.self)
    private let apis: CoreAPIs

    init(apis: CoreAPIs) { self.apis = apis }

    func requestFinished(_ outcome: RequestOutcome) { reports.continuation.yield(.finished(outcome)) }

    func requestStalled(_ api: APIRoute, startedAt: Instant) {
        reports.continuation.yield(.stalled(api, startedAt: startedAt))
    }

    func requestMoves(since: Instant) { reports.continuation.yield(.moving(since: since)) }

    /// A new token is on disk: what waited for one continues.
    func identityRenewed() { reports.continuation.yield(.identityRenewed) }

    /// A hub does not know the terminal, and all of its journal goes out once more.
    func journalReopened() { reports.continuation.yield(.journalReopened) }

    /// The hub has something new for this terminal.
    func feedMoved() { reports.continuation.yield(.feedMoved) }

    /// Passes reports on until the task is cancelled. To be called once.
    func deliver(to offline: OfflineService, _ drainer: OutboxDrainer, _ feed: CatalogueFeed) async {
        for await report in reports.stream {
            switch report {
            case .finished(let outcome):
                offline.requestFinished(outcome)
                // What a push brought the drainer knows by itself.
                guard apis.service(of: outcome.api) != "order" else { continue }
                if outcome.showsHubServes { drainer.hubResponded(toProbe: false) }
                if outcome.outcome.isLost { drainer.callLost() }
                if case .auth = outcome.outcome { drainer.accountRefused() }
            case .stalled(let api, let startedAt): offline.requestStalled(api, startedAt: startedAt)
            case .moving(let since): offline.requestMoves(since: since)
            case .identityRenewed: drainer.identityRenewed()
            case .journalReopened: drainer.rowsChanged()
            case .feedMoved: feed.hubHasNews()
            }
        }
    }
}

extension RequestOutcome {
    /// Whether the verified hub served the request; a refusal of its own is service too.
    fileprivate var showsHubServes: Bool {
        switch outcome {
        case .success, .business: true
        case .network, .service, .auth, .throttle, .portal, .cancelled: false
        }
    }
}
