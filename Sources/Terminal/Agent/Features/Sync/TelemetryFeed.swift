import Base

internal import CurlTransport
internal import HubProtocol
internal import OfflineCore

/// Sends telemetry on its own while no batch carries it: an outbox that does not move sends no batches.
struct TelemetryFeed: Sendable {
    let service: TelemetryReporter
    let hub: HubClient
    let head: @Sendable () async -> SignedHead?
    /// Queried before every wait.
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

    /// Sends it whenever something moves, where the policy allows it.
    func follow(_ moves: AsyncStream<Void>) async {
        for await _ in moves { await send(service.news(within: .zero)) }
    }

    /// Sends it at once, for `pos sync now`.
    func sendNow() async {
        await send(service.news(within: .zero, isRequested: true))
    }

    private func send(_ report: JSONValue?) async {
        guard let report else { return }
        // The next report replaces one that is lost.
        _ = await hub.sendTelemetry(report.with(await head()))
    }
}
