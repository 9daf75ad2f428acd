internal import Agent
internal import AgentAPI
internal import ArgumentParser
internal import HubProtocol

/// Reads what a cashier types as the parts of a sale.
enum SaleArguments {
    /// `BARCODE[:QTY][@PRICE][#DEPARTMENT[/RATE]]`, the price in minor units, the rate in percent. A barcode
    /// may have these signs itself: only a last part that is a number is a quantity or a price, and only what
    /// follows a price is a department.
    static func line(_ text: String) throws -> EnteredLine {
        guard let hash = text.lastIndex(of: "#"), case (_, _?) = priced(String(text[..<hash])) else {
            return try lineOfCatalogue(text, needsBarcode: true)
        }
        var line = try lineOfCatalogue(String(text[..<hash]), needsBarcode: false)
        (line.department, line.taxBasisPoints) = department(text[text.index(after: hash)...])
        return line
    }

    /// A name may have a slash itself: only a last part that is a number is a rate.
    private static func department(_ text: Substring) -> (name: String, taxBasisPoints: Int64?) {
        guard let slash = text.lastIndex(of: "/"), let rate = milli(text[text.index(after: slash)...]),
            rate >= 0, rate % 10 == 0
        else { return (String(text), nil) }
        return (String(text[..<slash]), rate / 10)
    }

    private static func lineOfCatalogue(_ text: String, needsBarcode: Bool) throws -> EnteredLine {
        guard !text.isEmpty else { throw ValidationError(.noBarcode(text)) }
        let (rest, price) = priced(text)
        var line = try unpricedLine(rest)
        line.unitPriceMinor = price
        // `BARCODE@PRICE:QTY`, as `QTY*BARCODE@PRICE` becomes.
        if price == nil, case (let barcode, let inner?) = priced(line.barcode) {
            line = EnteredLine(barcode: barcode, quantityMilli: line.quantityMilli)
            line.unitPriceMinor = inner
        }
        guard !line.barcode.isEmpty || !needsBarcode else {
            throw ValidationError(.noBarcode(text))
        }
        return line
    }

    private static func priced(_ text: String) -> (rest: String, price: Int64?) {
        guard let at = text.lastIndex(of: "@"), let price = Int64(text[text.index(after: at)...]) else {
            return (text, nil)
        }
        return (String(text[..<at]), price)
    }

    private static func unpricedLine(_ text: String) throws -> EnteredLine {
        guard let colon = text.lastIndex(of: ":") else { return EnteredLine(barcode: text) }
        let typed = text[text.index(after: colon)...]
        guard let quantity = milli(typed) else {
            // A barcode may have a colon, but nothing that is nearly a number is a part of one.
            guard typed.allSatisfy({ $0.isNumber || "+-.,".contains($0) }), typed.contains(where: \.isNumber)
            else { return EnteredLine(barcode: text) }
            throw ValidationError(.quantityUnreadable(text))
        }
        return EnteredLine(barcode: String(text[..<colon]), quantityMilli: quantity)
    }

    /// `METHOD[:AMOUNT[:NUMBER]]`, the amount in minor units, the number of a voucher; `METHOD::NUMBER` pays
    /// the rest. The text of a card
    /// number is never repeated.
    static func payment(_ text: String) throws -> SellCall.Tender {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard !parts.contains(where: { CardNumber.isLike(String($0)) }) else {
            throw TerminalError(.usage, code: "card_number_refused") { $0.cardNumberArgument }
        }
        guard let method = parts.first, !method.isEmpty else {
            throw ValidationError(.noMethod)
        }
        guard parts.count >= 2 else { return SellCall.Tender(method: String(method)) }
        if parts.count == 3, parts[1].isEmpty {
            return SellCall.Tender(method: String(method), reference: String(parts[2]))
        }
        guard let amount = Int64(parts[1]) else {
            guard parts[1].isEmpty || !parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                throw ValidationError(.amountTooLarge(text))
            }
            throw ValidationError(.amountMalformed(text))
        }
        return SellCall.Tender(
            method: String(method), amountMinor: amount,
            reference: parts.count == 3 ? String(parts[2]) : nil)
    }

    /// A decimal number with at most 3 decimals, behind a point or a comma, in thousandths; nil for anything
    /// else.
    static func milli(_ text: some StringProtocol) -> Int64? {
        let text = text.halfWidth
        let isNegative = text.hasPrefix("-")
        let digits = isNegative ? text.dropFirst() : text[...]
        let parts = digits.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
        guard (1...2).contains(parts.count),
            parts.allSatisfy({ part in part.utf8.allSatisfy { $0 >= 48 && $0 <= 57 } }),
            let first = parts.first, !first.isEmpty, let whole = Int64(first)
        else { return nil }
        let fraction = parts.count == 2 ? String(parts[1]) : ""
        guard fraction.count <= 3, parts.count == 1 || !fraction.isEmpty,
            let thousandths = Int64((fraction + "000").prefix(3))
        else { return nil }
        let (product, overflow) = whole.multipliedReportingOverflow(by: 1000)
        guard !overflow else { return nil }
        let (sum, carried) = product.addingReportingOverflow(thousandths)
        return carried ? nil : (isNegative ? -sum : sum)
    }
}
