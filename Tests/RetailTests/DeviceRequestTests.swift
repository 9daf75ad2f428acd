import Base
import HubProtocol
import Retail
import Testing

@Suite("A request to a device beside the commit")
struct DeviceRequestTests {
    private static let origin = DeviceRequest.Origin(kind: .zvt, address: "tcp:m:20007", lastReceipt: 141)
    private static let proof = DeviceProof(reference: "142")
    private let start = Instant(nanoseconds: 0)

    private func request(_ purpose: DeviceRequest.Purpose = .charge) -> DeviceRequest {
        DeviceRequest(purpose, key: "K", chargeKey: "C", amount: 5, currency: "EUR", openedAt: 0)
    }

    /// The effects of each event, which happen at the same moment.
    private func run(
        _ request: inout DeviceRequest, _ events: DeviceRequest.Event...
    ) -> [[DeviceRequest.Effect]] {
        events.map { request.handle($0, at: start) }
    }

    @Test("A charge is on disk as sent, as reported and as charged, and then its sale's")
    func charge() {
        var request = request()
        #expect(
            run(
                &request, .opened(Self.origin), .reported(Self.proof), .ended(.done(Self.proof)), .sold)
                == [[.keep], [.keep], [.keep], [.keep]])
        #expect(request.state == .sold(Self.proof))
    }

    @Test("A charge that is given up before it is known goes back as soon as it is, and no sale takes it")
    func givenUpEarly() {
        let decided = DeviceRequest.Event.decided(isDone: true, text: "142", by: "C1")
        for ending in [.found(.done(Self.proof)), decided] {
            var request = request()
            _ = run(&request, .opened(Self.origin), .ended(.lost(detail: "cut")))
            #expect(run(&request, .givenUp) == [[.keep]])
            #expect(run(&request, ending) == [[.keep, .reverse]])
            #expect(run(&request, .sold) == [[]])
            guard case .voiding = request.state else { Issue.record("\(request.state)"); return }
        }
        var new = request()
        #expect(run(&new, .givenUp) == [[.keep]])
        #expect(new.isAtRest)
    }

    @Test("The hub's payment service undoes a charge by its key, known or not, by an entry of the journal")
    func ofTheHub() {
        let hub = DeviceRequest.Origin(kind: .hub, address: "")
        for known in [DeviceRequest.Event.ended(.lost(detail: "cut")), .ended(.done(Self.proof))] {
            var request = request()
            _ = run(&request, .opened(hub), known)
            #expect(run(&request, .givenUp, .givenUp, .sold) == [[.keep, .recordVoid], [], []])
            #expect(request.state == .voided)
        }
        var sold = request()
        _ = run(&sold, .opened(hub), .ended(.done(Self.proof)), .sold)
        #expect(run(&sold, .givenUp) == [[]])
    }

    @Test("A device that was not reached declines a charge, and leaves a refund to be sent later")
    func notSent() {
        var (charge, refund) = (request(), request(.refund))
        #expect(run(&charge, .ended(.notSent(.unreachable))) == [[]])
        #expect(run(&refund, .ended(.notSent(.unreachable))) == [[]])
        #expect(charge.state == .declined(reason: "unreachable"))
        #expect(refund.state == .intent)
    }

    @Test("A report alone is no charge: after a lost response it is unknown, also for the next process")
    func lost() {
        var request = request()
        #expect(
            run(&request, .opened(Self.origin), .reported(Self.proof), .ended(.lost(detail: "cut")))
                == [[.keep], [.keep], [.keep, .query]])
        #expect(request.isUndecided && request.proof == nil)
        var next = DeviceRequest(
            .charge, key: "K", chargeKey: "K", amount: 5, currency: "EUR", openedAt: 0, state: .sent,
            origin: Self.origin, reported: Self.proof)
        #expect(run(&next, .wanted, .wanted) == [[.keep, .query], [.query]])
        #expect(next.isUndecided && next.proof == nil)
    }

    @Test("After five minutes a device that is away is queried each 30 s")
    func slowPace() {
        var request = request()
        _ = run(&request, .opened(Self.origin), .ended(.lost(detail: "cut")))
        for (seconds, wait) in [(0, 1), (10, 2), (299, 4), (300, 30), (7_200, 30)] as [(Int64, Int64)] {
            let now = start + .seconds(seconds)
            _ = request.handle(.found(.open(detail: "away")), at: now)
            #expect(request.deadline == now + .seconds(wait), "after \(seconds) s")
        }
    }

    @Test("A person says of a charge without a sale, whose device is gone, whether it went back")
    func decidedVoiding() {
        for (isDone, state) in [(true, DeviceRequest.State.voided), (false, .owed(Self.proof, reason: "p"))] {
            var request = request()
            _ = run(&request, .opened(Self.origin), .givenUp, .ended(.done(Self.proof)))
            #expect(request.state == .voiding(Self.proof))
            #expect(run(&request, .decided(isDone: isDone, text: "p", by: "C1")) == [[.keep]])
            #expect(request.state == state && request.decidedPurpose == .reversal)
        }
    }

    @Test("A query that shows nothing is repeated after 1, 2, 4 and 4 s, until one shows the result")
    func pace() {
        var request = request()
        _ = run(&request, .opened(Self.origin), .ended(.lost(detail: "cut")))
        var (now, waits) = (start, [Int64]())
        for _ in 0..<4 {
            #expect(request.handle(.found(.open(detail: "away")), at: now) == [])
            guard let next = request.deadline else { break }
            waits.append((next - now).wholeMilliseconds / 1000)
            #expect(request.handle(.timeAdvanced, at: now) == [])
            now = next
            #expect(request.handle(.timeAdvanced, at: now) == [.query])
        }
        #expect(waits == [1, 2, 4, 4])
        #expect(request.silence(at: now) == .seconds(11))
        #expect(request.handle(.found(.done(Self.proof)), at: now) == [.keep])
        #expect(request.state == .charged(Self.proof) && request.deadline == nil)
    }

    @Test("What gives money back is sent again only after a proof that the first one did nothing")
    func refund() {
        var request = request(.refund)
        _ = run(&request, .opened(Self.origin), .ended(.lost(detail: "cut")))
        #expect(
            run(&request, .opened(Self.origin), .found(.undecidable(detail: "other amount"))) == [[], []])
        #expect(request.isUndecided && request.isForPerson && request.deadline == nil)
        #expect(run(&request, .found(.notDone(reason: "seen before"))) == [[.keep]])
        #expect(request.state == .intent)
    }

    @Test("What a device reported of an attempt that did nothing is not said of the next one")
    func again() {
        var (old, request) = (Self.proof, request(.refund))
        old.approvalCode = "771204"
        _ = run(&request, .opened(Self.origin), .reported(old), .ended(.lost(detail: "cut")))
        _ = run(&request, .found(.notDone(reason: "seen before")), .opened(Self.origin))
        _ = run(&request, .ended(.lost(detail: "cut")), .decided(isDone: true, text: "143", by: "C1"))
        #expect(request.proof?.approvalCode == "" && request.proof?.receipt == 143)
        // The device had no byte of it: what gives money back is sent again.
        var busy = self.request(.refund)
        #expect(run(&busy, .opened(Self.origin), .ended(.notSent(.busy))) == [[.keep], [.keep]])
        #expect(busy.state == .intent)
        var taken = self.request(.refund)
        _ = run(&taken, .opened(Self.origin), .ended(.lost(detail: "cut")))
        #expect(run(&taken, .found(.requested(Self.proof))) == [[.keep]])
        #expect(taken.state == .requested(Self.proof))
    }

    @Test("A person says what became of what the device only took on, once")
    func confirmed() {
        let proof = DeviceProof(reference: "R7")
        for isDone in [true, false] {
            var refund = DeviceRequest(
                .refund, key: "R.K", chargeKey: "K", amount: 5, currency: "EUR", openedAt: 0)
            _ = run(&refund, .opened(Self.origin), .ended(.accepted(proof)))
            #expect(refund.state == .requested(proof))
            #expect(run(&refund, .decided(isDone: isDone, text: "report", by: "C1")) == [[.keep]])
            var decided = proof
            decided.decidedBy = "C1"
            #expect(refund.state == (isDone ? .charged(decided) : .declined(reason: "report")))
            #expect(run(&refund, .decided(isDone: !isDone, text: "again", by: "C1")) == [[]])

            var charge = request()
            _ = run(&charge, .opened(Self.origin), .ended(.done(proof)), .givenUp)
            _ = run(&charge, .reversed(.accepted(proof)))
            #expect(charge.state == .voidRequested(proof))
            #expect(run(&charge, .decided(isDone: isDone, text: "report", by: "C1")) == [[.keep]])
            #expect(charge.state == (isDone ? .voided : .owed(proof, reason: "report")))
            #expect(run(&charge, .decided(isDone: !isDone, text: "again", by: "C1")) == [[]])
        }
    }

    @Test("A person decides what nobody knows, and nothing else")
    func decided() {
        var (charged, declined, known) = (request(), request(), request())
        for place in 0..<2 {
            var request = place == 0 ? charged : declined
            _ = run(&request, .opened(Self.origin), .ended(.lost(detail: "cut")))
            #expect(run(&request, .decided(isDone: place == 0, text: "paper 7", by: "C1")) == [[.keep]])
            if place == 0 { charged = request } else { declined = request }
        }
        #expect(charged.proof?.reference == "paper 7" && charged.proof?.decidedBy == "C1")
        #expect(declined.state == .declined(reason: "paper 7"))
        _ = run(&known, .opened(Self.origin), .ended(.declined(reason: "funds")))
        #expect(run(&known, .decided(isDone: true, text: "paper 7", by: "C1")) == [[]])
        #expect(known.state == .declined(reason: "funds"))
    }

    @Test(
        "A charge without a sale is given back once that is on disk, and what is refused is owed",
        arguments: [
            (DeviceResponse.done(proof), DeviceRequest.State.voided),
            (.accepted(proof), .voidRequested(proof)),
            (.declined(reason: "closed"), .owed(proof, reason: "closed")),
            (.lost(detail: "cut"), .voiding(proof)), (.notSent(.busy), .voiding(proof)),
        ])
    func givenUp(response: DeviceResponse, state: DeviceRequest.State) {
        var request = request()
        _ = run(&request, .opened(Self.origin), .ended(.done(Self.proof)))
        #expect(run(&request, .givenUp).first == [.keep, .reverse])
        #expect(run(&request, .sold) == [[]])
        _ = run(&request, .reversed(response))
        #expect(request.state == state)
    }

    @Test("A token is taken over by its sale before the hub says what became of it")
    func ofToken() {
        let proof = DeviceProof(reference: "k")
        func token(_ events: DeviceRequest.Event...) -> DeviceRequest.State {
            var request = DeviceRequest(
                .charge, key: "k", chargeKey: "k", amount: 5, currency: "EUR", openedAt: 0, state: .intent,
                origin: .init(kind: .token, address: ""), reported: nil)
            for event in events {
                let before = request.state
                let effects = request.handle(event, at: Instant(nanoseconds: 0))
                #expect(effects.contains(.keep) == (request.state != before || event == .givenUp))
            }
            return request.state
        }
        #expect(token(.sold) == .requested(proof))
        #expect(token(.sold, .found(.open(detail: "not yet")), .sold) == .requested(proof))
        #expect(token(.sold, .found(.done(proof))) == .sold(proof))
        #expect(token(.sold, .found(.notDone(reason: "stolen"))) == .declined(reason: "stolen"))
        // The till lost its sale, and the hub has it.
        #expect(token(.found(.done(proof))) == .sold(proof))
        #expect(token(.found(.notDone(reason: "stolen"))) == .declined(reason: "stolen"))
        // What became of it once is not decided again; the sale's void ends all of them.
        #expect(token(.sold, .found(.done(proof)), .found(.notDone(reason: "stolen"))) == .sold(proof))
        #expect(token(.sold, .givenUp) == .voided)
        #expect(token(.sold, .found(.done(proof)), .givenUp) == .voided)
        #expect(token(.sold, .found(.notDone(reason: "stolen")), .givenUp) == .voided)
        #expect(token(.givenUp, .sold) == .voided)
    }

    @Test("A sale's charge is not given back by itself")
    func soldStays() {
        var request = request()
        _ = run(&request, .opened(Self.origin), .ended(.done(Self.proof)), .sold)
        #expect(run(&request, .givenUp, .ended(.declined(reason: "late")), .wanted) == [[], [], []])
        #expect(request.state == .sold(Self.proof))
    }
}
