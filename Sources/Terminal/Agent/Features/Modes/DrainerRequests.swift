internal import OfflineCore
internal import OfflineMode

/// What the offline module has for the drainer, which is made after it: the drainer's batches carry the
/// module's status.
///
/// Requests are passed on in their order while ``deliver(to:)`` runs; before it they wait.
final class DrainerRequests: ResumePacing, CanaryCalling, Sendable {
    private enum Request: Sendable {
        case pace(ResumePace)
        case hubResponded
        case canary(timeout: Duration, result: AsyncStream<Bool>.Continuation)
    }

    private let requests = AsyncStream.makeStream(of: Request.self)
    private let others: any CanaryCalling

    /// - Parameter others: the canaries of other services than `order`.
    init(others: any CanaryCalling) { self.others = others }

    /// Other services than `order` have no drain.
    func resume(service: String, at pace: ResumePace) {
        if service == "order" { requests.continuation.yield(.pace(pace)) }
    }

    /// A probe of the hub was good: a waiting outbox comes to its next attempt.
    func hubResponded() { requests.continuation.yield(.hubResponded) }

    func call(service: String, timeout: Duration) async -> Bool {
        guard service == "order" else { return await others.call(service: service, timeout: timeout) }
        let (results, result) = AsyncStream.makeStream(of: Bool.self)
        requests.continuation.yield(.canary(timeout: timeout, result: result))
        // Ends without a result when this task is cancelled.
        for await isGood in results { return isGood }
        return false
    }

    /// Passes requests on until the task is cancelled. To be called once.
    func deliver(to drainer: OutboxDrainer) async {
        await withDiscardingTaskGroup { group in
            for await request in requests.stream {
                switch request {
                case .pace(let pace): drainer.pace(pace)
                case .hubResponded: drainer.hubResponded(toProbe: true)
                case .canary(let timeout, let result):
                    group.addTask {
                        result.yield(await drainer.canaryPush(timeout: timeout))
                        result.finish()
                    }
                }
            }
        }
    }
}

/// The probe of the hub, whose good response brings a waiting outbox to its next attempt.
struct ReportingProbe: HubProbing {
    let probe: any HubProbing
    let drainer: DrainerRequests

    func probe(_ target: ProbeTarget, timeout: Duration) async -> ProbeResult {
        let result = await probe.probe(target, timeout: timeout)
        if case (.hub, .good) = (target, result) { drainer.hubResponded() }
        return result
    }
}

/// Pings nobody. For a hub on loopback: this machine's own kernel would respond, and that shows nothing of
/// the hub.
struct NoPing: Pinging {
    func ping(timeout: Duration) async -> PingResult { .unavailable }
}

/// Keeps nothing: for commands that look at a home and must leave it as it is.
struct NoRecorder: EventRecorder {
    func append(_ line: String) {}
}
