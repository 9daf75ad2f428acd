package import Base

/// The texts of what terminal and hub both have, in one language.
package protocol SharedTexts: Sendable {
    /// A part of a sentence about the code, without a full stop.
    func text(_ fault: BarcodeFault) -> String

    /// At most 38 columns with a short tender.
    func name(_ figure: ShiftFigure) -> String

    func text(_ age: Age) -> String
}

/// A span of time, cut to the unit that is read fastest: 90 s, 90 min, 40 h, 3 days.
package enum Age: Hashable, Sendable {
    case seconds(Int64)
    case minutes(Int64)
    case hours(Int64)
    case days(Int64)

    /// - Parameter milliseconds: below 0 the span is empty.
    package init(milliseconds: Int64) {
        let seconds = max(0, milliseconds) / 1000
        self =
            switch seconds {
            case ..<120: .seconds(seconds)
            case ..<7_200: .minutes(seconds / 60)
            case ..<172_800: .hours(seconds / 3_600)
            default: .days(seconds / 86_400)
            }
    }
}

extension Language {
    /// The texts that terminal and hub share.
    package var sharedTexts: any SharedTexts {
        switch self {
        case .english: EnglishSharedTexts()
        case .chinese: ChineseSharedTexts()
        }
    }

    package func age(milliseconds: Int64) -> String { sharedTexts.text(Age(milliseconds: milliseconds)) }
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
