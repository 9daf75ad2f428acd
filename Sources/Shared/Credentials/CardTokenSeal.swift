internal import Foundation

/// Seals the opaque token of a card machine to the hub's sealing key (``HubSeal``). A terminal writes the
/// sealed form alone, and cannot open it again.
package enum CardTokenSeal {
    /// A sealed token belongs to one payment: under another key, amount or currency it does not open.
    private static func info(_ key: String, _ amount: Int64, _ currency: String) -> [UInt8] {
        Array("holdfast card token\n\(key)\n\(amount) \(currency)".utf8)
    }

    /// Seals `token` for the payment of `key`, in base64; nil where the hub's key cannot be used.
    ///
    /// - Parameter hubKey: the hub's public sealing key, base64.
    package static func sealed(
        _ token: [UInt8], ofPayment key: String, amount: Int64, currency: String, to hubKey: String
    ) -> String? {
        HubSeal.sealed(token, info: info(key, amount, currency), to: hubKey)
            .map { Data($0).base64EncodedString() }
    }

    /// The token of a payment; nil for one that was sealed to another key or for another payment.
    ///
    /// - Parameter privateKey: the raw private half of the hub's sealing key.
    package static func opened(
        _ sealed: String, ofPayment key: String, amount: Int64, currency: String, with privateKey: [UInt8]
    ) -> [UInt8]? {
        Data(base64Encoded: sealed).flatMap {
            HubSeal.opened(Array($0), info: info(key, amount, currency), with: privateKey)
        }
    }
}
