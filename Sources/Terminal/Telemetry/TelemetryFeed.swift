internal import CurlTransport
internal import HubProtocol
internal import OfflineCore

/// Tells the hub how this terminal is doing where no batch does: an outbox that stands still has none.
struct TelemetryFeed: Sendable {
    let service: TelemetryReporter
    let hub: HubClient
    let head: @Sendable () async -> SignedHead?
    /// Asked before every wait.
    let interval: @Sendable () -> Duration

    func run() async {
        var jitter = SplitMix64(seed: UInt64.random(in: 0...UInt64.max))
        while !Task.isCancelled {
            let interval = interval()
            guard (try? await Task.sleep(for: jitter.jittered(interval, perMille: 100))) != nil else {
                return
            }
            await send(service.news(within: interval))
        }
    }

    /// Tells it at once, for a person who asked to sync.
    func sendNow() async {
        await send(service.news(within: .zero, isAsked: true))
    }

    private func send(_ report: JSONValue?) async {
        guard let report else { return }
        // A report that is lost is made up for by the next one.
        _ = await hub.sendTelemetry(report.with(await head()))
    }
}
