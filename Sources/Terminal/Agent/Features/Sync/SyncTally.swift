import Base

internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Synchronization

/// Counts pushes and what the hub did not take of them, since this run began.
final class SyncTally: Sendable {
    struct Counts: Sendable {
        var attempts: Int64 = 0
        var successes: Int64 = 0
        var conflicts: [String: [String: Int64]] = [:]
    }

    /// RFC 3339; names the run for whoever adds up several of them.
    let since: String
    private let counts = Mutex(Counts())

    /// - Parameter startedAt: Unix milliseconds of the wall clock.
    init(startedAt: Int64) {
        since = Timestamp.text(milliseconds: startedAt)
    }

    var current: Counts { counts.withLock { $0 } }

    func note(_ outcome: PushOutcome, at endpoint: String) {
        counts.withLock { counts in
            counts.attempts += 1
            guard case .results(let results, _, _) = outcome else { return }
            counts.successes += 1
            for category in results.compactMap(Self.category) {
                counts.conflicts[endpoint, default: [:]][category, default: 0] += 1
            }
        }
    }

    /// The merge policy of a conflict, the code of a rejection; nil for anything else.
    private static func category(of result: PushResult) -> String? {
        switch result.outcome {
        case .conflict: result.reason ?? "conflict"
        case .rejected: result.reason ?? "rejected"
        case .applied, .deferred, .retry: nil
        }
    }
}

/// The way to the hub, counted.
struct TallyingUplink: MutationUplink {
    let uplink: any MutationUplink
    let tally: SyncTally

    func push(_ items: [OutboxItem], at depth: OutboxDepth) async -> PushOutcome {
        let outcome = await uplink.push(items, at: depth)
        tally.note(outcome, at: items.count == 1 ? Routes.mutation : Routes.mutationBatch)
        return outcome
    }

    func largePacketsPass() async -> Bool? { await uplink.largePacketsPass() }

    func useSmallSegments(_ areUsed: Bool) { uplink.useSmallSegments(areUsed) }
}
