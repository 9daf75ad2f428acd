internal import Pricing

/// What customers hand over: the currency's own notes.
package enum CashProposals {
    /// The amounts to propose for `due`, in minor units, the smallest first: what the notes of one kind come
    /// to that cover it. Above `due`, and at most ``most``.
    static func amounts(for due: Int64, currency: String) -> [Int64] {
        guard due > 0 else { return [] }
        var amounts: [Int64] = []
        for note in notes(of: currency) where amounts.count < most {
            let (sum, overflows) = ((due - 1) / note + 1).multipliedReportingOverflow(by: note)
            // Several notes of a kind are handed over, and one that is larger than all of them.
            if !overflows, sum > due, !amounts.contains(sum) { amounts.append(sum) }
        }
        return amounts.sorted()
    }

    /// With the exact amount above them five rows, which leaves the smallest window room for other tenders.
    static let most = 4

    /// Banknotes in circulation in minor units, as the issuing banks list them on their public pages in 2025:
    /// for example the European Central Bank, which no longer issues 500, the Bank of Japan, and the Central
    /// Bank of Kuwait. Notes that hardly circulate are left out. Of any other currency the usual series.
    static func notes(of currency: String) -> [Int64] {
        switch currency {
        case "EUR": hundreds(5, 10, 20, 50, 100, 200)
        case "USD", "CNY": hundreds(1, 5, 10, 20, 50, 100)
        case "GBP": hundreds(5, 10, 20, 50)
        case "CHF": hundreds(10, 20, 50, 100, 200, 1_000)
        case "AUD", "CAD", "NZD": hundreds(5, 10, 20, 50, 100)
        case "SEK", "NOK": hundreds(20, 50, 100, 200, 500, 1_000)
        case "DKK": hundreds(50, 100, 200, 500)
        case "PLN": hundreds(10, 20, 50, 100, 200, 500)
        case "CZK": hundreds(100, 200, 500, 1_000, 2_000, 5_000)
        case "HUF": hundreds(500, 1_000, 2_000, 5_000, 10_000, 20_000)
        case "HKD": hundreds(10, 20, 50, 100, 500, 1_000)
        case "TWD": hundreds(100, 200, 500, 1_000, 2_000)
        case "SGD": hundreds(2, 5, 10, 50, 100)
        case "MYR": hundreds(1, 5, 10, 20, 50, 100)
        case "THB": hundreds(20, 50, 100, 500, 1_000)
        case "INR": hundreds(10, 20, 50, 100, 200, 500)
        case "TRY": hundreds(5, 10, 20, 50, 100, 200)
        case "ILS": hundreds(20, 50, 100, 200)
        case "AED": hundreds(5, 10, 20, 50, 100, 200, 500, 1_000)
        case "SAR": hundreds(5, 10, 50, 100, 200, 500)
        case "ZAR": hundreds(10, 20, 50, 100, 200)
        case "BRL": hundreds(2, 5, 10, 20, 50, 100, 200)
        case "MXN": hundreds(20, 50, 100, 200, 500, 1_000)
        case "JPY": [1_000, 2_000, 5_000, 10_000]
        case "KRW": [1_000, 5_000, 10_000, 50_000]
        case "VND": [1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000]
        case "KWD": [250, 500, 1_000, 5_000, 10_000, 20_000]
        case "BHD": [500, 1_000, 5_000, 10_000, 20_000]
        case "OMR": [100, 500, 1_000, 5_000, 10_000, 20_000, 50_000]
        case "JOD": [1_000, 5_000, 10_000, 20_000, 50_000]
        default: usual.map { $0 * unit(of: currency) }
        }
    }

    /// Minor units. Nobody hands over a note more than is needed, so change above it is a slip of the hand.
    package static func largestNote(of currency: String) -> Int64 { notes(of: currency).max() ?? .max }

    private static let usual: [Int64] = [5, 10, 20, 50, 100, 200, 500, 1_000]

    private static func hundreds(_ units: Int64...) -> [Int64] { units.map { $0 * 100 } }

    private static func unit(of currency: String) -> Int64 {
        (0..<AmountText.decimals(of: currency)).reduce(1) { unit, _ in unit * 10 }
    }
}
