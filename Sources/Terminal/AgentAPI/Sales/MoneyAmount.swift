internal import HubProtocol
internal import Pricing

/// An amount with its currency.
package struct MoneyAmount: MemberDocument {
    /// Minor units of ``currency``.
    package var amount: Int64 = 0
    /// ISO 4217.
    package var currency = ""

    /// An amount in minor units, then its ISO 4217 code: `MoneyAmount(1250, "CNY")`.
    package init(_ amount: Int64, _ currency: String) {
        (self.amount, self.currency) = (amount, currency)
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("amount", &amount)
        try m("currency", &currency)
    }

    /// With the decimals of its currency: `12.50 CNY`.
    package var text: String { AmountText.money(amount, currency) }
}

/// A span of time in a document: milliseconds, with up to three decimals.
struct ExactMilliseconds: DocumentValue {
    let microseconds: Int64

    init(microseconds: Int64) { self.microseconds = microseconds }

    init(_ json: JSONValue, at path: String) throws(ShapeError) {
        switch json {
        case .integer(let whole) where whole.magnitude < 1 << 53: microseconds = whole * 1000
        case .double(let exact) where exact.magnitude < 1e15:
            microseconds = Int64((exact * 1000).rounded())
        default: throw ShapeError(path: path, expected: "a number of milliseconds")
        }
    }

    var json: JSONValue {
        microseconds % 1000 == 0
            ? .integer(microseconds / 1000) : .double(Double(microseconds) / 1000)
    }
}
