internal import Base
internal import HubProtocol

struct EnglishReportTexts: ReportTexts {
    func title(of kind: CashMove.Kind) -> String {
        switch kind {
        case .in: "CASH IN"
        case .out: "CASH OUT"
        case .drop: "TO THE SAFE"
        case .noSale: "DRAWER OPENED"
        }
    }

    func name(_ figure: ShiftFigure) -> String { Language.english.sharedTexts.name(figure) }

    var xReport: String { "X REPORT" }
    var zReport: String { "Z REPORT" }
    func shift(_ id: String) -> String { "Shift \(id)" }
    func opened(_ moment: String) -> String { "Opened \(moment)" }
    func closed(_ moment: String) -> String { "Closed \(moment)" }

    func notCounted(_ count: Int64) -> String { "NOT COUNTED: \(count)" }
    var amountsAfterCount: String { "Amounts are shown after the count." }
    func net(_ currency: String) -> String { "NET \(currency)" }
    func tender(_ method: String) -> String {
        switch method {
        case "cash": "Cash"
        case "card": "Card"
        case _: method
        }
    }
    func counted(_ tender: String) -> String { "\(tender) counted" }
    func difference(of tender: String) -> String { "\(tender) difference" }
    var cashRounding: String { "of it rounding of cash" }
    var float: String { "Float" }
    var cashExpected: String { "Cash expected" }
    var cashCounted: String { "Cash counted" }
    var difference: String { "DIFFERENCE" }
    func tax(_ rate: String, of paid: String) -> String { "Tax \(rate) % of \(paid)" }

    var cardMachineDay: String { "Card machine's day" }
    var tillWithCardMachine: String { "This till with it" }
    func decided(by person: String) -> String { "decided by \(person)" }
    func decided(_ decision: CardDecision) -> String {
        switch (decision.purpose, decision.verdict) {
        case (.charge, .charged): "Card: decided as charged"
        case (.charge, .notCharged): "Card: decided as not charged"
        case (.reversal, .charged): "Card: void decided as done"
        case (.reversal, .notCharged): "Card: void decided as NOT done"
        case (.refund, .charged): "Card: refund decided as done"
        case (.refund, .notCharged): "Card: refund decided as NOT done"
        }
    }
    var cardsRefused: String { "Cards refused after the sale" }
    var noReason: String { "no reason given" }
    func settled(_ reason: String) -> String { "settled: \(reason)" }
    var owed: String { "OWED" }
    var customersOwe: String { "the customers owe: inform the manager" }

    func entriesSoFar(_ count: Int64) -> String { "\(entries(count)) so far" }
    func entries(_ count: Int64) -> String { count == 1 ? "1 entry" : "\(count) entries" }
    func entries(_ count: Int64, received: Int64, gap: Int64) -> String {
        "\(entries(count)), \(received) received, gap \(gap)"
    }
    var provisional: String { "provisional until the hub compared" }
    var confirmed: String { "confirmed by the hub" }
    var disputed: String { "DISPUTED: the hub has other sums" }
    var endsDiffer: String { "The journals end differently." }
    func ofTill(_ value: String) -> String { "  till \(value)" }
    func ofHub(_ value: String) -> String { "hub \(value)" }
}
