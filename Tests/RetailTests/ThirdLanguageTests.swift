import Base
import OfflineCore
import OfflineMode
import Pricing
import Retail
import Testing

/// What a third language needs: one type, which the compiler holds against the protocol.
private struct GermanReceiptTexts: ReceiptTexts {
    func number(_ number: String) -> String { "Nr. \(number)" }
    func of(_ number: String) -> String { "Zu \(number)" }
    var withoutReceipt: String { "Ohne Bon" }
    func cashier(_ id: String) -> String { "Kasse \(id)" }
    func member(_ name: String) -> String { "Mitglied \(name)" }
    func reason(_ text: String) -> String { "Grund: \(text)" }
    func mark(_ mark: ReceiptMark) -> String {
        switch mark {
        case .void: "STORNO"
        case .refund: "ERSTATTUNG"
        case .offline: "OHNE NETZ"
        case .copy: "KOPIE"
        case .simulated: "SIMULIERT"
        }
    }

    var discount: String { "  Rabatt" }
    var points: String { "  Punkte" }
    func back(_ quantity: String) -> String { "  \(quantity) retour" }

    func total(_ currency: String) -> String { "SUMME \(currency)" }
    var cashRounding: String { "Rundung" }
    var change: String { "Wechselgeld" }
    func tax(_ rate: String, of paid: String) -> String { "MwSt \(rate) % von \(paid)" }

    var cash: String { "Bar" }
    func card(_ code: String) -> String { "Karte \(code)" }
    var notApprovedYet: String { "(noch nicht genehmigt)" }
    var goodsReturned: String { "Warenrückgabe" }
    var usedForExchange: String { "Für den Umtausch" }
    var cashBack: String { "Bar erstattet" }
    func back(to payment: String) -> String { "Zurück auf \(payment)" }
    func unpaid(by payment: String) -> String { "Nicht bezahlt: \(payment)" }
    var refusedAfterSale: [String] { ["  die Karte wurde später abgelehnt"] }
    func backByHub(_ sync: SyncState) -> [String] {
        sync == .pending ? ["  folgt, sobald die Zentrale es hat"] : []
    }
    func backToCard(_ state: CardReturn.State) -> [String] {
        state == .waiting ? ["  folgt, sobald das Gerät erreichbar ist"] : []
    }

    func earned(_ points: Int64) -> String { "Punkte erhalten: \(points)" }
    func spent(_ points: Int64) -> String { "Punkte eingelöst: \(points)" }
    func takenBack(_ points: Int64) -> String { "Punkte zurückgenommen: \(points)" }
    func givenBack(_ points: Int64) -> String { "Punkte zurückgegeben: \(points)" }
    var recordedOffline: String { "Offline erfasst, wird nachgereicht" }
    func code(_ shortCode: String) -> String { "Prüfcode \(shortCode)" }
}

@Suite("A third language")
struct ThirdLanguageTests {
    @Test("is one type: a whole receipt has its texts, and none of the others")
    func receipt() throws {
        let lines = [
            SaleLine(
                sku: "1", barcode: "1", name: "Apfel",
                price: try PricedLine(
                    quantityMilli: 1500, unitPrice: 333, discount: 50, taxBasisPoints: 1300),
                discountReason: nil, isCounted: false)
        ]
        let content = SaleContent(
            mode: .offline, madeAt: 1_795_234_567_000, timeZone: "Asia/Shanghai", currency: "EUR",
            cashierId: "c1", memberId: "m1", coupons: [], lines: lines,
            totals: try ReceiptTotals(lines: lines.map(\.price)),
            payments: [SalePayment(method: .cash, amount: 500)], cashRounding: 5, change: 45)
        let day = try #require(BusinessDay(number: 20_261_121))
        let sale = Sale(
            key: ULID(high: 1, low: 1), orderId: "o",
            orderNumber: OrderNumber(storeId: "s", terminalNumber: 1, businessDay: day, counter: 7),
            mutationId: "m", content: content, isAcknowledged: false, voidedAt: nil)
        let receipt = Receipt(sale: sale, policy: try ScriptedPorts.policy(), texts: GermanReceiptTexts())
        #expect(
            receipt.text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") } == [
                "角落商店 Corner Shop", "*** OFFLINE 离线 ***", "Nr. s-1-20261121-0007", "2026-11-21 12:16:07",
                "Kasse c1", "Mitglied m1", String(repeating: "-", count: 40), "Apfel", "1.5 x 3.33 5.00",
                "Rabatt -0.50", String(repeating: "-", count: 40), "SUMME EUR 4.50", "Rundung 0.05",
                "Bar 5.00", "Wechselgeld 0.45", "MwSt 13 % von 4.50 0.52", String(repeating: "-", count: 40),
                "Offline erfasst, wird nachgereicht",
            ])
        #expect(receipt.text.split(separator: "\n").allSatisfy { TextWidth.columns(String($0)) <= 40 })
        #expect(ReceiptMark.void.text(from: GermanReceiptTexts()) == "*** VOID STORNO ***")
    }
}
