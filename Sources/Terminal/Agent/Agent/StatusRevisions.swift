import Base
internal import OfflineCore
internal import MachineRuntime

/// Counts the changes of the status, so that a watcher can wait for the next one.
final class StatusRevisions: Sendable {
    private let revisions = Broadcast<Int64>(1)
    private let time: any SystemTime

    init(time: any SystemTime) {
        self.time = time
    }

    var current: Int64 { revisions.current }

    /// The status changed.
    func advance() { revisions.update { $0 += 1 } }

    /// Returns when the revision is no longer `seen`, after `limit`, or when the task is cancelled.
    func wait(after seen: Int64, limit: Duration) async {
        let changes = revisions.stream()
        _ = await withDeadline(time.now() + limit, on: time) {
            for await revision in changes where revision != seen { return }
        }
    }
}
