internal import MachineRuntime
import Synchronization

/// Watches whether the internet, or one host, can be reached.
///
/// ``start()`` and ``stop()`` may be called any number of times and from anywhere: there is at most one watch
/// at a time, a stopped one announces nothing, and a released monitor ends its watch. Streams, subscriptions
/// and the delegate stay.
public final class ReachabilityMonitor: ReachabilityAnnouncing {
    /// The running watch; its generation distinguishes it from an earlier one that still reports.
    private struct Running {
        let watch: TargetWatch
        let task: Task<Void, Never>
    }

    private struct State {
        var running: Running?
        var generation: UInt64 = 0
        var isStarted = false
        /// How many ``check()`` use the watch.
        var checks = 0
        var delegate: ReachabilitySubscription?
    }

    /// What the monitor was made for; it never changes.
    public let target: ReachabilityTarget
    private let makeWatch: @Sendable () -> TargetWatch
    private let announcer = Broadcast(ReachabilityStatus.notWatched) { $0.isNews($1) }
    private let state = Mutex(State())

    /// A monitor that does not run yet.
    public convenience init(
        _ target: ReachabilityTarget, settings: ReachabilitySettings = .init()
    ) throws(ReachabilityError) {
        try settings.check()
        let makePorts = try ReachabilityPorts.makingForLinux(target, settings: settings)
        self.init(target, settings: settings, makePorts: makePorts)
    }

    /// A monitor of one host, probed over https; ``ReachabilityTarget/host(_:)`` accepts other addresses.
    public convenience init(
        host: String, settings: ReachabilitySettings = .init()
    ) throws(ReachabilityError) {
        try self.init(.host(ReachabilityProbe(host)), settings: settings)
    }

    /// - Parameter makePorts: makes the ports of a new watch to the kernel and the network; called at every
    ///   start.
    init(
        _ target: ReachabilityTarget, settings: ReachabilitySettings,
        makePorts: @escaping @Sendable () -> ReachabilityPorts
    ) {
        self.target = target
        let probesInternet = !settings.independentProbes.isEmpty
        makeWatch = {
            var seeds = SystemRandomNumberGenerator()
            return TargetWatch(
                ports: makePorts(), settings: settings.machineSettings(probesInternet: probesInternet),
                seed: seeds.next())
        }
    }

    deinit {
        state.withLock { $0.running?.task.cancel() }
    }

    // MARK: Watching

    /// Begins to watch, unless it does already.
    public func start() {
        state.withLock { state in
            state.isStarted = true
            announcer.publish(begin(&state).status)
        }
    }

    /// Stops watching. From now on the status is ``ReachabilityStatus/notWatched``, and listeners are
    /// notified.
    public func stop() {
        state.withLock { state in
            state.isStarted = false
            endIfUnused(&state)
            announcer.publish(.notWatched)
        }
    }

    /// Whether it was started and not stopped since.
    public var isStarted: Bool { state.withLock { $0.isStarted } }

    /// Probes at once instead of waiting for the next probe; without effect while it is stopped.
    public func retry() {
        state.withLock { $0.isStarted ? $0.running?.watch : nil }?.retry()
    }

    // MARK: Single checks

    /// The last status of the running watch, ``ReachabilityStatus/notWatched`` while stopped. Reading it
    /// sends nothing.
    public var status: ReachabilityStatus {
        state.withLock { $0.isStarted ? $0.running?.watch.status : nil } ?? .notWatched
    }

    /// Probes now and returns the status, whether or not the monitor was started.
    ///
    /// Waits for the response, at most the probe's timeout and a second; a process that was stopped or
    /// delayed meanwhile probes again. On a stopped monitor neither listeners nor ``status`` change. A
    /// cancelled task gets what is known by then.
    public func check() async -> ReachabilityStatus {
        let watch = state.withLock { state in
            state.checks += 1
            return begin(&state)
        }
        let status = await watch.look()
        state.withLock { state in
            state.checks -= 1
            endIfUnused(&state)
        }
        return status
    }

    /// The status now and after each change, also over a stop and the next start. A slow reader gets only the
    /// newest one.
    public func statuses() -> AsyncStream<ReachabilityStatus> { announcer.stream() }

    /// Keeps `delegate`, weakly, informed from now on; it replaces the one before.
    ///
    /// - Parameters:
    ///   - delegate: nil ends the calls.
    ///   - place: where it is called.
    public func setDelegate(_ delegate: (any ReachabilityDelegate)?, at place: CallbackPlace) {
        let subscription = delegate.map { _ in
            onChange(at: place) { [weak self, weak delegate] status in
                guard let self else { return }
                delegate?.reachabilityDidChange(to: status, of: self)
            }
        }
        let old = state.withLock { state in
            defer { state.delegate = subscription }
            return state.delegate
        }
        old?.cancel()
    }

    // MARK: The watch

    private func begin(_ state: inout State) -> TargetWatch {
        if let running = state.running { return running.watch }
        state.generation += 1
        let generation = state.generation
        let watch = makeWatch()
        let task = Task.detached { [weak self] in
            await watch.run { [weak self] status in self?.heard(status, generation: generation) }
        }
        state.running = Running(watch: watch, task: task)
        return watch
    }

    private func endIfUnused(_ state: inout State) {
        guard !state.isStarted, state.checks == 0, let running = state.running else { return }
        state.running = nil
        running.task.cancel()
    }

    private func heard(_ status: ReachabilityStatus, generation: UInt64) {
        state.withLock { state in
            guard state.isStarted, state.generation == generation else { return }
            announcer.publish(status)
        }
    }

    /// How many streams and subscriptions follow it.
    var readerCount: Int { announcer.readerCount }
}
