package import Base
internal import HubProtocol

/// Why something is not done, in one language: refusals of what a cashier does, and what stands in its way
/// before. Each text is one line: what happened and what to do next.
package protocol RefusalTexts: Sendable {
    func text(_ refusal: SaleRefusal) -> String
    func text(_ refusal: OrderRefusal) -> String
    /// Wait times are in full seconds, rounded up.
    func text(_ refusal: AuthorityRefusal) -> String
    func text(_ refusal: MemberRefusal) -> String
    func text(_ refusal: ShiftRefusal) -> String
    func text(_ refusal: CartRefusal) -> String

    /// Why no card can be taken, as a part of a sentence.
    func why(_ absence: CardAbsence) -> String

    /// Why, in one half of a line.
    func why(_ obstacle: TillObstacle) -> String
    /// Why, and what ends it.
    func text(_ obstacle: TillObstacle) -> String
}

extension Language {
    package var refusalTexts: any RefusalTexts {
        switch self {
        case .english: EnglishRefusalTexts()
        case .chinese: ChineseRefusalTexts()
        }
    }
}

extension SaleRefusal {
    /// `7 %, 19 %`, of rates in hundredths of a percent.
    static func percents(_ rates: [Int64]) -> String {
        rates.map { percentText($0) + " %" }.joined(separator: ", ")
    }
}
