struct EnglishSharedTexts: SharedTexts {
    func text(_ fault: BarcodeFault) -> String {
        switch fault {
        case .wrongCheckDigit(nil, let digit, let right):
            "its check digit is \(digit), not \(right)"
        case .wrongCheckDigit(let source?, let digit, let right):
            "the check digit of (\(source)) is \(digit), not \(right)"
        case .unknownIdentifier(let identifier): "GS1 has no application identifier (\(identifier))"
        case .malformedData(let identifier): "the data of (\(identifier)) has not its form"
        case .noValue: "its weight or price is zero"
        case .repeatedArticle: "it has the article (01) twice"
        case .tooLong: "it has more than \(TextBound.scanned) bytes"
        case .noArticle: "it has no article (01)"
        }
    }

    func name(_ figure: ShiftFigure) -> String {
        switch figure {
        case .count(.sales): "Number of sales"
        case .count(.refunds): "Number of refunds"
        case .count(.voids): "Number of voids"
        case .total(.sales): "Sales"
        case .total(.refunds): "Refunds"
        case .total(.voids): "Voids"
        case .cashMove(.in): "Cash in"
        case .cashMove(.out): "Cash out"
        case .cashMove(.drop): "To the safe"
        case .cashMove(.noSale): "Drawer opened without sale"
        case .tenderCount(let method): "Payments by \(method)"
        case .tenderAmount(let method): "Paid by \(method)"
        case .taxPaid(let rate): "Paid at a tax of \(percentText(rate)) %"
        case .tax(let rate): "Tax at \(percentText(rate)) %"
        case .pointsEarned: "Points earned"
        case .pointsSpent: "Points spent"
        case .gap: "Entries that the hub does not have"
        case .uncounted: "Entries that cannot be counted"
        case .behind: "Entries behind the shift's end"
        case .head: "Hash of the last entry"
        case .other(let figure): figure
        }
    }

    func text(_ age: Age) -> String {
        switch age {
        case .seconds(let count): "\(count) s"
        case .minutes(let count): "\(count) min"
        case .hours(let count): "\(count) h"
        case .days(let count): "\(count) days"
        }
    }
}
