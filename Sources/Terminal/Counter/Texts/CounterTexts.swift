internal import AgentAPI
internal import Base
internal import HubProtocol

/// The texts of the counter's screen in one language. Money, amounts and times come written.
protocol CounterTexts: CounterDialogTexts, FrontEndTexts {
    func label(_ action: CounterAction, isCartEmpty: Bool, isSignedIn: Bool) -> String
    /// What the key of the banner does, for its command.
    func bannerKey(_ command: String) -> String
    var unreadableReceipt: String { get }
    func unknownReceipt(_ typed: String) -> String
    /// How far the lines of a refund can be relied on; nil: the hub has decided them.
    func leftKnown(by source: LeftBy?) -> String?
    /// A card that was refused after its sale, of whose goods some came back.
    func unpaid(_ amount: MoneyAmount, by method: String) -> [String]
    func title(of field: CounterDialog.Field) -> String
    /// - Parameter currency: of the amounts in it.
    func hint(of field: CounterDialog.Field, currency: String) -> String
    func pinLocked(_ seconds: Int) -> String
    var notExchanged: String { get }
    var noDepartments: String { get }
    var noTender: String { get }
    var numberMissing: String { get }
    var malformedPoints: String { get }
    var pointsNeedMember: String { get }
    var nothingToVoid: String { get }
    /// How a tender goes that is not requested of the hub.
    func route(_ route: String) -> String
    var nothingScanned: String { get }
    var nothingMarked: String { get }
    var reasonMissing: String { get }
    func unseenWait(_ count: Int) -> String
    /// How far a card's money is that the terminal's own machine gives back, in lines of the smallest dialog.
    func back(_ card: CardReturnRecord) -> [String]
    /// Of a void whose money the card machine does not have back on the card yet.
    func voided(_ number: String, _ cards: [CardReturnRecord]) -> String
    /// Of a void whose cash the customer gets, with what is on its way to cards.
    func voided(_ number: String, inCash cash: MoneyAmount, _ cards: [CardReturnRecord]) -> String
    func voided(_ number: String, _ total: MoneyAmount) -> String
    var nothingToDo: String { get }
    var busy: String { get }
    var gone: String { get }
    var agentStopped: String { get }
    var agentBack: String { get }
    var signedOut: String { get }
    var malformedQuantity: String { get }
    func malformedDiscount(_ currency: String) -> String
    func malformedAmount(_ currency: String) -> String
    func stillPricing(_ count: Int) -> String
    func signedIn(_ name: String) -> String
    func unknownMember(_ id: String) -> String
    /// Another window was refused this cart.
    func wanted(by name: String) -> String
    var soldUnseen: String { get }
    var nothingComesBack: String { get }
    var offerDeclined: String { get }
    /// - Parameter time: on the store's clock.
    func soldBefore(_ number: String, _ time: String) -> String
    func outside(_ command: String) -> String
    /// The paper of a receipt; empty where there is nothing to say.
    func paper(_ paper: Paper) -> String
    func noPaper(_ detail: String?) -> String
    func subject(_ subject: CounterRefusal.Subject) -> String
    func kind(_ kind: CounterRefusal.Kind) -> String
    /// Where head office sent none.
    func withoutReason(_ kind: CounterRefusal.Kind) -> String
    /// What each key does, one line for each.
    func keys(_ refusal: CounterRefusal) -> [String]
    func state(_ shift: ShiftRecord) -> String
    func module(_ module: TillModule) -> String
    func printer(_ state: PrinterCall.Response.State) -> String
    func paperKind(_ kind: PrintJobRecord.Kind) -> String
    func jobState(_ state: PrintJobRecord.State) -> String

    /// The words before a key that stands where a text has a command: that is run, a key is pressed.
    func beforeKey(_ words: String) -> String
    /// Why head office refused an entry, by its code; nil: the text it sent is in this language.
    func reasonOfHub(_ refusal: CounterRefusal) -> String?
    func cameBack(_ money: String, till: String, store: String) -> String
    func unknownCode(_ code: String) -> String
    var cardNumberRefused: String { get }
    var cardOutcomeUnknown: String { get }
    var wrongPIN: String { get }
    var signInFirst: String { get }
    var needsManager: String { get }
    var totalChanged: String { get }
    var clocksDiffer: String { get }
    func exchanged(for money: String) -> String
    func largeChange(_ money: String) -> String
    func tax(_ rate: String) -> String
    func parked(_ name: String, content: String, total: String) -> String
    func stillToPay(_ money: String) -> String
    func stillToCharge(_ money: String) -> String
    /// Behind a refusal: how it is confirmed here.
    var countAgain: String { get }
    var enterAgain: String { get }
    var payAgain: String { get }
    var cashWentBack: String { get }
    var notInDrawer: String { get }
    func cashLeft(_ amount: String) -> String
    func cashCame(_ amount: String) -> String
}

extension Language {
    /// The one place that chooses the counter's texts.
    var counterTexts: any CounterTexts {
        switch self {
        case .english: EnglishCounterTexts()
        case .chinese: ChineseCounterTexts()
        }
    }
}
