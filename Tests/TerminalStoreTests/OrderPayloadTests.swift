import HubProtocol
import OfflineCore
import Pricing
import Retail
import Testing

@testable import TerminalStore

@Suite("A sale's payload for the hub and for later readers")
struct OrderPayloadTests {
    private let number: OrderNumber
    private let plain: SaleContent

    init() throws {
        number = OrderNumber(
            storeId: "s", terminalNumber: 1, businessDay: try #require(BusinessDay(number: 20_261_121)),
            counter: 1)
        plain = try StoreFixture.draft(1).content
    }

    private func payload(_ content: SaleContent) throws -> JSONValue {
        try JSONParser.parse(
            OrderPayload.completed(
                content, orderId: "o", orderNumber: number, businessDay: number.businessDay, hubTime: nil
            ).bytes)
    }

    private func offered(memberName: String? = nil) throws -> SaleContent {
        let line = SaleLine(
            sku: "S1", barcode: "1", name: "Tea",
            price: try PricedLine(quantityMilli: 2000, unitPrice: 125, discount: 60, taxBasisPoints: 900),
            offers: [
                .init(promotionId: "P1", name: "三件 \"3\"", coupon: nil, amount: 40),
                .init(promotionId: "P2", name: "", coupon: "A", amount: 10),
            ], discountReason: "old", isCounted: false)
        return SaleContent(
            mode: .online, madeAt: plain.madeAt, timeZone: plain.timeZone, currency: "CNY", cashierId: nil,
            memberId: "M1", memberName: memberName, coupons: ["A"], lines: [line],
            totals: try ReceiptTotals(lines: [line.price]),
            payments: [SalePayment(method: .cash, amount: 190)], cashRounding: 0, change: 0)
    }

    @Test("a sale carries the member's id alone; a name in an older one is still read")
    func memberName() throws {
        let written = try payload(offered(memberName: "Li"))
        #expect(written["memberId"] == "M1")
        #expect(written["memberName"] == nil)
        var older = try #require(written.object)
        older["memberName"] = "Li"
        let read = try OrderPayload.content(of: .object(older), madeAt: plain.madeAt) { _ in false }
        #expect(try read == offered(memberName: "Li"))
    }

    @Test("what was sold by department is read back so, in canonical form")
    func openItem() throws {
        let line = SaleLine(
            sku: "999", barcode: "999", name: "Food",
            price: try PricedLine(quantityMilli: 1000, unitPrice: 190, discount: 0, taxBasisPoints: 900),
            discountReason: nil, isCounted: false, department: "Food \"fresh\"")
        let content = SaleContent(
            mode: .online, madeAt: plain.madeAt, timeZone: plain.timeZone, currency: "CNY", cashierId: nil,
            memberId: nil, coupons: [], lines: [line], totals: try ReceiptTotals(lines: [line.price]),
            payments: [SalePayment(method: .cash, amount: 190)], cashRounding: 0, change: 0)
        let written = try payload(content)
        #expect(written["lines"]?.array?.first?["openItem"] == true)
        let bytes = OrderPayload.completed(
            content, orderId: "o", orderNumber: number, businessDay: number.businessDay, hubTime: nil
        ).bytes
        #expect(written.canonicalText == String(decoding: bytes, as: UTF8.self))
        let read = try OrderPayload.content(of: written, madeAt: plain.madeAt) { _ in false }
        #expect(read == content)
    }

    @Test("shift, points, leases and what a payment carries are read back, in canonical form")
    func laterMembers() throws {
        let line = SaleLine(
            sku: "S1", barcode: "1", name: "Tea",
            price: try PricedLine(quantityMilli: 1000, unitPrice: 200, discount: 15, taxBasisPoints: 900),
            discountReason: nil, isCounted: false, pointsValue: 10)
        let stored = PaymentDetails(
            kind: .wallet, state: .storedOffline, machine: .init(reference: "R1", approvalCode: "A"),
            sealed: .init(keyId: "k", token: "dG9rZW4="), storedAt: plain.madeAt, reference: "V9")
        let content = SaleContent(
            mode: .offline, madeAt: plain.madeAt, timeZone: plain.timeZone, currency: "CNY", cashierId: nil,
            memberId: "M1", coupons: [], lines: [line], totals: try ReceiptTotals(lines: [line.price]),
            payments: [
                SalePayment(
                    method: .card, amount: 100,
                    card: CardApproval(authorizationKey: "K", approvalCode: "", isSimulated: true),
                    details: stored), SalePayment(method: .cash, amount: 85),
            ], cashRounding: 0, change: 0, shiftId: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
            points: SalePoints(earned: 1, spent: 5, value: 10),
            leases: [LeaseUse(leaseId: "L", kind: .points, subject: "M1", amount: 5)])
        #expect(line.ownDiscount == 5)
        let written = try payload(content)
        let bytes = OrderPayload.completed(
            content, orderId: "o", orderNumber: number, businessDay: number.businessDay, hubTime: nil
        ).bytes
        #expect(written.canonicalBytes == bytes)
        #expect(try OrderPayload.content(of: written, madeAt: plain.madeAt) { _ in false } == content)
    }

    @Test("offers are read back as they were written, in canonical form")
    func offers() throws {
        let content = try offered()
        let payload = try payload(content)
        #expect(
            payload["lines"]?.array?.first?["offers"] == [
                ["amount": 40, "coupon": nil, "name": "三件 \"3\"", "promotionId": "P1"],
                ["amount": 10, "coupon": "A", "name": "", "promotionId": "P2"],
            ])
        let bytes = OrderPayload.completed(
            content, orderId: "o", orderNumber: number, businessDay: number.businessDay, hubTime: nil
        ).bytes
        #expect(payload.canonicalBytes == bytes)
        #expect(try OrderPayload.content(of: payload, madeAt: content.madeAt) { _ in false } == content)
    }

    @Test("without them a sale looks as it always did")
    func plainShape() throws {
        let payload = try payload(plain)
        #expect(payload["memberName"] == nil)
        #expect(payload["lines"]?.array?.allSatisfy { $0["offers"] == nil } == true)
    }

    @Test("offers that take more than the line's discount, or nothing, are no sale")
    func corrupt() throws {
        let good = try payload(offered())
        func objection(_ place: String, _ value: JSONValue) throws -> String? {
            var line = try #require(good["lines"]?.array?.first?.object)
            if place == "discount" {
                line["discount"] = value
            } else {
                line["offers"] = [["amount": value, "coupon": nil, "name": "n", "promotionId": "P"]]
            }
            var members = try #require(good.object)
            members["lines"] = [.object(line)]
            do {
                _ = try OrderPayload.content(of: .object(members), madeAt: 0) { _ in false }
                return nil
            } catch {
                return "\(error)"
            }
        }
        #expect(try objection("discount", 50) == nil)
        #expect(try objection("discount", 49)?.contains("offers") == true)
        #expect(try objection("amount", 0)?.contains("amount") == true)
        #expect(try objection("amount", "x")?.contains("amount") == true)
    }
}
