package import Base
package import HubProtocol

/// The texts of the report of a shift and of the slip of a movement of cash, in one language.
package protocol ReportTexts: Sendable {
    func title(of kind: CashMove.Kind) -> String
    func name(_ figure: ShiftFigure) -> String

    var xReport: String { get }
    var zReport: String { get }
    func shift(_ id: String) -> String
    /// When, and by whom.
    func opened(_ moment: String) -> String
    func closed(_ moment: String) -> String

    func notCounted(_ count: Int64) -> String
    /// In the place of amounts, where the count is blind.
    var amountsAfterCount: String { get }
    func net(_ currency: String) -> String
    func tender(_ method: String) -> String
    func counted(_ tender: String) -> String
    func difference(of tender: String) -> String
    var cashRounding: String { get }
    var float: String { get }
    var cashExpected: String { get }
    var cashCounted: String { get }
    var difference: String { get }
    func tax(_ rate: String, of paid: String) -> String

    /// The sum of the card machine's own end of day.
    var cardMachineDay: String { get }
    var tillWithCardMachine: String { get }
    func decided(by person: String) -> String
    func decided(_ decision: CardDecision) -> String
    var cardsRefused: String { get }
    var noReason: String { get }
    func settled(_ reason: String) -> String
    var owed: String { get }
    var customersOwe: String { get }

    func entriesSoFar(_ count: Int64) -> String
    func entries(_ count: Int64) -> String
    func entries(_ count: Int64, received: Int64, gap: Int64) -> String
    var provisional: String { get }
    var confirmed: String { get }
    var disputed: String { get }
    var endsDiffer: String { get }
    /// Two values of a figure, beside each other.
    func ofTill(_ value: String) -> String
    func ofHub(_ value: String) -> String
}

extension Language {
    package var reportTexts: any ReportTexts {
        switch self {
        case .english: EnglishReportTexts()
        case .chinese: ChineseReportTexts()
        }
    }
}
