import HubProtocol
import Pricing
import TestKit
import Testing

/// Bytes and readings of the shapes that terminals and the hub exchange beside mutations of sales.
@Suite("Shapes on record")
struct RecordedShapesTests {
    /// A shape as it is written, and what is made of a document of its kind.
    struct Shape {
        let name: String
        let written: JSONValue
        let reading: (JSONValue) throws -> JSONValue

        init(_ name: String, _ written: JSONValue, _ reading: @escaping (JSONValue) throws -> JSONValue) {
            (self.name, self.written, self.reading) = (name, written, reading)
        }
    }

    private static let day = "2026-11-21"
    private static let zone = "Asia/Shanghai"
    private static let moment: Int64 = 1_795_219_200_000
    private static let hash = String(repeating: "a", count: 64)

    private static func opening(isFull: Bool) -> ShiftOpening {
        ShiftOpening(
            shiftId: "S", businessDay: day, timeZone: zone, currency: "CNY", openedAt: moment,
            openedBy: isFull ? "c1" : nil, approverId: isFull ? "m1" : nil, float: 20_000)
    }

    private static func sums(isFull: Bool) -> ShiftSums {
        var tally = ShiftTally()
        guard isFull else { return tally.sums }
        let sale: JSONValue = [
            "orderId": "o", "total": 450, "change": 50, "points": ["earned": 4, "spent": 0, "value": 0],
            "lines": [["taxBasisPoints": 1_300, "total": 450]],
            "payments": [["method": "card", "amount": 100], ["method": "cash", "amount": 400]],
        ]
        tally.add(id: "1", type: CompletedOrder.type, payload: sale)
        tally.add(id: "2", type: CashMove.type, payload: [:])
        let moves: [(CashMove.Kind, Int64)] = [(.in, 30), (.out, 20), (.drop, 10), (.noSale, 0)]
        for (kind, amount) in moves {
            let move = CashMove(
                moveId: "m", shiftId: nil, kind: kind, amount: amount, currency: "CNY", reason: nil,
                cashierId: nil, businessDay: day, timeZone: zone)
            tally.add(id: "3", type: CashMove.type, payload: move.json)
        }
        return tally.sums
    }

    private static func move(isFull: Bool) -> JSONValue {
        CashMove(
            moveId: "M", shiftId: isFull ? "S" : nil, kind: isFull ? .out : .noSale,
            amount: isFull ? 500 : 0, currency: "CNY", reason: isFull ? "milk" : nil,
            cashierId: isFull ? "c1" : nil, approverId: isFull ? "m1" : nil, businessDay: day, timeZone: zone
        ).json
    }

    private static func closing(isFull: Bool) -> JSONValue {
        ShiftClosing(
            opening: opening(isFull: isFull), closedAt: moment + 1, closedBy: isFull ? "c2" : nil,
            closeApproverId: isFull ? "m2" : nil, cash: .init(expected: 20_100, counted: 20_000),
            counted: isFull ? [.init(method: "voucher", amount: 100)] : [], sums: sums(isFull: isFull),
            from: 1, to: 5, head: hash
        ).json
    }

    private static func statement(isFull: Bool) -> JSONValue {
        var statement = ShiftStatement(
            terminalId: "T", epoch: 2, shiftId: "S", from: 7, to: 9, head: hash, received: isFull ? 2 : 3,
            currency: "CNY", sums: sums(isFull: isFull), issuedAt: moment)
        if isFull { (statement.keyId, statement.signature) = ("k1", "c2ln") }
        return statement.json
    }

    private static var shifts: [Shape] {
        [true, false].flatMap { isFull in
            let kind = isFull ? "full" : "plain"
            return [
                Shape("\(kind) \(CashMove.type)", move(isFull: isFull)) { try CashMove(json: $0).json },
                Shape("\(kind) \(ShiftOpening.type)", opening(isFull: isFull).json) {
                    try ShiftOpening(json: $0).json
                },
                Shape("\(kind) \(ShiftClosing.type)", closing(isFull: isFull)) {
                    try ShiftClosing(json: $0).json
                },
                Shape("\(kind) statement", statement(isFull: isFull)) { try ShiftStatement(json: $0).json },
            ]
        }
    }

    private static var refund: ReceiptSale.Refund {
        .init(
            refundId: "R", total: 100, quantities: ["tea": 1_000, "ham": 2],
            place: .init(storeId: "S1", terminalNumber: nil, at: "2026-11-21T00:00:00.000Z"),
            isVoid: true, isReserved: true)
    }

