import AgentAPI
import HubProtocol
import Testing

@testable import Agent

@Suite("The papers of an exchange", .timeLimit(.minutes(2)))
struct ExchangePaperTests {
    private static let goods = [("TEA", "A1", Int64(500)), ("POT", "B1", 800)].map { sku, barcode, price in
        Change(
            entity: "product", entityId: sku, version: 1, isDeleted: false, deletedAt: nil,
            hlc: "1795234567000-000001", origin: nil,
            value: ProductRecord(
                sku: sku, barcode: barcode, name: sku, department: "", priceMinor: price, currency: "EUR",
                taxBasisPoints: 0, unit: .each, stockMilli: nil
            ).json)
    }

    /// Two teas are sold, and one comes back for `article`, beside what `payments` pay.
    private func exchange(
        for article: String, paying payments: [SellCall.Tender]?, language: String
    ) async throws -> (now: SaleResponse, later: OrderResponse, first: OrderResponse) {
        let keys = #","display":{"language":"\#(language)"}"#
        let till = try await AgentUnderTest(feed: Self.goods, keys: keys)
        do {
            let first = try await till.send(
                SellCall(lines: [.init(barcode: "A1", quantityMilli: 2000)])
            ).sale.orderId
            var call = SellCall(lines: [.init(barcode: article)], payments: payments)
            call.key = "01J0000000000000000000000C"
            call.returns = .init(of: .order(first), lines: [.init(article: "A1", quantityMilli: 1000)])
            let now = try await till.send(call)
            let later = try await till.send(ShowOrderCall(id: now.sale.orderId))
            let source = try await till.send(ShowOrderCall(id: first))
            await till.stop()
            return (now, later, source)
        } catch {
            await till.stop()
            throw error
        }
    }

    private func rows(_ receipt: String, _ words: [String]) -> [String] {
        receipt.split(separator: "\n").map(String.init).filter { row in words.contains(where: row.contains) }
    }

    @Test(
        "call the goods that came back goods and the money money, at once and when they are printed again",
        arguments: ["en", "zh"])
    func words(_ language: String) async throws {
        let isChinese = language == "zh"
        let cash = isChinese ? "现金" : "Cash"
        let goods = isChinese ? "退回商品" : "Goods returned"
        let words = ["Cash", "现金", goods, "Change", "找零"]
        // The customer pays 3.00 beside a tea of 5.00.
        let dearer = try await exchange(for: "B1", paying: nil, language: language)
        for receipt in [dearer.now.receipt, dearer.later.receipt] {
            let found = rows(receipt, words)
            #expect(
                found.count == 2 && found[0].hasPrefix(goods) && found[0].hasSuffix(" 5.00"), "\(receipt)")
            #expect(found.last?.hasPrefix(cash) == true && found.last?.hasSuffix(" 3.00") == true)
        }
        let slip = try #require(dearer.now.exchange?.receipt)
        #expect(rows(slip, words).isEmpty, "\(slip)")
        #expect(slip.contains(isChinese ? "抵作换货款" : "Used for the exchange"))
        // Cash of the same amount is cash all the same.
        let two = try await exchange(
            for: "B1", paying: [.init(method: "cash", amountMinor: 500)], language: language)
        #expect(rows(two.later.receipt, [goods]).count == 1)
        #expect(rows(two.later.receipt, [cash]).count == 1, "\(two.later.receipt)")
        #expect(two.first.order.refunds.map(\.isOfExchange) == [true])
        // The sale that the goods are from was paid by cash.
        #expect(rows(two.first.receipt, [goods]).isEmpty)
    }
}
