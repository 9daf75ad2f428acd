import OfflineCore
import Testing

@Suite("Service faults, one column a second")
struct ServiceFaultDetectorTests {
    @Test("five failures in a row only open a suspicion while QoS reports healthy")
    func healthyWordHoldsEvidence() {
        var timeline = ServiceTimeline(qos: "h")
        #expect(timeline.play("^xxxxxxx.....o..") == "-----ssssssss---")
        #expect(!timeline.detector.causeHolds)
    }

    @Test("while its decision on evidence is valid, QoS is queried again only at its own pace")
    func evidenceDoesNotHurryQoS() {
        var timeline = ServiceTimeline(qos: "h")
        timeline.pollAfter = .seconds(8)
        _ = timeline.play("^.xxxxxoxxxxxoxxxxx......")
        // The responses to reports contain decisions too and postpone the poll each time.
        #expect(timeline.calls == ["0?", "6?"])
    }

    @Test("a success between failures starts a new run")
    func successBreaksTheRun() {
        var timeline = ServiceTimeline(qos: "f")
        timeline.qos = Array("h")
        #expect(timeline.play("^xxxxoxxxx") == "----------")
    }

    @Test("a decision of QoS makes the service faulty whatever this terminal observes")
    func faultyWordNeedsNoEvidence() {
        // Queried at 0 and, a fifth later than the poll's 5 s, at 6.
        var timeline = ServiceTimeline(qos: "hhhhhhf")
        #expect(timeline.play("^oooooooooooo") == "------FFFFFFF")
        #expect(timeline.detector.causeHolds)
    }

    @Test("a fault of QoS ends by its decision and two good canaries, not before")
    func faultEndsByWordAndCanaries() {
        var timeline = ServiceTimeline(qos: "ffffffffffffffffh", canaries: "o")
        #expect(timeline.play("^ooooooooooooooooooooooo") == "FFFFFFFFFFFFFFFFFFFF----")
        #expect(timeline.calls.filter { $0.hasSuffix("!") } == ["20!", "20!"])
        #expect(!timeline.detector.causeHolds)
    }

    @Test("a bad canary starts the trial again at the poll's pace, and the fault stays")
    func badCanaryStartsAnew() {
        let bad = String(repeating: "x", count: 20)
        var timeline = ServiceTimeline(qos: "fh", canaries: bad + "o")
        #expect(timeline.play("^.........") == "FFFFF~~~~~")
        #expect(timeline.detector.causeHolds)
        #expect(timeline.wait(.seconds(40)) == "-")
        #expect(timeline.calls.filter { $0.hasSuffix("!") }.count == 3)
    }

    @Test("a decision that expires is followed by two canaries")
    func expiryAndCanaries() {
        var timeline = ServiceTimeline(qos: "f_", canaries: "x")
        timeline.validity = .seconds(12)
        #expect(timeline.play("^.............") == "FFFFFFFFFFFF~~")
        timeline.canaries = ["o"]
        #expect(timeline.wait(.seconds(40)) == "-")
    }

    @Test("two failed queries with tripped evidence cause a local fault")
    func silenceMakesLocalFault() {
        var timeline = ServiceTimeline(qos: "_")
        #expect(timeline.play("^...xxxxx.........") == "--------sssssssFFF")
        #expect(timeline.calls == ["0?", "8?", "12?"])
        #expect(timeline.detector.statuses.first { $0.service == "order" }?.source == .local)
    }

    @Test("ten seconds of silence with tripped evidence cause a local fault too")
    func longSilenceMakesLocalFault() {
        var settings = ServiceSettings()
        settings.failedQueries = 100
        var timeline = ServiceTimeline(qos: "_", settings: settings)
        #expect(timeline.play("^...xxxxx............") == "--------ssssssssssFFF")
    }

    @Test("silence alone causes no fault")
    func silenceAloneIsNothing() {
        var timeline = ServiceTimeline(qos: "_")
        #expect(timeline.wait(.zero) == "-")
        #expect(timeline.play("^") == "-")
        #expect(timeline.wait(.seconds(3_600)) == "-")
    }

    @Test("a lease ends after 300 s with one good canary")
    func leaseEndsByCanary() {
        var timeline = ServiceTimeline(qos: "_")
        _ = timeline.play("^xxxxx.......")
        #expect(timeline.detector.causeHolds)
        #expect(timeline.wait(.seconds(298)) == "F")
        #expect(timeline.wait(.seconds(2)) == "-")
        #expect(timeline.calls.filter { $0.hasSuffix("!") } == ["312!"])
    }

    @Test("a bad canary renews the lease")
    func badCanaryRenewsLease() {
        var timeline = ServiceTimeline(qos: "_", canaries: "x")
        _ = timeline.play("^xxxxx.......")
        #expect(timeline.wait(.seconds(400)) == "F")
        timeline.canaries = ["o"]
        #expect(timeline.wait(.seconds(250)) == "-")
        #expect(timeline.calls.filter { $0.hasSuffix("!") } == ["312!", "612!"])
    }

    @Test("a response of QoS ends a lease early: its decision is applied")
    func responseEndsLease() {
        var well = ServiceTimeline(qos: String(repeating: "_", count: 30) + "h")
        _ = well.play("^xxxxx.......")
        #expect(well.wait(.seconds(45)) == "s")
        #expect(!well.detector.causeHolds)
        var faulty = ServiceTimeline(qos: String(repeating: "_", count: 30) + "f")
        _ = faulty.play("^xxxxx.......")
        #expect(faulty.wait(.seconds(45)) == "F")
        #expect(faulty.detector.statuses.first { $0.service == "order" }?.source == .qos)
    }

    @Test("a person's retry sends a canary to a leased service at once")
    func retryTriesLease() {
        var timeline = ServiceTimeline(qos: "_")
        #expect(timeline.play("^xxxxx.......r.") == "-----sssssssF--")
        #expect(timeline.calls.suffix(2) == ["13?", "13!"])
    }

    @Test("the network's loss stops the poll, and QoS is queried first on its return")
    func networkLossFreezes() {
        var timeline = ServiceTimeline(qos: "f_", canaries: "o")
        timeline.validity = .seconds(10)
        #expect(timeline.play("^..!") == "FFFF")
        #expect(timeline.detector.deadline == nil)
        #expect(timeline.wait(.seconds(600)) == "F")
        #expect(timeline.play("^....") == "FFF--")
        #expect(timeline.calls == ["0?", "604?", "607!", "607!"])
    }

    @Test("no evidence trips unless the network is reachable; on its return it does")
    func nothingTripsWithoutNetwork() {
        var timeline = ServiceTimeline(qos: "h")
        #expect(timeline.play("xxxxxxx..") == "---------")
        #expect(timeline.calls.isEmpty)
        #expect(timeline.play("^") == "s")
    }
}
