package import Base

/// The texts of what terminal and hub both have, in one language.
package protocol SharedTexts: Sendable {
    /// A part of a sentence about the code, without a full stop.
    func text(_ fault: BarcodeFault) -> String

    /// At most 38 columns with a short tender.
    func name(_ figure: ShiftFigure) -> String
}

extension Language {
    /// The texts that terminal and hub share.
    package var sharedTexts: any SharedTexts {
        switch self {
        case .english: EnglishSharedTexts()
        case .chinese: ChineseSharedTexts()
        }
    }
}

/// Percent of a rate, for texts: 1,050 is `10.5`.
///
/// - Parameter basisPoints: hundredths of a percent.
package func percentText(_ basisPoints: Int64) -> String {
    let (whole, rest) = basisPoints.quotientAndRemainder(dividingBy: 100)
    guard rest != 0 else { return "\(whole)" }
    let digits = "\(rest < 10 ? "0" : "")\(rest)"
    return "\(whole)." + (digits.hasSuffix("0") ? String(digits.dropLast()) : digits)
}