    private static var sales: [Shape] {
        let sale = ReceiptSale(
            orderId: "O", orderNumber: "S1-1-20261121-1", storeId: "S1", total: 450, currency: "CNY",
            isVoided: true,
            lines: [
                .init(
                    sku: "tea", barcode: "690", name: "Tea", quantityMilli: 1_000, total: 450,
                    taxBasisPoints: 1_300)
            ],
            refunds: [
                refund, .init(refundId: "R2", total: 1, quantities: [:]),
                .init(
                    refundId: "R3", total: 2, quantities: [:],
                    place: .init(storeId: "S1", terminalNumber: 3, at: "2026-11-21T00:00:00.000Z")),
            ],
            payments: [
                .init(method: "fx", kind: .cash, amount: 400), .init(method: "house", kind: nil, amount: 50),
            ])
        let plain = ReceiptSale(
            orderId: "O", orderNumber: "N", storeId: "S1", total: 0, currency: "CNY", isVoided: false,
            lines: [], refunds: [])
        var inquiry = RefundInquiry(
            refundId: "R", kind: .refund, sale: .receipt("code"),
            lines: [.init(sku: "tea", quantityMilli: 500)], amount: 225)
        inquiry.date = moment
        let undone = RefundInquiry(refundId: "O", kind: .void, sale: .number("N"), lines: [], amount: 450)
        let decision = RefundDecision(
            .refused, reason: .exceedsSale,
            left: .init(amount: 5, lines: [.init(sku: "tea", quantityMilli: 500)]), returned: [refund])
        var paid = PaymentAuthorization(
            key: "K", orderId: "O", state: .forwardDeclined, amount: 300, currency: "CNY",
            approvalCode: "A1", declineReason: "lost")
        (paid.isSimulated, paid.settledAt) = (true, moment)
        let unpaid = PaymentAuthorization(
            key: "K", orderId: "O", state: .unknown, amount: 300, currency: "CNY", approvalCode: nil,
            declineReason: nil)
        return [
            Shape("full sale", sale.json) { try ReceiptSale(json: $0).json },
            Shape("plain sale", plain.json) { try ReceiptSale(json: $0).json },
            Shape("full inquiry", inquiry.json) { try RefundInquiry(json: $0).json },
            Shape("plain inquiry", undone.json) { try RefundInquiry(json: $0).json },
            Shape("full decision", decision.json) { try RefundDecision(json: $0).json },
            Shape("plain decision", RefundDecision(.granted).json) { try RefundDecision(json: $0).json },
            Shape("full authorization", paid.json) { try PaymentAuthorization(json: $0).json },
            Shape("plain authorization", unpaid.json) { try PaymentAuthorization(json: $0).json },
        ]
    }

    private static var records: [Shape] {
        let lease = LeaseRecord(
            leaseId: "L", kind: .coupon, subject: "d", amount: 3, expiresAt: moment, version: 2, epoch: 1,
            isRecalled: true)
        let plain = LeaseRecord(
            leaseId: "L", kind: .points, subject: "M", amount: 3, expiresAt: moment, version: 2, epoch: 4)
        return [
            Shape("full lease", lease.json) { try LeaseRecord(json: $0).json },
            Shape("plain lease", plain.json) { try LeaseRecord(json: $0).json },
            Shape("leases", LentLeases(leases: [lease, plain], isRecalled: true).json) {
                try LentLeases(json: $0).json
            },
            Shape("no leases", LentLeases(leases: []).json) { try LentLeases(json: $0).json },
            Shape(
                "lease return",
                LeaseReturn(epoch: 1, sequence: 9, leases: [.init(leaseId: "L", spent: 2)]).json
            ) { try LeaseReturn(json: $0).json },
            Shape("lease request", LeaseRequest(kind: .card, subject: "S1", amount: 100, epoch: 1).json) {
                try LeaseRequest(json: $0).json
            },
            Shape(
                "full price",
                PriceRecord(
                    sku: "tea", storeId: "S1", priceMinor: 450, startsAt: moment, endsAt: moment + 1
                ).json
            ) { try PriceRecord(json: $0).json },
            Shape("plain price", PriceRecord(sku: "tea", priceMinor: 450).json) {
                try PriceRecord(json: $0).json
            },
            Shape("stock", StockRecord(sku: "tea", storeId: "S1", stockMilli: -500).json) {
                try StockRecord(json: $0).json
            },
            Shape("terminal key", TerminalKey(terminalId: "T", storeId: "S1", publicKey: "a2V5").json) {
                try TerminalKey(json: $0).json
            },
            Shape(
                "full cashier",
                CashierRecord(id: "c1", name: "C", role: .manager, pinHash: "h", storeId: "S1").json
            ) { try CashierRecord(json: $0).json },
            Shape("plain cashier", CashierRecord(id: "c1", name: "C", role: .cashier, pinHash: "h").json) {
                try CashierRecord(json: $0).json
            },
            Shape(
                "cashier session",
                CashierSession(CashierRecord(id: "c1", name: "C", role: .cashier, pinHash: "h")).json
            ) { try CashierSession(json: $0).json },
        ]
    }

