package import HubProtocol
internal import Pricing

/// Amounts of money in messages: JSON numbers in whole units of the currency, `23.47`.
package enum NexoAmount {
    /// Digits that a number of JSON carries unchanged through every reader.
    private static let exactDigits = 15

    /// Nil for an amount with more digits than every reader keeps.
    package static func json(_ amount: Int64, currency: String) -> JSONValue? {
        let text = AmountText.text(amount, currency: currency)
        let digits = text.utf8.count(where: { (0x30...0x39).contains($0) })
        guard digits <= exactDigits else { return nil }
        return try? JSONParser.parse(text.utf8)
    }

    private static func number(_ json: JSONValue) -> Double? {
        switch json {
        case .integer(let whole): Double(whole)
        case .double(let parts): parts
        case _: nil
        }
    }

    /// The amount in the currency's smallest unit; nil for what is no amount, or one of parts of that unit.
    package static func amount(_ json: JSONValue?, currency: String) -> Int64? {
        let scale = (0..<AmountText.decimals(of: currency)).reduce(Int64(1)) { scale, _ in scale * 10 }
        guard let number = json.flatMap(number) else { return nil }
        // Compared as it would have been sent, so that no rounding passes for an amount.
        guard let amount = Int64(exactly: (number * Double(scale)).rounded()),
            let sent = Self.json(amount, currency: currency), Self.number(sent) == number
        else { return nil }
        return amount
    }
}
