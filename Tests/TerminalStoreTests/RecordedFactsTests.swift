import Base
import HubProtocol
import OfflineCore
import Pricing
import Retail
import TestKit
import Testing

@testable import TerminalStore

@Suite("Facts on record")
struct RecordedFactsTests {
    private static let madeAt: Int64 = 1_795_219_200_000
    private static let hubTime = "2026-11-21T00:00:01.000Z"
    private static let day = BusinessDay(number: 20_261_121)
    private let day: BusinessDay
    private let number: OrderNumber

    init() throws {
        day = try #require(Self.day)
        number = OrderNumber(storeId: "S1", terminalNumber: 1, businessDay: day, counter: 1)
    }

    private static let card = SalePayment(
        method: Settlement.Method("card", isCash: false), amount: 300,
        card: CardApproval(
            authorizationKey: "01ARZ3NDEKTSV4RRFFQ69G5FA1", approvalCode: "A1", isSimulated: true),
        details: PaymentDetails(kind: .card, state: .authorized))
    private static let stored = SalePayment(
        method: Settlement.Method("wallet", isCash: false), amount: 200,
        card: CardApproval(authorizationKey: "01ARZ3NDEKTSV4RRFFQ69G5FA2", approvalCode: ""),
        details: PaymentDetails(
            kind: .wallet, state: .storedOffline,
            machine: .init(reference: "R1", approvalCode: "M", key: "MK"),
            sealed: .init(keyId: "k1", token: "dG9rZW4="), storedAt: madeAt))
    private static let voucher = SalePayment(
        method: Settlement.Method("voucher", isCash: false), amount: 100,
        details: PaymentDetails(kind: .voucher, reference: "V9"))

    private func full() throws -> SaleContent {
        let lines = [
            SaleLine(
                sku: "tea", barcode: "690", name: "Tea \"三\"",
                price: try PricedLine(
                    quantityMilli: 2000, unitPrice: 450, discount: 120, taxBasisPoints: 1300),
                offers: [
                    .init(promotionId: "P1", name: "3 for 2", coupon: nil, amount: 40),
                    .init(promotionId: "P2", name: "", coupon: "A", amount: 10),
                ], listPrice: 500, discountReason: "old", isCounted: true, pointsValue: 30),
            SaleLine(
                sku: "999", barcode: "999", name: "Food",
                price: try PricedLine(quantityMilli: 1000, unitPrice: 190, discount: 0, taxBasisPoints: 900),
                discountReason: nil, isCounted: false, department: "food"),
            SaleLine(
                sku: "ham", barcode: "2001", name: "Ham",
                price: try PricedLine(
                    quantityMilli: 2, unitPrice: 500_000, discount: 251, taxBasisPoints: 900),
                discountReason: nil, isCounted: false, labelRounding: 251),
        ]
        let totals = try ReceiptTotals(lines: lines.map(\.price))
        let cash = totals.total - 600
        return SaleContent(
            mode: .offline, madeAt: Self.madeAt, timeZone: "Asia/Shanghai", currency: "CNY", cashierId: "c1",
            approverId: "m1", memberId: "M1", coupons: ["A", "B"], lines: lines, totals: totals,
            payments: [
                Self.card, Self.stored, Self.voucher,
                SalePayment(method: .cash, amount: cash + 20, details: PaymentDetails(kind: .cash)),
            ], cashRounding: 5, change: 15, shiftId: "01ARZ3NDEKTSV4RRFFQ69G5FAS",
            points: SalePoints(earned: 7, spent: 30, value: 30),
            leases: [
                LeaseUse(leaseId: "L1", kind: .points, subject: "M1", amount: 30),
                LeaseUse(leaseId: "L2", kind: .card, subject: "S1", amount: 200),
            ])
    }

    private func plain() throws -> SaleContent {
        let line = SaleLine(
            sku: "tea", barcode: "690", name: "Tea",
            price: try PricedLine(quantityMilli: 2000, unitPrice: 650, discount: 0, taxBasisPoints: 1300),
            discountReason: nil, isCounted: true)
        return SaleContent(
            mode: .online, madeAt: Self.madeAt, timeZone: "Asia/Shanghai", currency: "CNY", cashierId: nil,
            memberId: nil, coupons: [], lines: [line], totals: try ReceiptTotals(lines: [line.price]),
            payments: [SalePayment(method: .cash, amount: 1300)], cashRounding: 0, change: 0)
    }

