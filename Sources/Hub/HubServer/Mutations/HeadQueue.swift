import Base

internal import HubCore
internal import HubProtocol
internal import HubStore
internal import ServiceLifecycle
internal import Synchronization

/// Keeps the heads that come with reports and telemetry, once a second at most, beside the pushes: no
/// response waits for them.
final class HeadQueue: Service {
    private struct Entry {
        let device: DeviceIdentity
        var heads: [(claim: HeadClaim, seenAt: Int64)]
    }

    private let ledger: any Ledger
    private let waiting = Mutex<[String: Entry]>([:])
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    /// As for telemetry (``PiggybackedTelemetry``): a head that a kill loses comes again with the next
    /// report.
    private static let interval: Duration = .seconds(1)
    /// In one interval a terminal signs two heads, one for each kind of report. Fewer could lose a head
    /// between two others; more would only let a hostile terminal write more.
    private static let maximumPerTerminal = 4

    init(ledger: any Ledger) {
        self.ledger = ledger
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Takes a head, if there is one.
    func note(_ claim: HeadClaim?, of device: DeviceIdentity, at now: Int64) {
        guard let claim else { return }
        waiting.withLock { waiting in
            var entry = waiting[device.terminalId] ?? Entry(device: device, heads: [])
            guard entry.heads.last?.claim != claim else { return }
            if entry.heads.count == Self.maximumPerTerminal { entry.heads.removeLast() }
            entry.heads.append((claim, now))
            waiting[device.terminalId] = entry
        }
        signal.yield()
    }

    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() {
            await keepAll()
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.interval) }
        }
        await keepAll()
    }

    private func keepAll() async {
        let entries = waiting.withLock { waiting in
            defer { waiting = [:] }
            return waiting.values
        }
        await withDiscardingTaskGroup { group in
            for entry in entries {
                group.addTask { [ledger] in
                    for (claim, seenAt) in entry.heads {
                        try? await ledger.note(claim, of: entry.device, at: seenAt)
                    }
                }
            }
        }
    }
}

/// What reads heads and what keeps those that come without mutations.
struct HeadParts: Sendable {
    let reader: HeadReader
    let queue: HeadQueue

    /// Keeps the head of a document that changes nothing else.
    @Sendable func note(_ document: JSONValue, of device: DeviceIdentity) async {
        queue.note(await reader.claim(of: document, from: device), of: device, at: reader.now())
    }
}
