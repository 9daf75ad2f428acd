internal import AgentAPI
internal import Base
internal import HubProtocol
internal import MachineRuntime
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import Synchronization
internal import TerminalStore

/// What this till says of itself to the others of its store.
///
/// What is read from its disk for one of them is said to all, as long as nothing is known to have changed:
/// ten neighbours of a till without the hub want two hellos a second. Those that are due at one moment share
/// one look, since each access to the disk wakes this till twice.
final class OwnHello: Sendable {
    private struct Read {
        let hello: Task<NeighbourHello, Never>
        /// Of the status.
        let revision: Int64
        let at: Instant
    }

    /// What is the same in each hello of this start.
    private let begun: NeighbourHello
    private let outbox: SQLiteOutbox
    private let shifts: SQLiteShifts
    private let head: @Sendable () async -> SignedHead?
    private let status: @Sendable () -> ModeStatus
    private let revisions: StatusRevisions
    private let time: any SystemTime
    private let read = Mutex<Read?>(nil)
    /// What people call this till; nil: not read yet.
    let name = Mutex<String?>(nil)

    /// - Parameter begun: terminal, number, run and version.
    init(
        _ begun: NeighbourHello, _ store: TerminalStores, revisions: StatusRevisions, time: any SystemTime,
        head: @escaping @Sendable () async -> SignedHead?, status: @escaping @Sendable () -> ModeStatus
    ) {
        (self.begun, self.head, self.status) = (begun, head, status)
        (outbox, shifts) = (store.outbox, SQLiteShifts(store.database))
        (self.revisions, self.time) = (revisions, time)
    }

    func callAsFunction() async -> NeighbourHello {
        var hello = await recorded()
        let status = status()
        hello.mode = status.mode == .online ? .online : .offline
        hello.causes = status.causes.map(\.rawValue)
        hello.wantsRelay =
            hello.mode == .offline && hello.pending > 0 && !status.causes.contains(.manual)
        hello.at = time.wallMilliseconds()
        return hello
    }

    private func recorded() async -> NeighbourHello {
        let (revision, now) = (revisions.current, time.now())
        let hello = read.withLock { read in
            if let read, read.revision == revision, now - read.at < NeighbourLimits.helloReuse {
                return read.hello
            }
            let hello = Task { await onDisk() }
            read = Read(hello: hello, revision: revision, at: now)
            return hello
        }
        return await hello.value
    }

    private func onDisk() async -> NeighbourHello {
        var hello = begun
        let depth = try? await outbox.depth()
        hello.name = name.withLock { $0 }
        hello.pending = Int64(depth?.pending ?? 0)
        hello.acknowledgedThrough = depth?.acknowledgedThrough ?? 0
        hello.shift = (try? await shifts.openShiftId()) ?? nil
        hello.head = await head()?.json
        return hello
    }
}