    private static var enrolment: [Shape] {
        let key = HubPublicKey(id: "k1", publicKey: "a2V5", notAfter: "2031-01-01T00:00:00.000Z")
        let next = HubPublicKey(
            id: "k2", publicKey: "a2V5", notAfter: "2031-01-01T00:00:00.000Z", signature: "c2ln")
        let keys = HubKeyList(signing: [next, key], sealing: [])
        func grant(_ keys: HubKeyList?) -> JSONValue {
            EnrolmentGrant(
                terminalId: "T", storeId: "S1", terminalNumber: 1, token: "t",
                tokenExpiresAt: "2026-12-21T00:00:00.000Z", epoch: 1, hubTime: "2026-11-21T00:00:00.000Z",
                hubKeys: keys
            ).json
        }
        let mark = JournalMark(epoch: 1, sequence: 9, hash: hash)
        return [
            Shape(
                "enrolment", EnrolmentRequest(enrolmentCode: "c", name: "Till", publicKey: "a2V5").json
            ) { try EnrolmentRequest(json: $0).json },
            Shape("full grant", grant(keys)) { try EnrolmentGrant(json: $0).json },
            Shape("plain grant", grant(nil)) { try EnrolmentGrant(json: $0).json },
            Shape("readmission", ReadmissionRequest(token: "t", publicKey: "a2V5", name: "Till").json) {
                try ReadmissionRequest(json: $0).json
            },
            Shape("keys", keys.json) { try HubKeyList(json: $0).json },
            Shape(
                "envelope",
                ExportEnvelope(keyId: "k", fingerprint: "f", encapsulatedKey: "e", sealedKey: "s").json
            ) { try ExportEnvelope(json: $0).json },
            Shape("full origin", JournalOrigin(epochStart: 3, journalStart: 1, ends: [mark]).json) {
                try JournalOrigin(json: $0).json
            },
            Shape("plain origin", JournalOrigin(epochStart: 3, journalStart: 1).json) {
                try JournalOrigin(json: $0).json
            },
        ]
    }

    private static var offers: [Shape] {
        let basket = BasketShape(
            memberId: "M", coupons: ["A"], timeZone: zone,
            lines: [.init(sku: "tea", department: "food", quantityMilli: 1_000, unitPrice: 5, discount: 1)])
        let plain = BasketShape(
            memberId: nil, coupons: [],
            lines: [.init(sku: "tea", department: nil, quantityMilli: 1, unitPrice: 0, discount: 0)])
        return [
            Shape("full basket", basket.json) { try BasketShape(json: $0).json },
            Shape("plain basket", plain.json) { try BasketShape(json: $0).json },
        ]
    }

    static var all: [Shape] { shifts + sales + records + enrolment + offers }

    @Test("Each shape has the bytes on record and is read back")
    func bytes() throws {
        let text = Self.all.map { "\($0.name): \($0.written.canonicalText)\n" }.joined()
        #expect(try RecordedFacts.differences(text, from: "shapes.txt") == [])
        for shape in Self.all { #expect(try shape.reading(shape.written) == shape.written, "\(shape.name)") }
    }
    @Test(
        "An inquiry to give back names its sale by a number or by a receipt's code, of which the code counts")
    func saleOfInquiry() throws {
        let inquiry: JSONObject = ["refundId": "R", "kind": "void", "amount": 450]
        #expect(throws: ShapeError.self) { try RefundInquiry(json: .object(inquiry)) }
        for (member, sale) in [
            ("orderNumber", RefundInquiry.Sale.number("N")), ("receiptCode", .receipt("N")),
        ] {
            let read = try RefundInquiry(json: .object(inquiry.merging([member: "N"]) { $1 }))
            #expect(read.sale == sale)
        }
        let both = inquiry.merging(["orderNumber": "N", "receiptCode": "C"]) { $1 }
        #expect(try RefundInquiry(json: .object(both)).sale == .receipt("C"))
    }
}
