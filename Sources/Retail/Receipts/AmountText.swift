/// Amounts as people read them.
enum AmountText {
    /// `1250` of CNY as `12.50`, of JPY as `1250`.
    static func text(_ amount: Int64, currency: String) -> String {
        let decimals = decimals(of: currency)
        let digits = padded(Int64(clamping: amount.magnitude), to: decimals + 1)
        let sign = amount < 0 ? "-" : ""
        guard decimals > 0 else { return sign + digits }
        return sign + digits.dropLast(decimals) + "." + digits.suffix(decimals)
    }

    /// The digits behind the point, from ISO 4217; 2 for every currency that is not in the short lists.
    private static func decimals(of currency: String) -> Int {
        switch currency {
        case "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF",
            "XOF", "XPF":
            0
        case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND": 3
        default: 2
        }
    }
}

/// Quantities as people read them.
enum QuantityText {
    /// `1000` as `1`, `1250` as `1.25`.
    static func text(milli: Int64) -> String {
        let size = milli.magnitude
        let whole = (milli < 0 ? "-" : "") + String(size / 1000)
        guard size % 1000 != 0 else { return whole }
        var fraction = padded(Int64(size % 1000), to: 3)
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return whole + "." + fraction
    }
}
