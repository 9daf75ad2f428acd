import HubProtocol
import OfflineMode
import Retail
import Testing

@testable import TerminalStore

@Suite("Requests of devices on disk")
struct DeviceRequestsOnDiskTests {
    private static let address = "tcp:10.0.0.2:20007"
    private static let place = DevicePlace(address: address, machineId: nil)
    private static let origin = DeviceRequest.Origin(
        kind: .zvt, address: address, machineId: "52000017", lastReceipt: 141, lastMoment: "1125 140532")

    private static let proof: DeviceProof = {
        var proof = DeviceProof(reference: "142")
        proof.approvalCode = "771204"
        proof.machineId = "52000017"
        proof.receipt = 142
        (proof.brand, proof.last4) = ("MASTERCARD", "4111")
        (proof.isOffline, proof.isSimulated, proof.decidedBy) = (true, true, "C1")
        (proof.customerPaper, proof.merchantPaper) = (["TOTAL", "23,47"], ["SIGN"])
        return proof
    }()

    private func request(
        _ key: String, _ state: DeviceRequest.State, _ purpose: DeviceRequest.Purpose = .charge,
        amount: Int64 = 656, at openedAt: Int64 = StoreFixture.noon
    ) -> DeviceRequest {
        DeviceRequest(
            purpose, key: key, chargeKey: "C", amount: amount, currency: "CNY", openedAt: openedAt,
            state: state, origin: Self.origin, reported: nil)
    }

    @Test("are the same after a crash, in every state, and the open ones are listed")
    func states() async throws {
        let store = try await StoreFixture()
        let requests = SQLiteDeviceRequests(store.database)
        let proof = Self.proof
        let states: [DeviceRequest.State] = [
            .intent, .sent, .unknown(detail: "cut"), .charged(proof), .requested(proof),
            .declined(reason: "funds"), .sold(proof), .voiding(proof), .voided, .voidRequested(proof),
            .owed(proof, reason: "closed"),
        ]
        for (number, state) in states.enumerated() {
            try await requests.keep(request("K\(number)", state))
        }
        let copy = try store.home.copy(["terminal.sqlite", "terminal.sqlite-wal", "high-water.json"])
        let again = SQLiteDeviceRequests(try await StoreFixture(home: copy, enrolled: false).database)
        for (number, state) in states.enumerated() {
            let found = try await again.request("K\(number)")
            #expect(found?.state == state)
            #expect(found?.origin == Self.origin)
        }
        #expect(try await again.open().map(\.key) == ["K1", "K2", "K4", "K7", "K9"])
        #expect(try await again.request("K99") == nil)
    }

    @Test("of a charge become its sale's in the transaction of the sale")
    func sold() async throws {
        let store = try await StoreFixture()
        let requests = SQLiteDeviceRequests(store.database)
        let intent = try await SQLiteCardIntents(store.database).open(
            CardRequest(
                saleKey: StoreFixture.key(1), orderId: nil, method: "card", amount: 656, currency: "CNY",
                channel: .machine), at: StoreFixture.noon)
        let charged = request(intent.key, .charged(Self.proof))
        try await requests.keep(charged)
        var draft = try StoreFixture.draft(1, orderId: intent.orderId)
        draft.charges = [charged]
        _ = try await store.ledger.commit(draft)
        #expect(try await requests.request(intent.key)?.state == .sold(Self.proof))
        // What has ended stays.
        #expect(try await !requests.keep(request(intent.key, .voiding(Self.proof))))
        #expect(try await requests.request(intent.key)?.state == .sold(Self.proof))
    }

    @Test("that were only taken on count, a report alone is no booking, and the newest is the one kept last")
    func newest() async throws {
        let store = try await StoreFixture()
        let requests = SQLiteDeviceRequests(store.database)
        try await requests.keep(request("A", .sold(Self.proof), amount: 500))
        try await requests.keep(request("B", .requested(Self.proof), .refund, amount: 200))
        #expect(try await requests.figures(of: Self.place)?.sum == 300)
        var proof = Self.proof
        for (place, number) in [9_999, 1].enumerated() {
            proof.receipt = Int64(number)
            try await requests.keep(request("C\(place)", .charged(proof), at: StoreFixture.noon + 2))
        }
        #expect(try await requests.lastReceipt(of: Self.place) == 1)
        proof.receipt = 2
        let reported = DeviceRequest(
            .charge, key: "D", chargeKey: "D", amount: 5, currency: "CNY", openedAt: StoreFixture.noon,
            state: .sent, origin: Self.origin, reported: proof, isGivenUp: true)
        try await requests.keep(reported)
        #expect(try await requests.lastReceipt(of: Self.place) == 1)
        // What becomes of an older booking later makes it no newer.
        proof.receipt = 9_999
        try await requests.keep(request("C0", .sold(proof), at: StoreFixture.noon + 2))
        #expect(try await requests.lastReceipt(of: Self.place) == 1)
        #expect(try await requests.request("D") == reported)
    }

