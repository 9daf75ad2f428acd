import Base
import HubProtocol
import OfflineCore
import OfflineMode
import Retail
import Synchronization
import Testing

@Suite("Tenders at the checkout, with and without the hub")
struct OfflineCheckoutTests {
    private let ports = ScriptedPorts()
    private let cards = MemoryCards()
    private let limits = OfflineCardLimits(perSale: 1250, perShift: 9_000, perTerminal: 2500)

    private func checkout(_ tenders: [JSONValue]) throws -> Checkout {
        let service = OfflineCardService(store: cards, tokens: cards, time: ports)
        return try ports.checkout(
            tenders: TenderList(json: .array([["method": "cash", "kind": "cash"]] + tenders)),
            offlineCards: (service, limits))
    }

    private func request(
        _ barcode: String, _ method: String, pieces: Int64 = 1, reference: String? = nil
    ) -> SaleRequest {
        SaleRequest(
            lines: [.init(barcode: barcode, quantityMilli: pieces * 1000)],
            payments: [.init(method: method, reference: reference)])
    }

    private func refusal(_ request: SaleRequest, by checkout: Checkout) async -> SaleRefusal? {
        do throws(SaleRefusal) {
            _ = try await checkout.sell(request)
            return nil
        } catch {
            return error
        }
    }

    private func goOffline() {
        ports.with {
            $0.mode = .offline
            $0.causes = [.network]
            $0.paymentRoute = .local
        }
    }

    @Test("a wallet is authorised online like a card, and taken as a token offline where the store says so")
    func wallets() async throws {
        ports.with { $0.outcomes = [.done(.granted("W1"))] }
        let checkout = try checkout([
            ["method": "alipay", "kind": "wallet"],
            ["method": "wechat", "kind": "wallet", "offline": false],
            ["method": "paper", "kind": "wallet", "online": false],
        ])
        let online = try await checkout.sell(request("4006381333931", "alipay")).sale.content.payments
        #expect(online.map(\.details.kind) == [.wallet] && online.map(\.card?.approvalCode) == ["W1"])
        #expect(
            await refusal(request("4006381333931", "paper"), by: checkout)
                == .tenderRefused("paper", isOnline: true))
        goOffline()
        let offline = try await checkout.sell(request("4006381333931", "alipay")).sale.content.payments
        #expect(offline.map(\.details.kind) == [.wallet])
        #expect(offline.map(\.details.state) == [.storedOffline])
        #expect(try await cards.cards().cards.map(\.amount) == [125])
        #expect(
            await refusal(request("4006381333931", "wechat"), by: checkout)
                == .cardOffline(.offline([.network])))
    }

    @Test("a voucher is taken where its flag for the mode says so")
    func vouchers() async throws {
        let checkout = try checkout([
            ["method": "gift", "kind": "voucher", "offline": false],
            ["method": "paper", "kind": "voucher", "online": false],
        ])
        func refusals() async -> [SaleRefusal?] {
            [
                await refusal(request("4006381333931", "gift", reference: "V1"), by: checkout),
                await refusal(request("4006381333931", "paper", reference: "V2"), by: checkout),
            ]
        }
        #expect(await refusals() == [nil, .tenderRefused("paper", isOnline: true)])
        goOffline()
        #expect(await refusals() == [.tenderRefused("gift", isOnline: false), nil])
    }

    @Test("limits are minor units in currencies without decimals and with three", arguments: ["JPY", "KWD"])
    func currencies(_ currency: String) async throws {
        goOffline()
        let checkout = try checkout([["method": "card", "kind": "card"]])
        #expect(
            await refusal(request(currency, "card", pieces: 2), by: checkout) == .offlineCardLimit(.perSale))
        for _ in 0..<2 {
            let sale = try await checkout.sell(request(currency, "card"))
            #expect(sale.sale.content.payments.map(\.amount) == [1250])
            #expect(sale.receipt.contains(currency == "JPY" ? "1250" : "1.250"))
        }
        #expect(try await cards.cards().cards.map(\.currency) == [currency, currency])
        #expect(await refusal(request(currency, "card"), by: checkout) == .offlineCardLimit(.perTerminal))
    }

    @Test("a cash sale reopens no limit while the file cannot be read")
    func unreadable() async throws {
        goOffline()
        cards.kept.withLock { $0 = StoredCards(isComplete: false) }
        let checkout = try checkout([["method": "card", "kind": "card"]])
        for _ in 0..<2 {
            let refusal = try #require(await refusal(request("4006381333931", "card"), by: checkout))
            #expect(refusal == .offlineCardLimit(.unreadable))
            #expect(refusal.message.contains("offline-cards.json"))
            _ = try await checkout.sell(request("4006381333931", "cash"))
        }
    }

    @Test("Chinese refusals have the reason and the limit, and no English words")
    func chinese() {
        let refusals: [SaleRefusal] = [
            .cardOffline(.offline([.manual, .network])),
            .cardOffline(.unavailable),
            .cardDeclined(reason: "insufficient funds"), .cardDeclined(reason: "Issuer unavailable"),
            .offlineCardLimit(.perSale), .offlineCardLimit(.perShift), .offlineCardLimit(.perTerminal),
            .offlineCardLimit(.perStore), .offlineCardLimit(.age), .offlineCardLimit(.unreadable),
        ]
        let texts = refusals.map { $0.text(in: .chinese) }
        #expect(Set(texts).count == refusals.count)
        #expect(texts.allSatisfy { $0.allSatisfy { !$0.isASCII } })
        #expect(texts[0].contains("手动、网络") && texts[2].contains("余额不足"))
    }
}
