import Base
import HubProtocol
import MachineRuntime
import OfflineMode
import Retail
import Synchronization
import TestKit
import Testing

@Suite("A card machine and what is on disk of it")
struct CardDeviceTests {
    /// A device that answers as the test sets it, and a ledger in memory beside it.
    private final class Device: DeviceAdapter, DeviceLedger {
        struct State {
            var answers: [DeviceResponse] = []
            var findings: [DeviceFinding] = []
            var requests: [String: DeviceRequest] = [:]
            var log: [String] = []
            /// When the device made its ends of day.
            var closings: [Int64] = []
            /// Whether the response to the end of day before was lost, and what the till counts since.
            var mayBeSecond = false
            var counted: Int64?
            /// Of the device that is there, and what the till saw of it behind the charge.
            var machineId = "52000017"
            var later: [Int64] = []
            var isDiskFull = false
            var isUnreadable = false
            /// What a look meets.
            var trouble: DeviceTrouble?
            /// Runs while the disk is read.
            var meanwhile: (@Sendable () async -> Void)?
        }

        let kind = DeviceKind.zvt
        let address = "tcp:m:1"
        /// The newest booking at the device, and the newest that the till made.
        let receipts = Mutex<(shown: Int64?, known: Int64?)>((nil, nil))
        let abilities: Set<DeviceAbility>
        private let state = Mutex(State())

        init(_ abilities: Set<DeviceAbility> = [.remembersLast, .voidsCharge, .refundsUnlinked]) {
            self.abilities = abilities
        }

        func with<Value>(_ body: (inout State) -> sending Value) -> sending Value {
            state.withLock { body(&$0) }
        }

        var log: [String] { with { $0.log } }

        func perform(
            _ request: DeviceRequest, original: DeviceProof?, _ steps: DeviceSteps
        ) async -> DeviceResponse {
            let response = with { $0.answers.isEmpty ? .notSent(.unreachable) : $0.answers.removeFirst() }
            if case .notSent = response { return response }
            let origin = DeviceRequest.Origin(
                kind: kind, address: address, machineId: with { $0.machineId },
                lastReceipt: receipts.withLock(\.shown))
            guard await steps.open(origin) else { return .notSent(.notKept) }
            with { $0.log.append("\(request.purpose.rawValue) \(request.key)") }
            return response
        }

        func find(_ request: DeviceRequest, original: DeviceProof?, silence: Duration) async -> DeviceFinding
        {
            with { $0.findings.isEmpty ? .undecidable(detail: "") : $0.findings.removeFirst() }
        }

        func look(currency: String) async -> DeviceLook {
            var look = DeviceLook(trouble: with { $0.trouble })
            look.last = receipts.withLock(\.shown).map {
                DeviceBooking(receipt: $0, amount: nil, at: nil, isReversal: false, isApproved: true)
            }
            return look
        }
        func closeDay(currency: String) async -> Result<ClosedDeviceDay, DeviceTrouble> {
            .success(with { ClosedDeviceDay(sum: 7, machineId: nil, mayBeSecond: $0.mayBeSecond) })
        }

        func decide(
            _ request: DeviceRequest, isDone: Bool, text: String, by act: DeviceAct
        ) async throws(StorageError) {
            _ = try await keep(request)
            with { $0.log.append("decided \(request.key)") }
        }

        func unconfirmedDecisions() async throws(StorageError) -> [CardDecision] { [] }

        func close(
            _ closing: DeviceRequest, _ figures: DeviceFigures, by act: DeviceAct
        ) async throws(StorageError) {
            _ = try await keep(closing)
        }

        func keep(_ request: DeviceRequest) async throws(StorageError) -> Bool {
            let isFull = with { $0.isDiskFull }
            guard !isFull else { throw .diskFull(path: "/home") }
            with { $0.requests[request.key] = request }
            return true
        }

