/// Amounts as people read them: the one place that knows how many decimals a currency has.
package enum AmountText {
    /// `1250` of CNY as `12.50`, of JPY as `1250`, of KWD as `1.250`.
    package static func text(_ amount: Int64, currency: String) -> String {
        let decimals = decimals(of: currency)
        let digits = String(amount.magnitude)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        let sign = amount < 0 ? "-" : ""
        guard decimals > 0 else { return sign + padded }
        return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }

    /// With its currency behind it: `12.50 CNY`.
    package static func money(_ amount: Int64, _ currency: String) -> String {
        text(amount, currency: currency) + " " + currency
    }

    /// The digits behind the point, from ISO 4217 (list one, 2024); 2 for every currency that is not in the
    /// short lists.
    package static func decimals(of currency: String) -> Int {
        switch currency {
        case "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV",
            "XAF", "XOF", "XPF":
            0
        case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND": 3
        case "CLF", "UYW": 4
        default: 2
        }
    }
}

/// Quantities as people read them.
package enum QuantityText {
    /// `1000` as `1`, `1250` as `1.25`.
    package static func text(milli: Int64) -> String {
        let size = milli.magnitude
        let whole = (milli < 0 ? "-" : "") + String(size / 1000)
        guard size % 1000 != 0 else { return whole }
        let digits = String(size % 1000)
        var fraction = String(repeating: "0", count: 3 - digits.count) + digits
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return whole + "." + fraction
    }
}
