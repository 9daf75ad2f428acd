import Foundation
import HubProtocol
import TestKit
import Testing

/// Hub and till killed at every step of a card's payment, with a gateway that keeps its own ledger: nothing
/// is charged twice, and nothing that was charged is forgotten.
@Suite("Kills during card payments", .onStage)
struct CardKillTests {
    private static let tea = Article.assortment[0].barcode
    private static let settings = ShopSettings.hurried.with([
        "POS_CHECKOUT_CARD_TIMEOUT_SECONDS": "5", "POS_CHECKOUT_ONLINE_BUDGET_MILLISECONDS": "1000",
    ])
    /// Longer than the kills and starts that one call waits for, in seconds.
    private static let gatewayTimeout = 20

    /// A running shop whose till takes cards.
    private func shop(_ kind: HubStoreKind, serving: [String]? = nil) throws -> CardShop {
        let store = kind == .postgresql ? try PostgresServer.shared.get().freshSchema() : nil
        let cards = try CardShop(
            on: store, timeout: Self.gatewayTimeout, serving: serving, settings: Self.settings)
        try cards.shop.startAgent()
        try waitForCards(cards)
        return cards
    }

    private func waitForCards(_ cards: CardShop) throws {
        try cards.shop.waitUntil("cards that the hub decides on", within: 30) {
            $0["capabilities"]?["payment.card"]?["route"] == "online"
        }
    }

    /// A sale by card that nothing disturbs; its order's id.
    @discardableResult
    private func sell(_ cards: CardShop, pieces: Int = 1) throws -> String {
        let sale = try cards.shop.document("sell", "--line", "\(Self.tea):\(pieces)", "--pay", "card")
        cards.note(sale)
        return try #require(sale["orderId"]?.string)
    }

    /// How a sale goes on whose outcome the till does not know.
    private enum End: CaseIterable {
        case soldAgain, dropped
    }

    @Test("The hub is killed at each moment of an authorisation", arguments: HubStoreKind.all)
    func hubAuthorizing(_ kind: HubStoreKind) throws {
        let cards = try shop(kind)
        for moment in ReferenceGateway.Moment.allCases {
            for end in End.allCases { try authorize(cards, killingHubAt: moment, end) }
        }
        // What the dead hub sent arrives behind what the next one sends.
        for end in End.allCases { try authorize(cards, killingHubAt: .arrived, end, isOvertaken: true) }
        try cards.settle()
        #expect(try cards.shop.document("cart", "list")["carts"] == [])
        #expect(cards.sold.count >= 4)
    }

    private func authorize(
        _ cards: CardShop, killingHubAt moment: ReferenceGateway.Moment, _ end: End,
        isOvertaken: Bool = false
    ) throws {
        let shop = cards.shop
        let halt = cards.gateway.halt(.authorize, at: moment)
        let sale = try shop.startProgram("sell", "--line", Self.tea, "--pay", "card", "--json")
        let call = try #require(halt.reached())
        shop.killHub()
        if !isOvertaken { halt.release(losing: moment == .arrived) }
        let code = try #require(sale.exitCode(within: 30))
        let document = try JSONParser.parse((sale.output.lines.first ?? "").utf8)
        try shop.startHub()
        try waitForCards(cards)
        guard code == 75 else {
            // The response was at the till before the hub died.
            #expect(code == 0 && moment == .responded, "\(document)")
            return cards.note(document)
        }
        #expect(document["error"]?["code"] == "card_outcome_unknown", "\(document)")
        let cart = try #require(document["error"]?["cartId"]?.string, "\(document)")
        switch end {
        case .soldAgain: cards.note(try shop.document("sell", "--cart", cart, "--pay", "card"))
        case .dropped: _ = try shop.document("cart", "drop", cart, "--reason", "the customer left")
        }
        guard isOvertaken else { return }
        try shop.waitUntil("the gateway has what came later", within: 20) { _ in
            let account = cards.gateway.book.accounts[call.key]
            return end == .dropped ? account?.isVoided == true : account?.authorized == 1250
        }
        halt.release()
    }

    @Test("The agent is killed at each moment of an authorisation", arguments: HubStoreKind.all)
    func agentAuthorizing(_ kind: HubStoreKind) throws {
        let cards = try shop(kind)
        for moment in ReferenceGateway.Moment.allCases {
            for isLost in moment == .arrived ? [true, false] : [false] {
                let halt = cards.gateway.halt(.authorize, at: moment)
                let sale = try cards.shop.startProgram("sell", "--line", Self.tea, "--pay", "card", "--json")
                _ = try #require(halt.reached())
                cards.shop.killAgent()
                halt.release(losing: isLost)
                let code = try #require(sale.exitCode(within: 30))
                // The till may have recorded the sale before it died; its command may have seen that.
                if code == 0 { cards.note(try JSONParser.parse((sale.output.lines.first ?? "").utf8)) }
                #expect(code == 75 || code == 0 && moment == .responded)
                try cards.shop.startAgent()
                try waitForCards(cards)
            }
        }
        try sell(cards)
        try cards.settle()
    }

