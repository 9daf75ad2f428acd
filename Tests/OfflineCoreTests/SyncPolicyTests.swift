import Testing

@testable import OfflineCore

@Suite("Sync policy")
struct SyncPolicyTests {
    /// A snapshot with the values of the test.
    private func snapshot(
        _ state: ConnectivitySnapshot.State = .online, metered: Bool = false, constrained: Bool = false,
        reason: ConnectivitySnapshot.Reason = .none
    ) -> ConnectivitySnapshot {
        ConnectivitySnapshot(
            state: state, transport: .ethernet, isMetered: metered, isConstrained: constrained,
            latencyMilliseconds: nil, lastInternetOk: nil, lastBackendOk: nil,
            captivePortalSuspected: false, reason: reason)
    }

    private func policy(
        _ snapshot: ConnectivitySnapshot, causes: [OfflineCause] = [], quiet: String = "", at minute: Int = 0,
        battery: Int? = nil
    ) -> SyncPolicy {
        SyncPolicy(
            of: snapshot, causes: causes, settings: PolicySettings(quietHours: QuietHours(quiet)),
            in: Context(minuteOfDay: minute, batteryPercent: battery))
    }

    /// One letter an activity that may run: mutations, catalogue, complete catalogue, attachments, telemetry.
    private func drawn(_ policy: SyncPolicy, isRequested: Bool = false) -> String {
        zip("mcwat", SyncActivity.allCases).map { letter, activity in
            policy.allows(activity, isRequested: isRequested) ? String(letter) : "-"
        }.joined()
    }

    @Test("A good path allows everything, in full batches")
    func good() {
        let policy = policy(snapshot())
        #expect(drawn(policy) == "mcwat")
        #expect(!policy.usesSmallBatches)
    }

    @Test("A slow, metered or constrained path stops large transfers and never a sale")
    func paths() {
        #expect(drawn(policy(snapshot(.onlineDegraded))) == "mc--t")
        #expect(policy(snapshot(.onlineDegraded)).usesSmallBatches)
        #expect(drawn(policy(snapshot(metered: true))) == "mc--t")
        #expect(drawn(policy(snapshot(constrained: true))) == "mc---")
        let throttled = policy(snapshot(constrained: true, reason: .rateLimit))
        #expect(drawn(throttled) == "mc---")
        #expect(throttled.obstacles == [.rateLimit])
    }

    @Test("Nothing is sent where a person, an outage or the hub's refusal forbids it")
    func forbidden() {
        #expect(drawn(policy(snapshot(), causes: [.manual])) == "-----")
        #expect(drawn(policy(snapshot(.localNetworkOnly), causes: [.network])) == "-----")
        #expect(drawn(policy(snapshot(.backendDown), causes: [.service])) == "-----")
        #expect(drawn(policy(snapshot(.authBlocked))) == "-----")
        #expect(policy(snapshot(.authBlocked)).obstacles(to: .mutations) == [.signIn])
    }

    @Test("While the hub was not reached yet, the outbox and the feed may try")
    func connecting() {
        #expect(drawn(policy(snapshot(.localNetworkOnly))) == "mcw--")
        #expect(drawn(policy(snapshot(.offline))) == "mcw--")
    }

    @Test("In quiet hours and on a low battery only the outbox is sent, unless a person requests more")
    func quietAndWeak() {
        let night = policy(snapshot(), quiet: "22:00-06:30", at: 23 * 60)
        #expect(drawn(night) == "m----")
        #expect(drawn(night, isRequested: true) == "mcwat")
        #expect(drawn(policy(snapshot(), battery: 14)) == "m----")
        #expect(drawn(policy(snapshot(), battery: 15)) == "mcwat")
        let both = policy(snapshot(metered: true), battery: 3)
        #expect(both.obstacles(to: .wholeCatalogue) == [.metered, .battery])
        #expect(drawn(both, isRequested: true) == "mc--t")
    }

    @Test(
        "Quiet hours include their first minute and not their last, over midnight too",
        arguments: [
            ("22:00-06:30", 1319, false), ("22:00-06:30", 1320, true), ("22:00-06:30", 0, true),
            ("22:00-06:30", 389, true), ("22:00-06:30", 390, false), ("12:00-13:00", 719, false),
            ("12:00-13:00", 720, true), ("12:00-13:00", 780, false),
        ])
    func quietHours(text: String, minute: Int, isQuiet: Bool) throws {
        #expect(try #require(QuietHours(text)).contains(minuteOfDay: minute) == isQuiet)
    }

    @Test(
        "Quiet hours have the format HH:MM-HH:MM and no other",
        arguments: [
            "", "22:00", "22:00-22:00", "24:00-06:00", "2:00-06:00", "22:00-06:60", "22:00–06:00", "a",
        ])
    func malformed(text: String) {
        #expect(QuietHours(text) == nil)
    }
}