    @Test("of a void are decided with their charge")
    func decidedVoid() async throws {
        let store = try await StoreFixture()
        let requests = SQLiteDeviceRequests(store.database)
        let act = DeviceAct(
            person: Authorization(cashierId: "C1", approverId: "M1"), madeAt: StoreFixture.noon,
            businessDay: BusinessDay(secondsSince1970: 1_795_780_800))
        for isDone in [true, false] {
            let key = isDone ? "K" : "L"
            try await requests.keep(request(key, .voidRequested(Self.proof)))
            try await requests.keep(request(key + ".V", .requested(Self.proof), .reversal))
            try await requests.decide(
                request(key, isDone ? .voided : .owed(Self.proof, reason: "not in the report")),
                isDone: isDone, text: "report 1", by: act)
            let reversal = try await requests.request(key + ".V")?.state
            #expect(reversal?.name == (isDone ? "charged" : "declined"))
        }
    }

    @Test("that the shop owes are among what card machines have to give back")
    func owed() async throws {
        let store = try await StoreFixture()
        let intent = try await SQLiteCardIntents(store.database).open(
            CardRequest(
                saleKey: StoreFixture.key(1), orderId: nil, method: "card", amount: 656, currency: "CNY",
                channel: .machine), at: StoreFixture.noon)
        let requests = SQLiteDeviceRequests(store.database)
        for _ in 0..<2 { try await requests.keep(request(intent.key, .owed(Self.proof, reason: "closed"))) }
        let open = try await SQLiteCardReturns(store.database).open()
        #expect(open.map(\.state) == [.refused(reason: "closed")])
        #expect(open.map(\.refundId) == [intent.orderId] && open.map(\.amount) == [656])
    }

