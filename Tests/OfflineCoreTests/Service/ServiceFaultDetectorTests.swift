import OfflineCore
import Testing

@Suite("Service faults, drawn a column a second")
struct ServiceFaultDetectorTests {
    @Test("five failures in a row only raise suspicion while QoS says healthy")
    func healthyWordHoldsEvidence() {
        var timeline = ServiceTimeline(qos: "h")
        #expect(timeline.play("^xxxxxxx.....o..") == "-----ssssssss---")
        #expect(!timeline.detector.causeHolds)
    }

    @Test("while its answer to evidence is fresh, QoS is asked again only at its own pace")
    func evidenceDoesNotHurryQoS() {
        var timeline = ServiceTimeline(qos: "h")
        timeline.pollAfter = .seconds(8)
        _ = timeline.play("^.xxxxxoxxxxxoxxxxx......")
        // The reports of the failures bring QoS's word as well and put the poll off each time.
        #expect(timeline.calls == ["0?", "6?"])
    }

    @Test("a success between failures starts the run anew")
    func successBreaksTheRun() {
        var timeline = ServiceTimeline(qos: "f")
        timeline.qos = Array("h")
        #expect(timeline.play("^xxxxoxxxx") == "----------")
    }

    @Test("QoS's word takes the service away whatever this terminal sees")
    func faultyWordNeedsNoEvidence() {
        // Asked at 0 and, a fifth later than the poll's 5 s, at 6.
        var timeline = ServiceTimeline(qos: "hhhhhhf")
        #expect(timeline.play("^oooooooooooo") == "------FFFFFFF")
        #expect(timeline.detector.causeHolds)
    }

    @Test("a fault of QoS ends by its word and two good canaries, not before")
    func faultEndsByWordAndCanaries() {
        var timeline = ServiceTimeline(qos: "ffffffffffffffffh", canaries: "o")
        #expect(timeline.play("^ooooooooooooooooooooooo") == "FFFFFFFFFFFFFFFFFFFF----")
        #expect(timeline.calls.filter { $0.hasSuffix("!") } == ["20!", "20!"])
        #expect(!timeline.detector.causeHolds)
    }

    @Test("a bad canary starts the trial anew at the poll's pace, the fault holding on")
    func badCanaryStartsAnew() {
        let bad = String(repeating: "x", count: 20)
        var timeline = ServiceTimeline(qos: "fh", canaries: bad + "o")
        #expect(timeline.play("^.........") == "FFFFF~~~~~")
        #expect(timeline.detector.causeHolds)
        #expect(timeline.wait(.seconds(40)) == "-")
        #expect(timeline.calls.filter { $0.hasSuffix("!") }.count == 3)
    }

    @Test("a word that expires unrenewed is tried by two canaries")
    func expiryAndCanaries() {
        var timeline = ServiceTimeline(qos: "f_", canaries: "x")
        timeline.validity = .seconds(12)
        #expect(timeline.play("^.............") == "FFFFFFFFFFFF~~")
        timeline.canaries = ["o"]
        #expect(timeline.wait(.seconds(40)) == "-")
    }

    @Test("two failed questions beside tripped evidence make a local fault")
    func silenceMakesLocalFault() {
        var timeline = ServiceTimeline(qos: "_")
        #expect(timeline.play("^...xxxxx.........") == "--------sssssssFFF")
        #expect(timeline.calls == ["0?", "8?", "12?"])
        #expect(timeline.detector.statuses.first { $0.service == "order" }?.source == .local)
    }

    @Test("ten seconds of silence beside tripped evidence make a local fault too")
    func longSilenceMakesLocalFault() {
        var settings = ServiceSettings()
        settings.failedQueries = 100
        var timeline = ServiceTimeline(qos: "_", settings: settings)
        #expect(timeline.play("^...xxxxx............") == "--------ssssssssssFFF")
    }

    @Test("silence alone makes no fault")
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

    @Test("QoS answering again ends a lease early: its word is followed")
    func answerEndsLease() {
        var well = ServiceTimeline(qos: String(repeating: "_", count: 30) + "h")
        _ = well.play("^xxxxx.......")
        #expect(well.wait(.seconds(45)) == "s")
        #expect(!well.detector.causeHolds)
        var faulty = ServiceTimeline(qos: String(repeating: "_", count: 30) + "f")
        _ = faulty.play("^xxxxx.......")
        #expect(faulty.wait(.seconds(45)) == "F")
        #expect(faulty.detector.statuses.first { $0.service == "order" }?.source == .qos)
    }

    @Test("a person's retry tries a leased service at once")
    func retryTriesLease() {
        var timeline = ServiceTimeline(qos: "_")
        #expect(timeline.play("^xxxxx.......r.") == "-----sssssssF--")
        #expect(timeline.calls.suffix(2) == ["13?", "13!"])
    }

    @Test("the network's loss freezes the poll, and QoS is asked first on its return")
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