        func request(_ key: String) async throws(StorageError) -> DeviceRequest? {
            await with { $0.meanwhile }?()
            return with { $0.requests[key] }
        }

        func open() async throws(StorageError) -> [DeviceRequest] {
            let isUnreadable = with { $0.isUnreadable }
            guard !isUnreadable else { throw .unavailable(detail: "read error") }
            return with { $0.requests.values.filter(\.isUndecided) }
        }

        func figures(of device: DevicePlace) async throws(StorageError) -> (sum: Int64, currency: String)? {
            with { $0.counted.map { ($0, "EUR") } }
        }
        func isDayClosed(behind charge: DeviceRequest) async throws(StorageError) -> Bool {
            with { $0.closings.contains { $0 >= charge.openedAt } }
        }
        func receipts(behind charge: DeviceRequest) async throws(StorageError) -> [Int64] {
            with { $0.later }
        }
        func lastReceipt(of device: DevicePlace) async throws(StorageError) -> Int64? {
            receipts.withLock(\.known)
        }
    }

    private static let proof: DeviceProof = {
        var proof = DeviceProof(reference: "142")
        (proof.receipt, proof.machineId) = (142, "52000017")
        return proof
    }()
    private static let act = DeviceAct(
        person: Authorization(cashierId: "C1", approverId: nil), madeAt: 0,
        businessDay: BusinessDay(secondsSince1970: 1_795_780_800))

    private func request(_ key: String) -> DeviceRequest {
        DeviceRequest(.charge, key: key, chargeKey: key, amount: 5, currency: "EUR", openedAt: 0)
    }

    private func card(_ device: Device) -> CardDevice {
        CardDevice(device, ledger: device, time: HandClock())
    }

