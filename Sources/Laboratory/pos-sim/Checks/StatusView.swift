import AgentAPI
import OfflineCore

/// Follows what one run of a till's agent shows of its state, change by change.
@MainActor
final class StatusView {
    private let world: World
    private let till: TillNode
    private(set) var before: StatusResponse?
    /// How often its mode changed.
    private(set) var changes = 0
    /// When it was last offline by a person: then it looks at nothing.
    private var lastManual: Int64 = 0
    /// An outage that the run before left ends with one response, without T2.
    private var isTakenOver = false

    init(_ world: World, _ till: TillNode) { (self.world, self.till) = (world, till) }

    private var link: Link { till.link }

    func see(_ status: StatusResponse) {
        guard till.isUp else { return }
        world.checks.see(status, of: till)
        till.saw(isOffline: status.mode == .offline)
        if let before {
            let (was, isNow) = (before.causes.contains(.network), status.causes.contains(.network))
            if !was, isNow { entered() }
            if was, !isNow { left() }
        } else {
            isTakenOver = status.causes.contains(.network)
        }
        if before?.mode != status.mode { changes += 1 }
        before = status
        if status.causes.contains(.manual) { lastManual = Trace.now }
        seeDarkness(status)
    }

    private func seconds(_ key: String) -> Int64 { Int64(world.schedule.settings[key] ?? 0) * 1000 }

    /// T1 of unbroken failures lies behind it.
    private func entered() {
        defer { link.sight.outageBegan() }
        guard let since = link.sight.failingSince else {
            return world.fail("offline only after T1", "\(till.name) saw no failure before it")
        }
        let debounce = seconds("network.debounceSeconds")
        let least = link.sight.wasUnplugged ? min(debounce, 5_000) : debounce
        if Trace.now - since < least - 50 {
            world.fail("offline only after T1", "\(till.name) after \(Trace.now - since) ms of \(least)")
        }
    }

    /// T2 of good responses lies behind it.
    private func left() {
        guard let since = link.sight.firstGood else {
            return world.fail("online only after T2", "\(till.name) saw no response before it")
        }
        let hold = isTakenOver ? 0 : seconds("network.recoveryHoldSeconds")
        isTakenOver = false
        if Trace.now - since < hold - 50 {
            world.fail("online only after T2", "\(till.name) after \(Trace.now - since) ms of \(hold)")
        }
    }

    /// A line on which nothing passes is seen at the latest by the next probe and T1 after it. A till that
    /// saw the hub alone go before keeps that cause.
    func seeDarkness(_ status: StatusResponse) {
        guard let dark = link.sight.darkSince, !status.causes.contains(.network),
            !status.causes.contains(.service)
        else { return }
        let known = max(dark, link.sight.knownToFailSince ?? .max, till.lastBegin, lastManual)
        let soon = seconds("network.debounceSeconds") + Self.rounds
        if known < .max, Trace.now - known > soon {
            world.fail("T1 ends", "\(till.name) still waits \(Trace.now - known) ms after the first failure")
        }
        let interval = max(seconds("network.pingIntervalSeconds"), seconds("network.probeIntervalSeconds"))
        let longest =
            2 * interval + seconds("network.debounceSeconds") + 2 * seconds("sync.requestTimeoutSeconds")
            + 60_000
        if Trace.now - max(dark, till.lastBegin, lastManual) > longest {
            world.fail("a dark line is seen", "\(till.name) after \(Trace.now - dark) ms of \(longest)")
        }
    }

    /// Milliseconds of the rounds of probes in which T1 may end.
    private static let rounds: Int64 = 20_000
}
