import Base
import LinuxNetwork
import OfflineCore
import OfflineMode
import Synchronization

@testable import Reachability
import LinuxRuntime
import MachineRuntime

/// What monitors under test observe: a path and responses as set, on the real clock.
final class ScriptedWorld: Sendable {
    private struct State {
        var target = ProbeResult.good(roundTrip: .milliseconds(7))
        var independent = ProbeResult.failed(.silent)
        var path = PathStatus.cable
        var paths: [Int: AsyncStream<PathStatus>.Continuation] = [:]
        var nextPath = 0
        var probes = 0
        /// Probes wait here while the world is paused.
        var isHolding = false
        var held: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// How many watches listen to the path now.
    var openPaths: Int { state.withLock { $0.paths.count } }
    /// How many probes of the target were sent.
    var probes: Int { state.withLock { $0.probes } }

    func response(_ result: ProbeResult, independent: ProbeResult = .failed(.silent)) {
        state.withLock { ($0.target, $0.independent) = (result, independent) }
    }

    func setPath(_ path: PathStatus) {
        state.withLock { state in
            state.path = path
            for reader in state.paths.values { reader.yield(path) }
        }
    }

    func holdProbes() { state.withLock { $0.isHolding = true } }

    /// How many probes wait.
    var heldProbes: Int { state.withLock { $0.held.count } }

    func releaseProbes() {
        let held = state.withLock { state in
            defer { (state.isHolding, state.held) = (false, []) }
            return state.held
        }
        for probe in held { probe.resume() }
    }

    func monitor(
        _ name: String = "https://host.example", time: any SystemTime = LinuxSystemTime(),
        change: (inout ReachabilitySettings) -> Void = { _ in }
    ) -> ReachabilityMonitor {
        var settings = ReachabilitySettings()
        settings.debounce = .seconds(1)
        settings.pathDebounce = .seconds(1)
        settings.recoveryHold = .seconds(1)
        settings.pingInterval = .seconds(1)
        settings.probeInterval = .seconds(1)
        change(&settings)
        return ReachabilityMonitor(.host(ReachabilityProbe(name)), settings: settings) { [self] in
            ReachabilityPorts(time: time, path: self, ping: NoPing(), probe: self)
        }
    }
}

extension ScriptedWorld: PathMonitoring, HubProbing {
    func statuses() -> AsyncStream<PathStatus> {
        let (stream, reader) = AsyncStream.makeStream(of: PathStatus.self)
        let id = state.withLock { state in
            state.nextPath += 1
            state.paths[state.nextPath] = reader
            reader.yield(state.path)
            return state.nextPath
        }
        reader.onTermination = { _ in self.state.withLock { _ = $0.paths.removeValue(forKey: id) } }
        return stream
    }

    func probe(_ target: ProbeTarget, timeout: Duration) async -> ProbeResult {
        if target == .hub {
            await withCheckedContinuation { continuation in
                let isHeld = state.withLock { state in
                    state.probes += 1
                    if state.isHolding { state.held.append(continuation) }
                    return state.isHolding
                }
                if !isHeld { continuation.resume() }
            }
        }
        return state.withLock { target == .hub ? $0.target : $0.independent }
    }
}

/// The kernel's clock, which can be moved ahead: the process was delayed that long.
final class HeldUpTime: SystemTime {
    private let lost = Mutex(Duration.zero)

    func lose(_ time: Duration) { lost.withLock { $0 += time } }
    func now() -> Instant { LinuxSystemTime().now() + lost.withLock { $0 } }
    func wallMilliseconds() -> Int64 { LinuxSystemTime().wallMilliseconds() }
    func suspended() -> Duration { LinuxSystemTime().suspended() }
}

extension PathStatus {
    static let cable = PathStatus(
        isUsable: true, interface: "eth0", transport: .ethernet, isMetered: false, isConstrained: false,
        route: "eth0 192.0.2.2 via 192.0.2.1")
    static let phone = PathStatus(
        isUsable: true, interface: "wwan0", transport: .cellular, isMetered: true, isConstrained: true,
        route: "wwan0 198.51.100.2 via 198.51.100.1")
    static let none = PathStatus(
        isUsable: false, interface: nil, transport: .unknown, isMetered: false, isConstrained: false,
        route: "none")
}

extension ReachabilityAnnouncing {
    /// The first matching status announced from now on, the present one included; nil after `seconds`.
    func first(within seconds: Int = 60, where fits: @escaping @Sendable (Status) -> Bool) async -> Status? {
        let stream = statuses()
        return await withTaskGroup(of: Status?.self) { group in
            group.addTask {
                for await status in stream where fits(status) { return status }
                return nil
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(seconds))
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}

/// Waits until `isTrue`; false after `seconds`.
func eventually(within seconds: Int = 60, _ isTrue: @Sendable () -> Bool) async -> Bool {
    let limit = ContinuousClock.now + .seconds(seconds)
    while !isTrue() {
        guard ContinuousClock.now < limit else { return false }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return true
}

/// Keeps the values of a callback, in order.
final class Notes<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    var all: [Value] { values.withLock { $0 } }
    func add(_ value: Value) { values.withLock { $0.append(value) } }
}
