package import HubProtocol
internal import Pricing

/// An amount with its currency.
package struct MoneyAmount: AgentDocument {
    /// Minor units of ``currency``.
    package let amount: Int64
    /// ISO 4217.
    package let currency: String

    /// An amount in minor units, then its ISO 4217 code: `MoneyAmount(1250, "CNY")`.
    package init(_ amount: Int64, _ currency: String) {
        (self.amount, self.currency) = (amount, currency)
    }

    /// Both members are required; the amount has to be an integer.
    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init(try members.integer("amount"), try members.string("currency"))
    }

    /// `{"amount":1250,"currency":"CNY"}`.
    package var json: JSONValue { ["amount": .integer(amount), "currency": .string(currency)] }

    /// With the decimals of its currency: `12.50 CNY`.
    package var text: String { AmountText.money(amount, currency) }
}

/// A span of time in a document: milliseconds, with up to three decimals.
struct ExactMilliseconds {
    let microseconds: Int64

    init(microseconds: Int64) { self.microseconds = microseconds }

    init(_ members: AgentMembers, _ name: String) throws(ShapeError) {
        switch try members.value(name) {
        case .integer(let whole) where whole.magnitude < 1 << 53: microseconds = whole * 1000
        case .double(let exact) where exact.magnitude < 1e15:
            microseconds = Int64((exact * 1000).rounded())
        default: throw members.malformed(name, "a number of milliseconds")
        }
    }

    var json: JSONValue {
        microseconds % 1000 == 0
            ? .integer(microseconds / 1000) : .double(Double(microseconds) / 1000)
    }
}
