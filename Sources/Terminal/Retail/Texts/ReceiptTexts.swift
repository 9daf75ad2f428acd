package import Base
internal import HubProtocol
package import OfflineMode
internal import Pricing

/// The texts of the receipts of a sale and of a refund, in one language.
package protocol ReceiptTexts: Sendable {
    func number(_ number: String) -> String
    /// The sale that goods come back of.
    func of(_ number: String) -> String
    var withoutReceipt: String { get }
    func cashier(_ id: String) -> String
    func member(_ name: String) -> String
    func reason(_ text: String) -> String
    /// One word for the mark. Those of offline, void and refund are required: the text of a receipt has them
    /// in every language.
    func mark(_ mark: ReceiptMark) -> String

    /// Of a line or article.
    var discount: String { get }
    var points: String { get }
    func back(_ quantity: String) -> String

    func total(_ currency: String) -> String
    var cashRounding: String { get }
    var change: String { get }
    func tax(_ rate: String, of paid: String) -> String

    var cash: String { get }
    func card(_ code: String) -> String
    /// In the place of an approval's code.
    var notApprovedYet: String { get }
    /// What paid a part of an exchange, and on the slip of those goods what became of their worth.
    var goodsReturned: String { get }
    var usedForExchange: String { get }
    var cashBack: String { get }
    func back(to payment: String) -> String
    func unpaid(by payment: String) -> String
    /// Behind ``unpaid(by:)``.
    var refusedAfterSale: [String] { get }
    /// How far a card's money is that the hub gives back; nothing once the hub has the refund.
    func backByHub(_ sync: SyncState) -> [String]
    /// How far a card's money is that the terminal's own machine gives back; nothing once it is there.
    func backToCard(_ state: CardReturn.State) -> [String]

    func earned(_ points: Int64) -> String
    func spent(_ points: Int64) -> String
    func takenBack(_ points: Int64) -> String
    func givenBack(_ points: Int64) -> String
    var recordedOffline: String { get }
    /// What ties the paper to the journal's entry.
    func code(_ shortCode: String) -> String
}

extension ReceiptTexts {
    /// The tender with what the customer can name it by.
    func payment(_ payment: SalePayment) -> String {
        let code =
            payment.details.state == .storedOffline
            ? notApprovedYet
            : payment.card?.approvalCode ?? payment.details.machine?.approvalCode
                ?? payment.details.reference ?? ""
        switch payment.kind {
        case .cash: return cash
        case .card: return card(code)
        case .wallet, .voucher: return code.isEmpty ? payment.method.name : "\(payment.method.name) \(code)"
        }
    }
}

extension Language {
    package var receiptTexts: any ReceiptTexts {
        switch self {
        case .english: EnglishReceiptTexts()
        case .chinese: ChineseReceiptTexts()
        }
    }
}
