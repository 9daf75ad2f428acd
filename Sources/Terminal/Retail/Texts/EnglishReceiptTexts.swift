internal import OfflineMode

struct EnglishReceiptTexts: ReceiptTexts {
    func number(_ number: String) -> String { "No. \(number)" }
    func of(_ number: String) -> String { "Of \(number)" }
    var withoutReceipt: String { "Without a receipt" }
    func cashier(_ id: String) -> String { "Cashier \(id)" }
    func member(_ name: String) -> String { "Member \(name)" }
    func reason(_ text: String) -> String { "Reason: \(text)" }
    func mark(_ mark: ReceiptMark) -> String { mark.rawValue }

    var discount: String { "  Discount" }
    var points: String { "  Points" }
    func back(_ quantity: String) -> String { "  \(quantity) back" }

    func total(_ currency: String) -> String { "TOTAL \(currency)" }
    var cashRounding: String { "Cash rounding" }
    var change: String { "Change" }
    func tax(_ rate: String, of paid: String) -> String { "Tax \(rate) % of \(paid)" }

    var cash: String { "Cash" }
    func card(_ code: String) -> String { "Card \(code)" }
    var notApprovedYet: String { "(not approved yet)" }
    var goodsReturned: String { "Goods returned" }
    var usedForExchange: String { "Used for the exchange" }
    var cashBack: String { "Cash given back" }
    func back(to payment: String) -> String { "Back to \(payment)" }
    func unpaid(by payment: String) -> String { "Not paid by \(payment)" }
    var refusedAfterSale: [String] {
        [
            "  the card was refused after its sale:", "  no money goes back to it",
        ]
    }

    func backByHub(_ sync: SyncState) -> [String] {
        switch sync {
        case .acknowledged, .superseded: []
        case .pending: ["  goes back to the card when the", "  hub has this refund"]
        case .rejected, .conflicted, .discarded: ["  refused by the hub: the card", "  does not get it"]
        }
    }

    func backToCard(_ state: CardReturn.State) -> [String] {
        switch state {
        case .returned: []
        case .requested: ["  requested: goes back to the card"]
        case .waiting: ["  goes back to the card when the", "  machine can be reached"]
        case .waitingForCard: ["  goes back when the card is", "  presented at the machine"]
        case .refused(let reason): ["  refused by the card machine:", "  \(reason)", "  to be paid in cash"]
        case .paidInCash: ["  paid in cash instead"]
        }
    }

    func earned(_ points: Int64) -> String { "Points earned: \(points)" }
    func spent(_ points: Int64) -> String { "Points spent: \(points)" }
    func takenBack(_ points: Int64) -> String { "Points taken back: \(points)" }
    func givenBack(_ points: Int64) -> String { "Points given back: \(points)" }
    var recordedOffline: String { "Recorded offline, delivered later" }
    func code(_ shortCode: String) -> String { "Code \(shortCode)" }
}
