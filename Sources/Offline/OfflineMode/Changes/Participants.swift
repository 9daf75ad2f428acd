import Base
internal import OfflineCore
internal import MachineRuntime
internal import Synchronization

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

    /// Notifies all at once and returns when each has returned or its time has passed; one that ignores
    /// cancellation runs on without a waiter.
    func notify(_ message: @escaping @Sendable (any OfflineModeParticipant) async -> Void) async {
        let members = members.withLock { $0 }
        await withDiscardingTaskGroup { group in
            for member in members {
                group.addTask { [time] in
                    _ = await withDeadline(time.now() + Self.waitBudget, on: time) { await message(member) }
                }
            }
        }
    }
}
