import AgentAPI
import Base
import Counter
import HubProtocol
import OfflineCore
import OfflineMode
import Pricing
import Retail
import Testing

@testable import Agent

@Suite("Status, screen and sale agree", .timeLimit(.minutes(5)))
struct TillAbilitiesTests {
    /// Facts of a till drawn at random.
    private static func facts(_ random: inout SplitMix64) throws -> TillFacts {
        func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }
        let kinds: [TenderKind] = [.card, .wallet, .voucher, .voucher]
        let others = kinds.enumerated().map { number, kind in
            Tender(
                method: "t\(number)", kind: kind, isOnline: !chance(3), isOffline: !chance(3),
                isRefundable: true)
        }
        var facts = TillFacts(tenders: [.cash] + others)
        facts.isOnline = chance(2)
        if !facts.isOnline { facts.causes = [.network] }
        if !facts.isOnline || chance(3) {
            facts.payment = [.network, .noPayments, .notEnrolled, .tooOld, .service("payment")].randomElement(
                using: &random)
        }
        facts.machine = chance(3) ? .init(isFirst: chance(3)) : nil
        facts.lacksShift = chance(8)
        if chance(8) { facts.disk = .diskFull(path: "/") }
        (facts.people.hasCashiers, facts.people.hasManager) = (chance(2), chance(2))
        facts.people.role = [nil, .cashier, .manager].randomElement(using: &random) ?? nil
        if chance(2) {
            let limit = Int64.random(in: 0...12_000, using: &random)
            facts.storage = .init(
                room: OfflineCardRoom(
                    beside: [],
                    within: OfflineCardLimits(perSale: 9_000, perShift: limit, perTerminal: 9_000),
                    at: MachineMoment(wall: 0, boot: 0, bootId: "b"), shift: nil,
                    calendar: try #require(BusinessCalendar(timeZone: "UTC"))))
        }
        return facts
    }

    @Test(
        "the pay dialog offers exactly what the status does not refuse, each up to its limit",
        arguments: 0..<20)
    func screen(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<40 {
            let facts = try Self.facts(&random)
            let abilities = TillAbilities(facts)
            let shown = try abilities.tenders.map { try TenderState(json: TenderState($0).json) }
            var counter = CounterUnderTest(total: 8_000)
            counter.open(CounterTenders(tenders: shown))
            let offered = counter.screen.tenderChoices("")
            #expect(
                Set(offered.map(\.method)) == Set(shown.filter { !$0.isRefused }.map(\.method)), "\(facts)")
            for choice in offered where choice.kind != "cash" && !choice.needsApproval {
                let limit = shown.first { $0.method == choice.method }?.limitMinor ?? .max
                #expect(choice.amount == min(8_000, limit), "\(facts)")
            }
            let text = counter.screen.frame().text
            for tender in shown where tender.needs.contains("signIn") {
                #expect(tender.ends.command == "pos sign-in CASHIER")
            }
            let refused = shown.filter(\.isRefused)
            #expect(refused.isEmpty != text.contains("not now"), "\(facts)")
            for tender in refused {
                #expect(tender.reason != nil && !tender.text(in: .chinese).isEmpty, "\(tender)")
            }
        }
    }

    private static func change(_ entity: String, _ id: String, _ value: JSONValue) -> Change {
        Change(
            entity: entity, entityId: id, version: 1, isDeleted: false, deletedAt: nil,
            hlc: "1795234567000-000001", origin: nil, value: value)
    }

    private static let feed: [Change] = [
        change(
            "product", "S1",
            ProductRecord(
                sku: "S1", barcode: "A1", name: "Tea", department: "", priceMinor: 500, currency: "EUR",
                taxBasisPoints: 0, unit: .each, stockMilli: nil, openPrice: false, furtherBarcodes: []
            ).json),
        change(
            "storeConfig", "north-7",
            [
                "payments": "simulator", "offlineCard.perSale": 1_000, "offlineCard.perShift": 1_000,
                "offlineCard.perTerminal": 700, "points.valueMinor": 1,
                "tenders": [
                    ["method": "cash", "kind": "cash"], ["method": "card", "kind": "card"],
                    ["method": "gift", "kind": "voucher"],
                    ["method": "paper", "kind": "voucher", "offline": false],
                ],
            ]),
        change("member", "M1", ["name": "Li", "phone": "13800138000", "points": 70]),
    ]