    @Test(
        "Hub and agent are killed at each moment of captures, voids and refunds", arguments: HubStoreKind.all)
    func following(_ kind: HubStoreKind) throws {
        let cards = try shop(kind)
        try kill(cards, during: .capture) {
            for _ in 0..<3 { try sell(cards) }
        }
        try kill(cards, during: .void) {
            for _ in 0..<3 {
                let order = try sell(cards)
                _ = try cards.shop.document("orders", "void", order, "--reason", "wrong")
            }
        }
        try kill(cards, during: .refund) {
            for number in 0..<3 {
                let order = try sell(cards, pieces: 2)
                try refund(cards, order, pieces: number == 0 ? 2 : 1)
            }
        }
        try cards.settle()
        #expect(cards.sold.count == 9)
    }

    /// A refund whose agent is killed meanwhile, and which is requested again by its key.
    private func refund(_ cards: CardShop, _ order: String, pieces: Int) throws {
        let arguments = [
            "orders", "refund", order, "--line", "\(Self.tea):\(pieces)", "--key", SaleRequests.key(),
            "--json",
        ]
        let first = try ProgramUnderTest(
            "pos", arguments + ["--home", cards.shop.home], environment: cards.shop.settings)
        // It has begun, or is done.
        _ = first.exitCode(within: pieces == 2 ? 0.1 : 0.2)
        cards.shop.killAgent()
        _ = first.exitCode(within: 30)
        try cards.shop.startAgent()
        let again = try cards.shop.pos(arguments)
        #expect(again.exitCode == 0, "\(again.output)")
        try waitForCards(cards)
    }

    /// The hub makes the calls of `prepare` at its next start; there it is killed at each moment of one, and
    /// then the agent at each moment of the next ones.
    ///
    /// - Parameter rule: how the gateway behaves then.
    private func kill(
        _ cards: CardShop, during kind: GatewayCall.Kind, _ rule: ReferenceGateway.Rule? = nil,
        _ prepare: () throws -> Void
    ) throws {
        let (shop, gateway) = (cards.shop, cards.gateway)
        gateway.behave { $0.kind == kind ? .unavailable : nil }
        try prepare()
        try shop.waitUntilDrained()
        shop.killHub()
        gateway.behave(rule)
        for moment in ReferenceGateway.Moment.allCases {
            let halt = gateway.halt(kind, at: moment)
            try shop.startHub()
            _ = try #require(halt.reached(), "\(kind), \(moment)")
            shop.killHub()
            halt.release(losing: moment == .arrived)
        }
        let halts = ReferenceGateway.Moment.allCases.map { gateway.halt(kind, at: $0) }
        try shop.startHub()
        for halt in halts {
            _ = try #require(halt.reached(), "\(kind) beside a dead agent")
            shop.killAgent()
            halt.release()
            try shop.startAgent()
        }
        try waitForCards(cards)
    }

    @Test(
        "Hub and agent are killed at each moment of forwarding stored tokens; a refused one is a debt",
        arguments: HubStoreKind.all)
    func forwarding(_ kind: HubStoreKind) throws {
        // The simulator gives tokens; the gateway gets them.
        let cards = try shop(kind, serving: ["--payments", "simulator"])
        let shop = cards.shop
        try shop.posHub(
            "store-config", "set", "--store-id", "S1", "offlineCard.perSale=9000",
            "offlineCard.perShift=90000", "offlineCard.perTerminal=90000")
        _ = try shop.document("sync", "now")
        _ = try shop.document("offline", "on", "--reason", "no line")
        let orders = try (0..<6).map { _ in try sell(cards, pieces: 2) }
        try sell(cards)
        _ = try shop.document("orders", "void", orders[3], "--reason", "wrong")
        _ = try shop.document("orders", "refund", orders[4], "--line", "\(Self.tea):1")
        _ = try shop.document("orders", "refund", orders[5])
        shop.killHub()
        shop.serveArguments = cards.served
        try kill(cards, during: .authorize, { $0.amount == 1250 ? .decline : nil }) {
            try shop.startHub()
            _ = try shop.document("offline", "off")
        }
        try cards.settle()
        let accounts = cards.gateway.book.accounts.values
        #expect(accounts.count { $0.charged == 2500 } == 3)
        #expect(accounts.count { $0.charged == 1250 } == 1)
        #expect(accounts.count { $0.refunded == 2500 } == 1)
        #expect(accounts.count(where: \.isDeclined) == 1)
        #expect(try shop.posHub("audit")["debts"]?.array?.count == 1)
    }
}