    @Test("A charge is sent once, whatever is asked of it afterwards")
    func once() async {
        let device = Device()
        device.with { $0.answers = [.done(Self.proof)] }
        let card = card(device)
        for _ in 0..<3 { #expect(await card.charge(request("K")).state == .charged(Self.proof)) }
        let next = self.card(device)
        #expect(await next.charge(request("K")).state == .charged(Self.proof))
        #expect(device.log == ["charge K"])
    }

    @Test(
        "A look at a machine that is at work responds at once, also before its request is sent",
        .timeLimit(.minutes(1)))
    func looks() async {
        let device = Device()
        let card = card(device)
        let troubles = Mutex<[DeviceTrouble?]>([])
        device.with {
            $0.answers = [.done(Self.proof)]
            $0.meanwhile = {
                let look = await card.look()
                troubles.withLock { $0.append(look.trouble) }
            }
        }
        #expect(await card.charge(request("K")).state == .charged(Self.proof))
        #expect(troubles.withLock(\.self) == [.busy])
        #expect(await card.look().trouble == nil)
    }

    @Test("An open result lets no other payment of the machine through, and a person ends it")
    func undecided() async throws {
        let device = Device()
        device.with { $0.answers = [.lost(detail: "cut"), .done(Self.proof)] }
        let card = card(device)
        #expect(await card.charge(request("K")).state == .unknown(detail: "cut"))
        #expect(card.readiness == .undecided)
        #expect(await card.charge(request("L")).trouble == .undecided)
        #expect(
            await card.refund(key: "K", refundId: "R", amount: 5, currency: "EUR", isAttended: true)
                != .refunded)
        #expect(await card.closeDay(by: Self.act) == .failure(.undecided))
        device.with { $0.isDiskFull = true }
        await #expect(throws: StorageError.diskFull(path: "/home")) {
            try await card.decide("K", isDone: false, text: "no paper", by: Self.act)
        }
        device.with { $0.isDiskFull = false }
        #expect(card.readiness == .undecided)
        let decided = try await card.decide("K", isDone: false, text: "no paper", by: Self.act)
        #expect(decided?.state == .declined(reason: "no paper"))
        #expect(try await card.decide("K", isDone: true, text: "late", by: Self.act) == nil)
        #expect(await card.charge(request("K")).state == .declined(reason: "no paper"))
        #expect(await card.charge(request("L")).state == .charged(Self.proof))
        #expect(device.log == ["charge K", "decided K", "charge L"])
    }

    @Test("A person decides about the machine's requests alone", arguments: [DeviceKind.hub, .token])
    func decidesOwn(_ kind: DeviceKind) async throws {
        let device = Device()
        for (key, state) in [
            ("U", .unknown(detail: "cut")), ("R", .requested(Self.proof)), ("S", .sent),
        ] as [(String, DeviceRequest.State)] {
            let request = DeviceRequest(
                .charge, key: key, chargeKey: key, amount: 5, currency: "EUR", openedAt: 0, state: state,
                origin: DeviceRequest.Origin(kind: kind, address: ""), reported: nil)
            device.with { $0.requests[key] = request }
            let card = card(device)
            for isDone in [true, false] {
                #expect(try await card.decide(key, isDone: isDone, text: "no", by: Self.act) == nil)
            }
            #expect(device.with { $0.requests[key]?.state } == state)
        }
    }

    @Test("The paper of what a person decided names them, and no other paper does")
    func decidedBy() async throws {
        let device = Device()
        device.with { $0.answers = [.lost(detail: "cut"), .done(Self.proof)] }
        let card = card(device)
        _ = await card.charge(request("K"))
        _ = try await card.decide("K", isDone: true, text: "143", by: Self.act)
        _ = await card.charge(request("L"))
        #expect(await card.papers(of: "K", in: .english) == [["decided by C1"]])
        #expect(await card.papers(of: "L", in: .english).isEmpty)
    }

    @Test("What a kill left as sent is found by the next process, and given back where no sale has it")
    func restarted() async {
        let device = Device()
        device.with {
            $0.requests["K"] = DeviceRequest(
                .charge, key: "K", chargeKey: "K", amount: 5, currency: "EUR", openedAt: 0, state: .sent,
                origin: .init(kind: .zvt, address: "tcp:m:1"), reported: Self.proof)
            $0.findings = [.done(Self.proof)]
            $0.answers = [.done(Self.proof)]
        }
        let card = card(device)
        #expect(await card.giveBack(key: "K"))
        #expect(device.with { $0.requests["K"]?.state } == .voided)
        #expect(device.log == ["reversal K.V"])
        #expect(await card.giveBack(key: "K"))
        #expect(device.log == ["reversal K.V"])
    }

    @Test("A reversal whose response was lost is not sent again before it is known to have done nothing")
    func lostReversal() async {
        let device = Device()
        device.with {
            $0.answers = [.done(Self.proof), .lost(detail: "cut"), .done(Self.proof)]
            $0.findings = [.open(detail: ""), .open(detail: ""), .notDone(reason: "seen before")]
        }
        let card = card(device)
        _ = await card.charge(request("K"))
        #expect(await card.giveBack(key: "K") == false)
        #expect(await card.giveBack(key: "K") == false)
        #expect(device.log == ["charge K", "reversal K.V"])
        #expect(await card.giveBack(key: "K"))
        #expect(device.log == ["charge K", "reversal K.V", "reversal K.V"])
    }

    @Test("What cannot be read is not at rest, and what cannot be kept is not given back")
    func disk() async {
        let device = Device()
        device.with { ($0.answers, $0.isUnreadable) = ([.done(Self.proof), .done(Self.proof)], true) }
        let card = card(device)
        #expect(await card.giveBack(key: "K") == false)
        #expect(await card.charge(request("K")).trouble == .notKept)
        device.with { $0.isUnreadable = false }
        #expect(await card.giveBack(key: "K"), "nothing was ever sent under it")
        _ = await card.charge(request("K"))
        device.with { $0.isDiskFull = true }
        #expect(await card.giveBack(key: "K") == false)
        #expect(device.log == ["charge K"])
        device.with { $0.isDiskFull = false }
        #expect(await card.giveBack(key: "K"))
        #expect(device.log == ["charge K", "reversal K.V"])
    }

    @Test(
        "A refund waits for a result that it would hide, is decided after a kill, and goes by what links it")
    func hidden() async throws {
        let device = Device()
        device.with { $0.answers = [.done(Self.proof), .lost(detail: "cut")] }
        let card = card(device)
        _ = await card.charge(request("K"))
        _ = await card.charge(request("L"))
        #expect(
            await card.refund(key: "K", refundId: "R", amount: 5, currency: "EUR", isAttended: true)
                == .unknown(detail: "the result of a payment is open"))
        #expect(device.log == ["charge K", "charge L"])
        // The next process decides what this one left as sent.
        let next = Device()
        next.with {
            $0.requests["M"] = DeviceRequest(
                .charge, key: "M", chargeKey: "M", amount: 5, currency: "EUR", openedAt: 0, state: .sent,
                origin: .init(kind: .zvt, address: "tcp:m:1"), reported: nil)
        }
        let decided = try await self.card(next).decide("M", isDone: false, text: "no paper", by: Self.act)
        #expect(decided?.state == .declined(reason: "no paper"))
        // A machine that gives money back to the card of a charge does so for all of it, too.
        let linking = Device([.queriesByKey, .voidsCharge, .refundsLinked, .refundsUnlinked])
        linking.with { $0.answers = [.done(Self.proof), .accepted(Self.proof)] }
        let other = self.card(linking)
        _ = await other.charge(request("K"))
        #expect(
            await other.refund(key: "K", refundId: "R", amount: 5, currency: "EUR", isAttended: true)
                == .requested)
        #expect(linking.log == ["charge K", "refund R.K"])
    }

    @Test(
        "A charge that is given up while another one is at the machine is not sent", .timeLimit(.minutes(1)))
    func givenUpInTheQueue() async {
        let device = Device()
        let (gate, release) = AsyncStream<Void>.makeStream()
        device.with {
            $0.answers = [.done(Self.proof), .done(Self.proof)]
            $0.meanwhile = { for await _ in gate { break } }
        }
        let card = card(device)
        async let first = card.charge(request("K"))
        let second = Task { await card.charge(request("L")) }
        second.cancel()
        release.finish()
        #expect(await first.state == .charged(Self.proof))
        #expect(await second.value.trouble == .busy)
        #expect(device.log == ["charge K"])
    }

    @Test("Nothing is sent that the disk does not have")
    func diskFull() async {
        let device = Device()
        device.with { ($0.answers, $0.isDiskFull) = ([.done(Self.proof)], true) }
        #expect(await card(device).charge(request("K")).trouble == .notKept)
        #expect(device.log == [])
    }

    @Test("A whole refund is a reversal where money cannot be linked, and a new booking after the day's end")
    func refund() async {
        let device = Device()
        device.with {
            $0.answers = [.done(Self.proof), .declined(reason: "closed"), .done(Self.proof)]
        }
        let card = card(device)
        _ = await card.charge(request("K"))
        for _ in 0..<2 {
            #expect(
                await card.refund(key: "K", refundId: "R", amount: 5, currency: "EUR", isAttended: true)
                    == .refunded)
        }
        #expect(device.log == ["charge K", "reversal R.K", "refund R.K.R"])
        #expect(
            await card.refund(key: "unknown", refundId: "R", amount: 5, currency: "EUR", isAttended: true)
                == .refused(reason: "this till has no charge of this machine under the key"))
    }

    @Test("After the till had the device make its end of day, no number of the day before is undone")
    func refundOfYesterday() async {
        let device = Device()
        device.with {
            $0.answers = Array(repeating: .done(Self.proof), count: 4)
            $0.closings = [-1]
        }
        let card = card(device)
        for key in ["K", "L"] { _ = await card.charge(request(key)) }
        #expect(
            await card.refund(key: "K", refundId: "R", amount: 5, currency: "EUR", isAttended: true)
                == .refunded)
        device.with { $0.closings.append(0) }
        #expect(
            await card.refund(key: "L", refundId: "R", amount: 5, currency: "EUR", isAttended: true)
                == .refunded)
        #expect(device.log == ["charge K", "charge L", "reversal R.K", "refund R.L.R"])
    }

    @Test(
        "A number that another booking may have by now is not undone: the money goes back otherwise",
        arguments: [
            ("11111111", [], 142), ("52000017", [142], 142), ("52000017", [143, 1], 1),
            ("52000017", [], 3), ("52000017", [9_999, 142], 142),
        ] as [(String, [Int64], Int64)])
    func anotherBooking(machine: String, later: [Int64], shown: Int64) async {
        let device = Device()
        device.with { $0.answers = Array(repeating: .done(Self.proof), count: 5) }
        let card = card(device)
        for key in ["K", "L"] { _ = await card.charge(request(key)) }
        device.with { ($0.machineId, $0.later) = (machine, later) }
        device.receipts.withLock { $0.shown = shown }
        func refund(isAttended: Bool) async -> MachineRefund {
            await card.refund(
                key: "K", refundId: "R", amount: 5, currency: "EUR", isAttended: isAttended)
        }
        #expect(await refund(isAttended: false) == .needsCard)
        #expect(device.log == ["charge K", "charge L"])
        // The first one is at the machine again: what must not be undone once is not undone later.
        device.with { ($0.machineId, $0.later) = ("52000017", []) }
        #expect(await refund(isAttended: true) == .refunded)
        #expect(device.log == ["charge K", "charge L", "refund R.K.R"])
        // Without a sale it is owed.
        device.with { ($0.machineId, $0.later) = (machine, later) }
        #expect(await card.giveBack(key: "L"))
        guard case .owed = device.with({ $0.requests["L"]?.state }) else {
            Issue.record("\(String(describing: device.with { $0.requests["L"]?.state }))")
            return
        }
        #expect(device.log.count == 3)
    }

    @Test("A number that the machine counted on from is the charge's own, also behind 9999")
    func ownBooking() {
        var proof = Self.proof
        func obstacle(_ receipt: Int64?, _ later: [Int64], shown: Int64?) -> String? {
            proof.receipt = receipt
            let charge = DeviceRequest(
                .charge, key: "K", chargeKey: "K", amount: 5, currency: "EUR", openedAt: 0,
                state: .sold(proof), origin: nil, reported: nil)
            return charge.obstacle(
                toReversalAt: .init(
                    kind: .zvt, address: "", machineId: "52000017", lastReceipt: shown), behind: later)
        }
        #expect(obstacle(142, [143, 150], shown: 151) == nil)
        #expect(obstacle(142, [], shown: nil) == nil)
        #expect(obstacle(9_998, [9_999, 1], shown: 2) == nil)
        #expect(obstacle(nil, [], shown: 142) != nil)
    }

    @Test("Nothing that pays any card is begun without somebody there, and what was lost is followed")
    func unattended() async {
        let device = Device()
        device.with {
            $0.answers = [.done(Self.proof), .notSent(.busy), .lost(detail: "cut"), .done(Self.proof)]
            $0.findings = [.open(detail: ""), .notDone(reason: "seen before")]
        }
        let card = card(device)
        _ = await card.charge(request("K"))
        func part(isAttended: Bool) async -> MachineRefund {
            await card.refund(
                key: "K", refundId: "R", amount: 3, currency: "EUR", isAttended: isAttended)
        }
        for _ in 0..<2 { #expect(await part(isAttended: false) == .needsCard) }
        #expect(await part(isAttended: true) == .needsCard, "a machine that is busy begins nothing later")
        #expect(device.log == ["charge K"])
        guard case .unknown = await part(isAttended: true) else { return #expect(Bool(false)) }
        #expect(await part(isAttended: false) == .needsCard)
        #expect(device.log == ["charge K", "refund R.K"])
        #expect(await part(isAttended: true) == .refunded)
        #expect(device.log == ["charge K", "refund R.K", "refund R.K"])
        // What goes to the card that was charged needs nobody.
        let linking = Device([.queriesByKey, .voidsCharge, .refundsLinked, .refundsUnlinked])
        linking.with { $0.answers = [.done(Self.proof), .done(Self.proof)] }
        let other = self.card(linking)
        _ = await other.charge(request("K"))
        #expect(
            await other.refund(key: "K", refundId: "R", amount: 3, currency: "EUR", isAttended: false)
                == .refunded)
    }

    @Test("What is open of a machine that is gone is a person's, and what it has to give back is owed")
    func former() async throws {
        let device = Device()
        for (key, state) in [
            ("A", .sent), ("B", .unknown(detail: "cut")), ("V", .voiding(Self.proof)),
        ] as [(String, DeviceRequest.State)] {
            let request = DeviceRequest(
                .charge, key: key, chargeKey: key, amount: 5, currency: "EUR", openedAt: 0, state: state,
                origin: .init(kind: .zvt, address: "tcp:m:1"), reported: nil)
            device.with { $0.requests[key] = request }
        }
        let card = CardDevice(FormerCardMachine(), ledger: device, time: HandClock())
        let following = Task { await card.follow() }
        defer { following.cancel() }
        await eventually {
            let open = try? await card.open()
            return open?.filter(\.isForPerson).map(\.key).sorted() == ["A", "B"]
        }
        let declined = try await card.decide("A", isDone: false, text: "no paper", by: Self.act)
        #expect(declined?.state == .declined(reason: "no paper"))
        #expect(try await card.decide("B", isDone: true, text: "143", by: Self.act)?.state.name == "charged")
        #expect(await card.giveBack(key: "B"))
        #expect(device.with { $0.requests["B"]?.state.name } == "owed")
        let voiding = try await card.decide("V", isDone: false, text: "no paper", by: Self.act)
        #expect(voiding?.state == .owed(Self.proof, reason: "no paper"))
        #expect(try await card.decide("V", isDone: true, text: "143", by: Self.act) == nil)
        #expect(device.log == ["decided A", "decided B", "decided V"])
    }

    @Test("A charge that is given back is decided by nobody while its machine is there")
    func decidedByMachine() async throws {
        let device = Device()
        let card = card(device)
        device.with {
            $0.requests["V"] = DeviceRequest(
                .charge, key: "V", chargeKey: "V", amount: 5, currency: "EUR", openedAt: 0,
                state: .voiding(Self.proof), origin: .init(kind: .zvt, address: "tcp:m:1"), reported: nil)
        }
        #expect(try await card.decide("V", isDone: false, text: "no paper", by: Self.act) == nil)
        #expect(device.with { $0.requests["V"]?.state } == .voiding(Self.proof))
    }

    @Test(
        "What no sale takes is owed with the decision that the gone machine charged it, and its reversal ends"
    )
    func decidedGivenUp() async throws {
        let device = Device()
        let origin = DeviceRequest.Origin(kind: .zvt, address: "tcp:m:1")
        device.with {
            $0.requests["B"] = DeviceRequest(
                .charge, key: "B", chargeKey: "B", amount: 5, currency: "EUR", openedAt: 0,
                state: .unknown(detail: "cut"), origin: origin, reported: nil, isGivenUp: true)
            $0.requests["V"] = DeviceRequest(
                .charge, key: "V", chargeKey: "V", amount: 5, currency: "EUR", openedAt: 0,
                state: .voiding(Self.proof), origin: origin, reported: nil)
            $0.requests["V.V"] = DeviceRequest(
                .reversal, key: "V.V", chargeKey: "V", amount: 5, currency: "EUR", openedAt: 0,
                state: .unknown(detail: "cut"), origin: origin, reported: nil)
        }
        let card = CardDevice(FormerCardMachine(), ledger: device, time: HandClock())
        #expect(try await card.decide("B", isDone: true, text: "143", by: Self.act)?.state.name == "owed")
        #expect(try await card.decide("V", isDone: true, text: "144", by: Self.act)?.state == .voided)
        #expect(device.with { $0.requests["V.V"]?.state.name } == "charged")
        #expect(try await card.open().isEmpty)
    }

    @Test("A sum behind an end of day that was lost is compared only where both agree")
    func secondClosing() async throws {
        let device = Device()
        let card = card(device)
        for (mayBeSecond, till, shown, second) in [
            (false, 9, 7, nil), (true, 9, nil, 7), (true, 7, 7, nil),
        ] as [(Bool, Int64, Int64?, Int64?)] {
            device.with { ($0.mayBeSecond, $0.counted) = (mayBeSecond, till) }
            let figures = try await card.closeDay(by: Self.act).get()
            #expect(figures.device == shown && figures.secondSum == second && figures.till == till)
        }
    }

    @Test("A booking of somebody else is named until the till's own is the newest, and stops nothing")
    func foreign() async throws {
        let device = Device()
        device.receipts.withLock { $0 = (143, nil) }
        let card = card(device)
        #expect(try await card.isForeign(card.look()), "a new till made none of them")
        device.receipts.withLock { $0 = (143, 142) }
        #expect(try await card.isForeign(card.look()))
        #expect(card.foreignReceipt == 143)
        device.receipts.withLock { $0 = (142, 142) }
        #expect(try await !card.isForeign(card.look()))
        #expect(card.foreignReceipt == nil)
        // One that nobody has looked at is seen before the payment.
        device.receipts.withLock { $0 = (144, 142) }
        device.with { $0.answers = [.lost(detail: "cut"), .done(Self.proof)] }
        _ = await card.charge(request("K"))
        #expect(card.foreignReceipt == 144)
        // While a result is open nothing is said: the booking may be its own.
        #expect(try await !card.isForeign(card.look()))
        _ = try await card.decide("K", isDone: false, text: "no paper", by: Self.act)
        #expect(await card.charge(request("L")).state == .charged(Self.proof))
        #expect(card.foreignReceipt == nil)
    }

    @Test("A machine that was not reached counts as away for half a minute")
    func away() async {
        let device = Device()
        let clock = HandClock()
        let card = CardDevice(device, ledger: device, time: clock)
        #expect(card.readiness == .ready)
        #expect(await card.charge(request("K")).trouble == .unreachable)
        #expect(card.readiness == .away)
        clock.advance(by: .seconds(30))
        #expect(card.readiness == .ready)
        #expect(device.with { $0.requests } == [:])
    }

    @Test("A machine that refused this till, or was busy with another, says so, also to a look")
    func passed() async {
        let device = Device()
        let clock = HandClock()
        let card = CardDevice(device, ledger: device, time: clock)
        device.with { $0.answers = [.notSent(.refused), .notSent(.busy), .notSent(.notKept)] }
        for readiness: MachineReadiness in [.refused, .busy, .ready] {
            _ = await card.charge(request("K\(readiness)"))
            #expect(card.readiness == readiness)
        }
        device.with { $0.trouble = .busy }
        _ = await card.look()
        clock.advance(by: .seconds(5))
        #expect(card.readiness == .ready)
        for (trouble, readiness) in [
            (.refused, .refused), (nil, .ready), (.unreachable, .away), (.busy, .busy), (nil, .ready),
        ] as [(DeviceTrouble?, MachineReadiness)] {
            device.with { $0.trouble = trouble }
            _ = await card.look()
            #expect(card.readiness == readiness)
        }
        device.with { $0.trouble = .refused }
        _ = await card.look()
        clock.advance(by: .seconds(30))
        #expect(card.readiness == .ready)
    }
}
