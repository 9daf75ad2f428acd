import AgentAPI
import Base
import Foundation
import HubProtocol
import TestKit
import Testing

@testable import Agent

/// What the agent says of another till's receipt. Its hub does not respond.
@Suite("What of a receipt can still come back", .timeLimit(.minutes(5)))
struct ReceiptLeftTests {
    /// The till that sold it.
    private struct Seller {
        private let folder: TemporaryFolder
        private let key: DeviceKey

        init() throws {
            folder = try TemporaryFolder()
            let home = TerminalHome(path: folder.url.path)
            try home.makePrivate()
            key = try DeviceKey(home: home, creating: true)
        }

        func change() -> Change {
            let record = TerminalKey(terminalId: "t-1", storeId: "north-7", publicKey: key.publicKey)
            return ReceiptLeftTests.change("terminalKey", "t-1", record.json)
        }

        /// Three pieces of tea, a pot, and what this store's catalogue does not have.
        func code() throws -> String {
            try #require(
                ReceiptCode(
                    terminalId: "t-1", orderNumber: "north-7-1-20261121-0001", soldAt: 1, currency: "EUR",
                    total: 1510,
                    lines: [
                        .init(barcode: "A1", quantityMilli: 3000, amount: 1000),
                        .init(barcode: "none", quantityMilli: 1000, amount: 10),
                        .init(barcode: "B1", quantityMilli: 1000, amount: 500),
                    ], sign: key.sign)
            ).text
        }
    }

    private static func change(_ entity: String, _ id: String, _ value: JSONValue) -> Change {
        Change(
            entity: entity, entityId: id, version: 1, isDeleted: false, deletedAt: nil,
            hlc: "1795234567000-000001", origin: nil, value: value)
    }

    private static let goods = [("TEA", "A1", "Tea"), ("POT", "B1", "Teapot")].map { sku, barcode, name in
        change(
            "product", sku,
            ProductRecord(
                sku: sku, barcode: barcode, name: name, department: "", priceMinor: 500, currency: "EUR",
                taxBasisPoints: 0, unit: .each, stockMilli: nil, openPrice: false, furtherBarcodes: []
            ).json)
    }

    private func refund(_ till: AgentUnderTest, _ code: String, _ lines: [RefundOrderCall.Line]) async throws
    {
        _ = try await till.send(
            RefundOrderCall(
                of: .receipt(code), lines: lines, reason: nil, key: nil, person: AgentPerson(),
                files: AttachedFiles(paths: [])))
    }

    @Test("is what came back here taken off what its code lists, where the hub does not respond")
    func withoutHub() async throws {
        let seller = try Seller()
        let code = try seller.code()
        let till = try await AgentUnderTest(feed: Self.goods + [seller.change()])
        do {
            let call = ReceiptLeftCall(receiptCode: code)
            var left = try await till.send(call)
            #expect(left.orderNumber == "north-7-1-20261121-0001" && left.currency == "EUR")
            #expect(left.leftBy == .till && left.returnedElsewhere.isEmpty)
            #expect(left.lines.map(\.name) == ["Tea", "Teapot"])
            #expect(left.lines.map(\.left) == [3000, 1000] && left.lines.map(\.total) == [1000, 500])
            try await refund(till, code, [.init(article: "A1", quantityMilli: 1000)])
            left = try await till.send(call)
            #expect(left.lines.map(\.left) == [2000, 1000])
            #expect(left.lines.map(\.quantityMilli) == [3000, 1000])
            // What is offered is what a refund of all takes.
            try await refund(till, code, [])
            #expect(try await till.send(call).lines.map(\.left) == [0, 0])
        } catch {
            await till.stop()
            throw error
        }
        await till.stop()
    }

    @Test("is refused as its refund would be: a torn code, a forged one, and one whose seller is unknown")
    func refused() async throws {
        let (seller, other) = (try Seller(), try Seller())
        let till = try await AgentUnderTest(feed: Self.goods + [seller.change()])
        func code(_ receipt: String) async -> String? {
            let call = ReceiptLeftCall(receiptCode: receipt)
            return await till.refusal("POST", AgentRoutes.receiptLeft, call.request.body)
        }
        let own = try seller.code()
        #expect(await code(String(own.dropLast(8))) == "receipt_code_invalid")
        #expect(await code(try other.code()) == "receipt_code_invalid")
        #expect(await till.refusal("POST", AgentRoutes.receiptLeft, [:]) == "malformed_request")
        await till.stop()
        let stranger = try await AgentUnderTest(feed: Self.goods)
        let call = ReceiptLeftCall(receiptCode: own)
        let unchecked = await stranger.refusal("POST", AgentRoutes.receiptLeft, call.request.body)
        #expect(unchecked == "receipt_unchecked")
        await stranger.stop()
    }

    @Test("is kept as a cart before anything is sold for it, left with its window, and taken up by the next")
    func kept() async throws {
        let seller = try Seller()
        let till = try await AgentUnderTest(feed: Self.goods + [seller.change()])
        func send<Call: AgentCall>(_ call: Call, as frontEnd: String) async throws -> Call.Response {
            var request = call.request
            request.frontEnd = frontEnd
            let response = await till.agent.handler.handle(request)
            if let error = response.error { throw error }
            return try call.response(in: AgentResponse(response.body))
        }
        let (first, second) = ("01J0000000000000000000000A;first", "01J0000000000000000000000B;second")
        var basket = SellCall(key: "01J0000000000000000000000C", lines: [], memberId: "M1")
        let alone = KeepCartCall(basket, revision: 1)
        await #expect(throws: TerminalError.self) { try await send(alone, as: first) }
        basket.returns = .init(
            of: .receipt(try seller.code()), lines: [.init(article: "A1", quantityMilli: 1000)])
        let kept = try await send(KeepCartCall(basket, revision: 2), as: first).cart
        #expect(kept?.lines == 0 && kept?.returnedLines == 1 && kept?.state == .open)
        #expect(kept?.total == MoneyAmount(0, "EUR"))
        _ = try await send(KeepCartCall(nil, revision: 3), as: first)
        #expect(try await till.send(OpenCartsCall()).carts.map(\.state) == [.left])
        let taken = try await send(CartCall(id: "01J0000000000000000000000C", .resume), as: second)
        #expect(taken.basket.returns == basket.returns && taken.lines.isEmpty && taken.memberId == "M1")
        // With what the customer takes for it, it is a sale.
        basket.lines = [.init(barcode: "B1")]
        basket.payments = [.init(method: "cash", amountMinor: 500)]
        #expect(try await send(basket, as: second).exchange != nil)
        #expect(try await till.send(OpenCartsCall()).carts.isEmpty)
        await till.stop()
    }

    @Test("of this till's own sale is what its own refunds left")
    func own() async throws {
        let till = try await AgentUnderTest(feed: Self.goods)
        let sale = try await till.send(
            SellCall(
                lines: [.init(barcode: "A1", quantityMilli: 2000)],
                payments: [.init(method: "cash", amountMinor: 1_000)]))
        let code = try #require(sale.sale.receiptCode)
        try await refund(till, code, [.init(article: "A1", quantityMilli: 1000)])
        let left = try await till.send(ReceiptLeftCall(receiptCode: code))
        let shown = try await till.send(ShowOrderCall(id: sale.sale.orderId)).order
        await till.stop()
        #expect(left.lines.map(\.left) == [1000] && left.leftBy == .till)
        #expect(shown.left == [1000] && shown.leftBy == .till)
    }
}