    @Test("a complete till says of each tender what its sale does, and why")
    func agent() async throws {
        let till = try await AgentUnderTest(feed: Self.feed)
        do {
            _ = try await till.send(SetManualCall(isOn: true))
            let status = try #require(try await till.send(StatusCall(member: "M1")).running)
            #expect(status.tenders.map(\.method) == ["cash", "card", "gift", "paper"])
            for tender in status.tenders {
                let reference = tender.needs.contains("reference") ? "V1" : nil
                let call = SellCall(
                    lines: [.init(barcode: "A1")],
                    payments: [.init(method: tender.method, reference: reference)])
                let code = await till.refusal("POST", AgentRoutes.sales, call.request.body)
                #expect(code == tender.reason, "\(tender)")
            }
            // The hub's key that tokens are sealed to is not here, so no card is taken.
            #expect(status.tenders[1].reason == "card_offline")
            #expect(status.tenders[1].ends.command == "pos offline off")
            #expect(status.tenders[3].reason == "tender_refused")
            #expect(status.points.reason == "points_unavailable" && status.points.balance == 70)
            let nobody = try await till.send(StatusCall()).running
            #expect(nobody?.points.reason == "points_member_unknown")
            let checks = try await till.send(DoctorCall()).checks
            let outage = checks.first { $0.name == "tenders in an outage" }
            #expect(outage?.detail.contains("paper: refused (tender_refused)") == true)
        } catch {
            await till.stop()
            throw error
        }
        await till.stop()
    }

    @Test("a sign-in and a sign-out are a new status for everybody who waits for one")
    func signIn() async throws {
        // hashlib.scrypt(b"1234", salt=bytes(range(16)), n=2**14, r=8, p=1, dklen=32)
        let hash = "$scrypt$ln=14,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$WN+87vPtGO4o1fwEttloKNIwtqGZqnsfkSCWNJhrpMg"
        let cashier: JSONValue = ["name": "Li", "role": "cashier", "pinHash": .string(hash)]
        let till = try await AgentUnderTest(
            feed: Self.feed + [Self.change("cashier", "li", cashier)])
        do {
            let first = try await till.send(NextStatusCall(after: 0))
            #expect(first.status.running?.tenders.first?.needs == ["signIn"])
            _ = try await till.send(SessionCall.signIn(cashierId: "li", pin: "1234"))
            let second = try await till.send(NextStatusCall(after: first.revision))
            #expect(second.status.running?.tenders.first?.needs == [])
            _ = try await till.send(SessionCall.signOut)
            let third = try await till.send(NextStatusCall(after: second.revision))
            #expect(third.status.running?.tenders.first?.needs == ["signIn"])
        } catch {
            await till.stop()
            throw error
        }
        await till.stop()
    }
}

/// A counter whose cart has one line.
private struct CounterUnderTest {
    var screen = CounterScreen(language: .english, columns: 100, rows: 40) { "01J0000000000000000000000A" }
    private var tenders = CounterTenders(tenders: [])
    private let total: Int64

    init(total: Int64) {
        self.total = total
        feed(.key(.paste("A1\n")))
    }

    mutating func open(_ tenders: CounterTenders) {
        self.tenders = tenders
        feed(.key(.function(10)))
    }

    private mutating func feed(_ event: CounterEvent) {
        for effect in screen.handle(event) {
            guard case .request(let id, let request) = effect else { continue }
            switch request {
            case .quote: feed(.response(id: id, .quote(quote)))
            case .tenders: feed(.response(id: id, .tenders(tenders)))
            default: break
            }
        }
    }

    private var quote: QuoteResponse {
        QuoteResponse(
            lines: [
                SoldLine(
                    sku: "S1", barcode: "A1", name: "Tea", quantityMilli: 1000, unitPrice: total, discount: 0,
                    total: total, taxBasisPoints: 0, offers: [])
            ], total: MoneyAmount(total, "EUR"), tax: MoneyAmount(0, "EUR"),
            cashRounding: MoneyAmount(0, "EUR"), member: nil)
    }
}