    @Test(
        "whose void was only taken on are among what card machines have to give back, until a person ends it")
    func voidRequested() async throws {
        let act = DeviceAct(
            person: Authorization(cashierId: "C1", approverId: "M1"), madeAt: StoreFixture.noon,
            businessDay: BusinessDay(secondsSince1970: 1_795_780_800))
        for isDone in [true, false] {
            let store = try await StoreFixture()
            let intent = try await SQLiteCardIntents(store.database).open(
                CardRequest(
                    saleKey: StoreFixture.key(1), orderId: nil, method: "card", amount: 656, currency: "CNY",
                    channel: .machine), at: StoreFixture.noon)
            let (requests, returns) = (
                SQLiteDeviceRequests(store.database), SQLiteCardReturns(store.database)
            )
            try await requests.keep(request(intent.key, .voidRequested(Self.proof)))
            #expect(try await returns.open().map(\.state) == [.requested])
            let end: DeviceRequest.State = isDone ? .voided : .owed(Self.proof, reason: "not in the report")
            try await requests.decide(
                request(intent.key, end), isDone: isDone, text: "not in the report", by: act)
            #expect(
                try await returns.returns(of: intent.orderId).map(\.state)
                    == [isDone ? .returned : .refused(reason: "not in the report")])
        }
    }

    @Test("the numbers behind a charge are those of its machine, in their order")
    func behind() async throws {
        let store = try await StoreFixture()
        let requests = SQLiteDeviceRequests(store.database)
        var proof = Self.proof
        func keep(_ key: String, _ receipt: Int64, at machine: String?, _ address: String) async throws {
            proof.receipt = receipt
            try await requests.keep(
                DeviceRequest(
                    .charge, key: key, chargeKey: key, amount: 5, currency: "CNY",
                    openedAt: StoreFixture.noon, state: .charged(proof),
                    origin: .init(kind: .zvt, address: address, machineId: machine), reported: nil))
        }
        try await keep("Z", 141, at: "52000017", Self.address)
        try await keep("A", 142, at: "52000017", Self.address)
        try await keep("B", 7, at: "11111111", Self.address)
        try await keep("D", 143, at: "52000017", "tcp:other:1")
        try await keep("C", 1, at: nil, Self.address)
        let charge = try #require(try await requests.request("A"))
        #expect(try await requests.receipts(behind: charge) == [143, 1])
    }

    @Test("that a person decided, and ends of day, are in the journal in the same transaction")
    func entries() async throws {
        let store = try await StoreFixture()
        let requests = SQLiteDeviceRequests(store.database)
        let act = DeviceAct(
            person: Authorization(cashierId: "C1", approverId: "M1"), madeAt: StoreFixture.noon,
            businessDay: BusinessDay(secondsSince1970: 1_795_780_800))
        try await requests.decide(
            request("K", .declined(reason: "no paper")), isDone: false, text: "no paper", by: act)
        #expect(try await requests.request("K")?.state == .declined(reason: "no paper"))
        let decided = try #require(try await payload(store, CardDecision.type))
        #expect(decided["key"] == "K" && decided["verdict"] == "notCharged" && decided["amount"] == 656)
        #expect(decided["reason"] == "no paper" && decided["approverId"] == "M1")
        #expect(decided["purpose"] == "charge")
        try await requests.decide(
            request("V", .owed(Self.proof, reason: "not there")), isDone: false, text: "not there", by: act)
        #expect(try await requests.unconfirmedDecisions().map(\.purpose) == [.charge, .reversal])
        try await requests.close(
            .closing(key: "closing.1", sum: 300, currency: "CNY", origin: Self.origin, at: StoreFixture.noon),
            DeviceFigures(device: 300, till: 299, currency: "CNY"), by: act)
        let closed = try #require(try await payload(store, CardDayClosing.type))
        #expect(closed["machine"] == 300 && closed["till"] == 299 && closed["machineId"] == "52000017")
        // Until the figures agree.
        #expect(try await requests.unconfirmedDecisions().count == 2)
        try await requests.close(
            .closing(key: "closing.2", sum: 300, currency: "CNY", origin: Self.origin, at: StoreFixture.noon),
            DeviceFigures(device: 300, till: 300, currency: "CNY"), by: act)
        #expect(try await requests.unconfirmedDecisions().isEmpty)
    }

    private func payload(_ store: StoreFixture, _ type: String) async throws -> JSONValue? {
        try await SQLiteOutbox(store.database).pending(after: 0, limit: 20)
            .first { $0.type == type }
            .map { try Mutation(json: JSONParser.parse($0.body)).payload }
    }

    @Test("have a sum since the device's last end of day, and its newest booking")
    func figures() async throws {
        let store = try await StoreFixture()
        let requests = SQLiteDeviceRequests(store.database)
        let device = DevicePlace(address: Self.address, machineId: "52000017")
        #expect(try await requests.figures(of: device) == nil)
        #expect(try await requests.lastReceipt(of: device) == nil)
        let sold = request("A", .sold(Self.proof), amount: 500)
        try await requests.keep(sold)
        try await requests.keep(request("B", .declined(reason: "funds"), amount: 70))
        try await requests.keep(request("C", .charged(Self.proof), .refund, amount: 200))
        // The same machine under another address, one that has not said its id, and two others.
        let places = [
            ("tcp:other:1", "52000017"), (Self.address, nil), (Self.address, "2"), ("tcp:other:1", nil),
        ].map { DevicePlace(address: $0.0, machineId: $0.1) }
        for place in places.prefix(2) {
            #expect(try await requests.figures(of: place)?.sum == 300)
            #expect(try await requests.lastReceipt(of: place) == 142)
        }
        for place in places.dropFirst(2) {
            #expect(try await requests.figures(of: place) == nil)
            #expect(try await requests.lastReceipt(of: place) == nil)
        }
        #expect(try await !requests.isDayClosed(behind: sold))
        // The clock was set back meanwhile.
        try await requests.keep(
            .closing(
                key: "closing.1", sum: 300, currency: "CNY", origin: Self.origin, at: StoreFixture.noon - 9))
        #expect(try await requests.figures(of: device) == nil)
        #expect(try await requests.isDayClosed(behind: sold))
        let next = request("D", .sold(Self.proof), amount: 9, at: StoreFixture.noon - 8)
        try await requests.keep(next)
        #expect(try await requests.figures(of: places[0])?.sum == 9)
        #expect(try await !requests.isDayClosed(behind: next))
        // What was charged before an end of day and is void behind it is none of the next day's.
        try await requests.keep(request("E", .charged(Self.proof), amount: 40))
        #expect(try await requests.figures(of: device)?.sum == 49)
        try await requests.keep(
            .closing(
                key: "closing.2", sum: 49, currency: "CNY", origin: Self.origin, at: StoreFixture.noon))
        try await requests.keep(request("E", .voided, amount: 40))
        #expect(try await requests.figures(of: device) == nil)
    }
}