    private func sale(_ content: SaleContent) throws -> Sale {
        Sale(
            key: try #require(ULID("01ARZ3NDEKTSV4RRFFQ69G5FAK")), orderId: "01ARZ3NDEKTSV4RRFFQ69G5FAO",
            orderNumber: number, mutationId: "m", content: content, isAcknowledged: false, voidedAt: nil)
    }

    private func completed(_ content: SaleContent, _ hubTime: String? = hubTime) -> CanonicalObject {
        OrderPayload.completed(
            content, orderId: "01ARZ3NDEKTSV4RRFFQ69G5FAO", orderNumber: number, businessDay: day,
            hubTime: hubTime)
    }

    private func voided(_ content: SaleContent, isFull: Bool) throws -> CanonicalObject {
        let entry = VoidEntry(
            mode: .online, madeAt: Self.madeAt, businessDay: day, cashierId: isFull ? "c1" : nil,
            approverId: isFull ? "m1" : nil, reason: isFull ? "wrong \"goods\"" : nil)
        let given = VoidReturns(
            shiftId: "01ARZ3NDEKTSV4RRFFQ69G5FAS",
            points: ReturnedPoints(earnedReturned: 7, spentReturned: 30),
            leases: [LeaseUse(leaseId: "L1", kind: .points, subject: "M1", amount: 30)],
            payments: [Self.card, Self.voucher])
        return OrderPayload.voided(
            try sale(content), entry: entry, businessDay: day, hubTime: isFull ? Self.hubTime : nil,
            given: isFull ? given : VoidReturns())
    }

    private func refunded(_ origin: RefundPayload.Origin, isFull: Bool) throws -> CanonicalObject {
        let line = RefundLine(
            place: 0, sku: "tea", barcode: "690", name: "Tea", quantityMilli: 1000, total: 390,
            taxBasisPoints: 1300)
        let totals = try ReceiptTotals(paid: [(1300, 390)])
        let content = RefundContent(
            mode: .online, madeAt: Self.madeAt, timeZone: "Asia/Shanghai", currency: "CNY",
            cashierId: isFull ? "c1" : nil, approverId: isFull ? "m1" : nil, reason: isFull ? "broken" : nil,
            lines: [line], total: 390, taxes: totals.taxes, cashRounding: isFull ? 10 : 0,
            payments: isFull ? [Self.card, SalePayment(method: .cash, amount: 100)] : nil,
            shiftId: isFull ? "01ARZ3NDEKTSV4RRFFQ69G5FAS" : nil,
            points: isFull ? ReturnedPoints(earnedReturned: 3, spentReturned: 2) : nil)
        return RefundPayload.completed(
            content, id: "01ARZ3NDEKTSV4RRFFQ69G5FAR", of: origin, businessDay: day,
            hubTime: isFull ? Self.hubTime : nil)
    }

    private func shift() throws -> (opening: ShiftOpening, closing: ShiftClosing, move: CashMove) {
        let opening = ShiftOpening(
            shiftId: "01ARZ3NDEKTSV4RRFFQ69G5FAS", businessDay: "2026-11-21", timeZone: "Asia/Shanghai",
            currency: "CNY", openedAt: Self.madeAt, openedBy: "c1", approverId: "m1", float: 20_000)
        let move = CashMove(
            moveId: "01ARZ3NDEKTSV4RRFFQ69G5FAM", shiftId: opening.shiftId, kind: .out, amount: 500,
            currency: "CNY", reason: "milk", cashierId: "c1", approverId: "m1", businessDay: "2026-11-21",
            timeZone: "Asia/Shanghai")
        var tally = ShiftTally()
        for (id, type, text) in [
            ("1", "order.completed", completed(try full())),
            ("2", "refund.completed", try refunded(.init(orderId: "o"), isFull: true)),
        ] {
            tally.add(id: id, type: type, payload: try JSONParser.parse(text.bytes))
        }
        tally.add(id: "3", type: CashMove.type, payload: move.json)
        tally.add(id: "4", type: CashMove.type, payload: [:])
        let closing = ShiftClosing(
            opening: opening, closedAt: Self.madeAt + 1, closedBy: "c2",
            cash: .init(expected: 20_100, counted: 20_000), counted: [.init(method: "voucher", amount: 100)],
            sums: tally.sums, from: 1, to: 5, head: String(repeating: "a", count: 64))
        return (opening, closing, move)
    }

