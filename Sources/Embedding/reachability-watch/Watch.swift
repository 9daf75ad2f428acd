import Foundation
import Reachability

/// Follows a group of monitors and prints each change.
struct Watch {
    private let arguments: WatchArguments
    private let clock = ContinuousClock()

    init(_ arguments: WatchArguments) {
        self.arguments = arguments
    }

    /// - Returns: the exit code.
    func run() async -> Int32 {
        do throws(ReachabilityError) {
            let monitors = try makeMonitors()
            return arguments.looksOnce ? await look(at: monitors) : await follow(monitors)
        } catch {
            FileHandle.standardError.write(Data("reachability-watch: \(error)\n".utf8))
            return 78
        }
    }

    private func makeMonitors() throws(ReachabilityError) -> [ReachabilityMonitor] {
        let internet = arguments.internet.map { ReachabilityProbe($0) }
        guard !arguments.hosts.isEmpty else {
            let target = internet.isEmpty ? ReachabilityTarget.standardInternet : .internet(internet)
            return [try ReachabilityMonitor(target, settings: arguments.settings)]
        }
        var settings = arguments.settings
        settings.independentProbes = internet
        var monitors: [ReachabilityMonitor] = []
        for host in arguments.hosts {
            monitors.append(try ReachabilityMonitor(host: host, settings: settings))
        }
        return monitors
    }

    private func look(at monitors: [ReachabilityMonitor]) async -> Int32 {
        var areAllReachable = true
        for monitor in monitors {
            let status = await monitor.check()
            print(status, of: monitor.target)
            areAllReachable = areAllReachable && status.isReachable
        }
        return areAllReachable ? 0 : 1
    }

    private func follow(_ monitors: [ReachabilityMonitor]) async -> Int32 {
        let started = clock.now
        let group = ReachabilityGroup(monitors)
        let reader = Task {
            for await status in group.statuses() {
                let seconds = String(format: "%9.3f s  ", (clock.now - started) / .seconds(1))
                for member in status.members { print(member.status, of: member.target, after: seconds) }
            }
        }
        group.start()
        if let duration = arguments.duration {
            try? await Task.sleep(for: duration)
            reader.cancel()
        }
        await reader.value
        group.stop()
        return 0
    }

    private func print(
        _ status: ReachabilityStatus, of target: ReachabilityTarget, after prefix: String = ""
    ) {
        var fields = [target.description, status.state.rawValue]
        if status.reason != .none { fields.append("reason=\(status.reason.rawValue)") }
        fields.append("transport=\(status.transport.rawValue)")
        if status.isMetered { fields.append("metered") }
        if status.isConstrained { fields.append("constrained") }
        if let latency = status.latency {
            fields.append("latency=\(Int((latency / .milliseconds(1)).rounded()))ms")
        }
        if !status.isSettled { fields.append("unsettled") }
        FileHandle.standardOutput.write(Data((prefix + fields.joined(separator: " ") + "\n").utf8))
    }
}
