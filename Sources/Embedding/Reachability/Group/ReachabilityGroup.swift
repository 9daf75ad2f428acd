import Base
import OfflineCore
import LinuxRuntime
import MachineRuntime
import Synchronization

/// Collapses several monitors into one announcement.
///
/// An unplugged cable changes every monitor of a program at almost the same moment. A group waits for
/// `settle` after the first change and then announces all of them at once.
public final class ReachabilityGroup: ReachabilityAnnouncing {
    /// In the order in which ``ReachabilityGroupStatus/members`` lists them.
    public let monitors: [ReachabilityMonitor]
    private let announcer: Broadcast<ReachabilityGroupStatus>
    private let task: Task<Void, Never>
    private let delegate = Mutex<ReachabilitySubscription?>(nil)

    /// - Parameters:
    ///   - monitors: the monitors to follow; this neither starts nor stops them.
    ///   - settle: how long changes are collected. Default 200 ms. Halved, one unplugged cable may cause two
    ///     announcements; doubled, each announcement comes 0.4 s late.
    public convenience init(_ monitors: [ReachabilityMonitor], settle: Duration = .milliseconds(200)) {
        self.init(monitors, settle: settle, time: LinuxSystemTime())
    }

    init(_ monitors: [ReachabilityMonitor], settle: Duration, time: any SystemTime) {
        self.monitors = monitors
        let announcer = Broadcast(ReachabilityGroupStatus(of: monitors)) { $0.isNews($1) }
        self.announcer = announcer
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let streams = monitors.map { $0.statuses() }
        task = Task.detached {
            await withDiscardingTaskGroup { group in
                for stream in streams {
                    group.addTask { for await _ in stream { change.yield() } }
                }
                for await _ in changes {
                    try? await time.sleep(until: time.now() + settle)
                    guard !Task.isCancelled else { break }
                    announcer.publish(ReachabilityGroupStatus(of: monitors))
                }
                group.cancelAll()
            }
        }
    }

    deinit { task.cancel() }

    /// Starts every monitor of the group.
    public func start() { for monitor in monitors { monitor.start() } }

    /// Stops every monitor of the group, whoever else uses it.
    public func stop() { for monitor in monitors { monitor.stop() } }

    /// Read from the monitors now, so it may be newer than the last announcement.
    public var status: ReachabilityGroupStatus { ReachabilityGroupStatus(of: monitors) }

    /// The group's status now and after each collected change. A slow reader gets only the newest status.
    public func statuses() -> AsyncStream<ReachabilityGroupStatus> { announcer.stream() }

    /// Keeps `delegate`, weakly, informed from now on; it replaces the one before.
    public func setDelegate(_ delegate: (any ReachabilityGroupDelegate)?, at place: CallbackPlace) {
        let subscription = delegate.map { _ in
            onChange(at: place) { [weak self, weak delegate] status in
                guard let self else { return }
                delegate?.reachabilityDidChange(to: status, of: self)
            }
        }
        let old = self.delegate.withLock { kept in
            defer { kept = subscription }
            return kept
        }
        old?.cancel()
    }
}

extension ReachabilityGroupStatus {
    fileprivate init(of monitors: [ReachabilityMonitor]) {
        members = monitors.map { Member(target: $0.target, status: $0.status) }
    }
}