    private func payloads() throws -> [RecordedFacts.Payload] {
        func payload(_ name: String, _ type: String, _ object: CanonicalObject) -> RecordedFacts.Payload {
            .init(name, type, String(decoding: object.bytes, as: UTF8.self))
        }
        let (opening, closing, move) = try shift()
        let code = ReceiptCode(
            terminalId: "T1", orderNumber: "\(number)", soldAt: Self.madeAt, currency: "CNY", total: 1300,
            lines: [.init(barcode: "690", quantityMilli: 2000, amount: 1300)]
        ) { _ in String(repeating: "A", count: 86) + "==" }
        let full = RefundPayload.Origin(orderId: "01ARZ3NDEKTSV4RRFFQ69G5FAO", orderNumber: "\(number)")
        return [
            payload("full", "order.completed", completed(try self.full())),
            payload("plain", "order.completed", completed(try plain(), nil)),
            payload("full", "order.voided", try voided(self.full(), isFull: true)),
            payload("plain", "order.voided", try voided(plain(), isFull: false)),
            payload("full", "refund.completed", try refunded(full, isFull: true)),
            payload("plain", "refund.completed", try refunded(.init(), isFull: false)),
            payload(
                "receipt", "refund.completed",
                try refunded(
                    .init(orderNumber: "\(number)", receiptCode: try #require(code).text), isFull: true)),
            payload(
                "plain", "payment.voided",
                OrderPayload.paymentVoided(
                    authorizationKey: "01ARZ3NDEKTSV4RRFFQ69G5FA1", orderId: "01ARZ3NDEKTSV4RRFFQ69G5FAO",
                    amount: 300, currency: "CNY", reason: "gone")),
            .init("full", ShiftOpening.type, opening.json.canonicalText),
            .init("full", ShiftClosing.type, closing.json.canonicalText),
            .init("full", CashMove.type, move.json.canonicalText),
        ]
    }

    @Test("What a till writes has the bytes on record")
    func bytes() throws {
        let text = try payloads().map { "\($0.name) \($0.type) \($0.text)\n" }.joined()
        #expect(try RecordedFacts.differences(text, from: "payloads.txt") == [])
        for payload in try payloads() {
            #expect(try JSONParser.parse(Array(payload.text.utf8)).canonicalText == payload.text)
        }
    }

    @Test("A till reads what it wrote, and payloads with one wrong member, as it is on record")
    func reading() throws {
        var lines: [String] = []
        for kept in try payloads() where ["order.completed", "refund.completed"].contains(kept.type) {
            let whole = try JSONParser.parse(Array(kept.text.utf8))
            let read = reading(whole, kept.type)
            lines.append("\(kept.name) \(kept.type): \(read.prefix(6))")
            for variant in RecordedFacts.variants(of: whole) {
                let other = reading(variant.payload, kept.type)
                let result =
                    other == read
                    ? "the same"
                    : other.hasPrefix("read")
                        ? "read \(Digest.sha256Hex(Array(other.utf8)).prefix(8))" : other
                lines.append("  \(variant.name): \(result)")
            }
        }
        let text = lines.joined(separator: "\n") + "\n"
        #expect(try RecordedFacts.differences(text, from: "terminal.txt") == [])
    }

    private func reading(_ payload: JSONValue, _ type: String) -> String {
        do {
            return type == "order.completed"
                ? "read \(try OrderPayload.content(of: payload, madeAt: 1) { $0 == 0 })"
                : "read \(try RefundPayload.content(of: payload, madeAt: 1))"
        } catch {
            return "\(error)"
        }
    }
}
