import Base
import OfflineCore
import Testing

@testable import Agent

@Suite("The banner's gate")
struct BannerGateTests {
    /// Plays a banner of one letter every 100 ms and draws what is seen.
    private func seen(_ offered: String) -> String {
        var gate = BannerGate<Character>()
        var drawn = ""
        for (index, letter) in offered.enumerated() {
            let now = Duration.milliseconds(index * 100)
            _ = gate.pass(at: now)
            _ = gate.offer(letter, at: now)
            drawn.append(gate.shown ?? " ")
        }
        return drawn
    }

    @Test(
        "The first is seen at once, a change after 300 ms and 2 s after the one before",
        arguments: [
            ("aaaa", "aaaa"),
            // 2 s since the first, then the grace alone.
            ("abbbbbbbbbbbbbbbbbbbbbb", "aaaaaaaaaaaaaaaaaaaabbb"),
            ("aaaaaaaaaaaaaaaaaaaaaaabbbbb", "aaaaaaaaaaaaaaaaaaaaaaaaaabb"),
            // Flicker is never seen.
            ("aaaaaaaaaaaaaaaaaaaaaaabbaaabbaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
        ])
    func gate(offered: String, drawn: String) {
        #expect(seen(offered) == drawn)
    }

    @Test("Of several changes that wait the last is shown, at the first one's time")
    func last() {
        #expect(seen("aaaaaaaaaaaaaaaaaaaaaaabcdddd") == "aaaaaaaaaaaaaaaaaaaaaaaaaaddd")
    }

    @Test(
        "The language is the locale's, the first of LC_ALL, LC_MESSAGES and LANG that is set",
        arguments: [
            (["LANG": "zh_CN.UTF-8"], Language.chinese), (["LANG": "de_DE"], .english), ([:], .english),
            (["LC_ALL": "C", "LANG": "zh_CN"], .english), (["LC_ALL": "", "LANG": "zh"], .chinese),
        ])
    func language(environment: [String: String], language: Language) {
        #expect(Language(environment: environment) == language)
    }
}

@Suite("The banner of the status")
struct SteadyBannerTests {
    /// A machine whose path comes and goes; T1 without a path is 5 s.
    private struct Till {
        var machine = OfflineMachine(
            settings: OfflineSettings(), apis: CoreAPIs(services: [:], core: []), startup: StartupState(),
            seed: 1,
            at: Instant(nanoseconds: 0))
        let banner = SteadyBanner()
        var now = Instant(nanoseconds: 0)
        private var hasPath = false

        mutating func set(path isUsable: Bool) {
            hasPath = isUsable
            let path = PathStatus(
                isUsable: isUsable, interface: isUsable ? "eth0" : nil, transport: .ethernet,
                isMetered: false,
                isConstrained: false, route: isUsable ? "way" : "")
            handle(.pathChanged(path))
        }

        mutating func handle(_ event: OfflineEvent) {
            var events = [event]
            while !events.isEmpty {
                for effect in machine.handle(events.removeFirst(), at: now) {
                    guard case .sendProbe(let tag, .hub, _) = effect, hasPath else { continue }
                    events.append(.probeFinished(tag, .hub, .good(roundTrip: .zero)))
                }
            }
            _ = banner.follow(machine.status(at: now), at: now)
        }

        /// What is shown after each tenth of a second: `-` all well, `n` no network, `c` connecting, `O`
        /// offline.
        mutating func play(_ tenths: Int, at change: Int? = nil, to isUsable: Bool = false) -> String {
            String(
                (0..<tenths).map { tenth in
                    if tenth == change { set(path: isUsable) }
                    while let due = machine.deadline, due <= now { handle(.deadlineReached) }
                    let shown = Banner(banner.status(for: machine.status(at: now), at: now))
                    now = now + .milliseconds(100)
                    if shown.isOffline { return "O" }
                    switch shown.troubles.first {
                    case nil: return "-"
                    case .noInterface?: return "n"
                    case .connecting?: return "c"
                    case _?: return "?"
                    }
                })
        }
    }

    @Test("a path that comes and goes changes it at most every two seconds, and a mode at once")
    func flaps() {
        var till = Till()
        till.set(path: true)
        #expect(till.play(30).hasSuffix("---"))
        // Gone for a tenth of a second: never seen.
        #expect(!till.play(10, at: 0).contains("O"))
        _ = till.play(30, at: 0, to: true)
        var shown = ""
        for _ in 0..<20 {
            shown += till.play(1, at: 0)
            shown += till.play(9, at: 0, to: true)
        }
        let changes = zip(shown, shown.dropFirst()).count { $0 != $1 }
        #expect(changes <= shown.count / 20)
        _ = till.play(30)
        let dark = till.play(60, at: 0)
        #expect(dark.hasPrefix("---n"))
        #expect(dark.hasSuffix("O"))
        #expect(!dark.drop { $0 != "O" }.contains("n"))
    }
}

@Suite("The banner of a degraded connection")
struct DegradedBannerTests {
    private func troubles(
        _ network: NetworkStatus.State, _ reason: ConnectivitySnapshot.Reason,
        _ state: ConnectivitySnapshot.State = .onlineDegraded, last: [Banner.Trouble] = []
    ) -> [Banner.Trouble] {
        let start = Instant(nanoseconds: 0)
        return Banner(
            ModeStatus(
                mode: .online, since: start, causes: [],
                manual: ManualStatus(isOn: false, since: nil, by: nil, reason: nil),
                network: NetworkStatus(
                    state: network, since: start, evidence: [], debounce: .seconds(8), deadline: nil),
                services: [],
                connectivity: ConnectivitySnapshot(
                    state: state, transport: .ethernet, isMetered: false, isConstrained: false,
                    latencyMilliseconds: nil, lastInternetOk: nil, lastBackendOk: nil,
                    captivePortalSuspected: false, reason: reason)), last: last
        ).troubles
    }

    @Test("names a certificate that has ended once, and beside kept connections no fault of the network")
    func certificate() {
        #expect(troubles(.suspect, .tlsError, .localNetworkOnly, last: [.certificateEnded]) == [.certificate])
        #expect(troubles(.reachable, .none, .online, last: [.certificateEnded]) == [.certificateEnded])
    }

    @Test("calls a line slow, and not a hub that does not answer")
    func slow() {
        #expect(troubles(.reachable, .timeout) == [.slow])
        #expect(troubles(.reachable, .connectFail) == [.hubSilent(internetResponds: false)])
        #expect(troubles(.suspect, .timeout) == [], "the countdown names it")
    }
}
