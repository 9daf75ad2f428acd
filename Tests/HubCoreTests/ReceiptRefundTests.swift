import Crypto
import Foundation
import HubProtocol
import Testing

@testable import HubCore

@Suite("A refund by the code of a receipt")
struct ReceiptRefundTests {
    private static let key = Curve25519.Signing.PrivateKey()
    private static let signer = ReceiptSigner(
        storeId: "S1", number: 1, publicKey: key.publicKey.rawRepresentation.base64EncodedString())

    /// Two pieces of tea for 1000 and a pot for 500.
    private static func code(signed: Bool = true) throws -> ReceiptCode {
        try #require(
            ReceiptCode(
                terminalId: "T1", orderNumber: "S1-1-19700101-0001", soldAt: 1, currency: "CNY", total: 1500,
                lines: [
                    .init(barcode: "111", quantityMilli: 2000, amount: 1000),
                    .init(barcode: "222", quantityMilli: 1000, amount: 500),
                ]
            ) { bytes in
                let key = signed ? key : Curve25519.Signing.PrivateKey()
                return try? key.signature(for: bytes).base64EncodedString()
            })
    }

    private static func order(
        voided: Bool = false, sold: Bool = true, refunds: [(id: String, total: Int64, tea: Int64)] = []
    ) -> RefundableOrder {
        let document: JSONValue = [
            "payload": [
                "orderId": "O1", "orderNumber": "S1-1-19700101-0001", "total": 1500, "currency": "CNY",
                "lines": [
                    ["sku": "tea", "quantityMilli": 2000, "unitPrice": 500],
                    ["sku": "pot", "quantityMilli": 1000, "unitPrice": 500],
                ],
            ]
        ]
        return RefundableOrder(
            sold ? "O1" : nil, of: sold ? "T1" : nil,
            sold
                ? OrderState(
                    key: "o", terminalId: "T1", mutationId: "M1", voidedBy: voided ? "M2" : nil, storeId: "S1"
                )
                : nil,
            document: sold ? document : .null, moved: .all,
            returned: refunds.map {
                ReturnedPart(
                    refundId: $0.id, facts: RefundFacts(total: $0.total, quantities: ["tea": $0.tea]))
            })
    }

    private func flags(
        _ refund: RefundFacts, of order: RefundableOrder = order(), signed: Bool = true
    ) throws -> Set<IntakeFlag> {
        ReceiptRefund(try Self.code(signed: signed), signer: Self.signer, seller: Self.signer, order: order)
            .flags(of: refund)
    }

    private let one = RefundFacts(total: 500, quantities: ["tea": 1000])

    @Test("A refund within the sale has no flag; before the sale arrives it is unmatched")
    func within() throws {
        #expect(try flags(one) == [])
        #expect(try flags(one, of: Self.order(refunds: [("R1", 500, 1000)])) == [])
        #expect(try flags(one, of: Self.order(sold: false)) == [.refundUnmatched])
    }

    @Test("A code that its terminal did not sign proves no sale, whatever else agrees")
    func unsigned() throws {
        #expect(try flags(one, signed: false) == [.refundUnmatched])
        #expect(try flags(one, of: Self.order(sold: false), signed: false) == [.refundUnmatched])
        let unknown = ReceiptRefund(try Self.code(), signer: nil, seller: nil, order: Self.order(sold: false))
        #expect(unknown.flags(of: one) == [.refundUnmatched])
        // A terminal's own signature under the number of another's sale.
        let other = ReceiptSigner(storeId: "S1", number: 2, publicKey: "another key")
        let borrowed = ReceiptRefund(
            try Self.code(), signer: Self.signer, seller: other, order: Self.order())
        #expect(!borrowed.isSigned && borrowed.flags(of: one) == [.refundUnmatched, .receiptCodeForeign])
    }

    @Test(
        "Before the sale arrives a code counts only for the signer's own store and number",
        arguments: [("S1", 2), ("S2", 1), ("S", 1), ("S1-1", 1)] as [(String, Int64)])
    func ahead(store: String, number: Int64) throws {
        let signer = ReceiptSigner(storeId: store, number: number, publicKey: Self.signer.publicKey)
        let receipt = ReceiptRefund(
            try Self.code(), signer: signer, seller: nil, order: Self.order(sold: false))
        #expect(!receipt.isSigned && receipt.orderNumber == nil && receipt.orderId == "")
        #expect(receipt.flags(of: one) == [.refundUnmatched, .receiptCodeForeign])
        let line: JSONValue = ["sku": "tea", "barcode": "111", "quantityMilli": 1000]
        #expect(receipt.goods(of: CompletedRefund(shown: ["lines": [line]])) == [:])
    }

    @Test("A device that enrolled again signs under its new number about what it sold under the old one")
    func enrolledAgain() throws {
        let signer = ReceiptSigner(storeId: "S1", number: 7, publicKey: Self.signer.publicKey)
        let receipt = ReceiptRefund(
            try Self.code(), signer: signer, seller: Self.signer, order: Self.order())
        #expect(receipt.isSigned && receipt.flags(of: one) == [])
    }

    @Test("More than the sale by itself exceeds it, more with earlier ones repeats")
    func tooMuch() throws {
        let large = RefundFacts(total: 1501, quantities: [:])
        #expect(try flags(large) == [.refundExceedsSale])
        #expect(try flags(large, of: Self.order(sold: false)) == [.refundUnmatched, .refundExceedsSale])
        let many = RefundFacts(total: 1, quantities: ["tea": 2001])
        #expect(try flags(many) == [.refundExceedsSale])
        let twice = Self.order(refunds: [("R1", 1000, 2000)])
        #expect(try flags(one, of: twice) == [.refundRepeated])
        let before = Self.order(sold: false, refunds: [("R1", 1200, 0)])
        #expect(try flags(one, of: before) == [.refundUnmatched, .refundRepeated])
        #expect(try flags(one, of: Self.order(voided: true)) == [.refundRepeated])
    }

    @Test("Stock comes back as the sale took it, before the sale as the signed code lists it")
    func goods() throws {
        let payload: JSONValue = [
            "lines": [
                ["sku": "tea", "barcode": "111", "quantityMilli": 1000],
                ["sku": "gold", "barcode": "999", "quantityMilli": 1000],
            ]
        ]
        func goods(_ order: RefundableOrder, signed: Bool = true) throws -> [String: Int64] {
            ReceiptRefund(
                try Self.code(signed: signed), signer: Self.signer, seller: Self.signer, order: order
            )
            .goods(of: CompletedRefund(shown: payload))
        }
        #expect(try goods(Self.order()) == ["tea": 2000, "pot": 1000])
        #expect(try goods(Self.order(sold: false)) == ["tea": 2000])
        #expect(try goods(Self.order(sold: false), signed: false) == [:])
    }

    @Test("A payload names its sale by the receipt's code, or else by the order's id")
    func named() throws {
        let code = try Self.code()
        func sale(_ payload: JSONValue) throws -> RefundedSale {
            try RefundedSale(of: CompletedRefund(json: payload))
        }
        #expect(try sale(["orderId": "O1"]) == .order("O1"))
        #expect(try sale(["receiptCode": nil, "orderId": "O1"]) == .order("O1"))
        #expect(try sale([:]) == .order(""))
        #expect(try sale(["receiptCode": .string(code.text), "orderId": "O1"]) == .receipt(code))
        #expect(throws: ShapeError.self) { try sale(["receiptCode": "HF1.x"]) }
    }
}
