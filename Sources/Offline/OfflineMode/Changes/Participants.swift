import Base
import OfflineCore
import Synchronization

/// The business modules that prepare for a switch; each has its time and no veto.
final class Participants: Sendable {
    /// How long one may take.
    static let waitBudget = Duration.seconds(1)

    private let members = Mutex<[any OfflineModeParticipant]>([])
    private let time: any SystemTime

    init(time: any SystemTime) {
        self.time = time
    }

    func register(_ participant: any OfflineModeParticipant) {
        members.withLock { members in
            guard !members.contains(where: { $0 === participant }) else { return }
            members.append(participant)
        }
    }

    /// Notifies all at once and returns when each has returned or its time has passed.
    func notify(_ message: @escaping @Sendable (any OfflineModeParticipant) async -> Void) async {
        let members = members.withLock { $0 }
        await withDiscardingTaskGroup { group in
            for member in members {
                group.addTask { await self.withinWaitBudget { await message(member) } }
            }
        }
    }

    /// Waits for `work`, but no longer than the wait budget; work that ignores cancellation runs on without a
    /// waiter.
    private func withinWaitBudget(_ work: @escaping @Sendable () async -> Void) async {
        let ends = time.now() + Self.waitBudget
        let (done, finish) = AsyncStream.makeStream(of: Void.self)
        let worker = Task {
            await work()
            finish.finish()
        }
        let watchdog = Task { [time] in
            try? await time.sleep(until: ends)
            finish.finish()
        }
        for await _ in done {}
        worker.cancel()
        watchdog.cancel()
    }
}
