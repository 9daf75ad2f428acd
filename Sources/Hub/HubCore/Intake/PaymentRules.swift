public import HubProtocol

/// What came of an authorisation.
public enum PaymentOutcome: Hashable, Sendable {
    /// New: the store keeps it under its key.
    case decided(PaymentAuthorization)
    /// Kept before, for the same order and amount.
    case known(PaymentAuthorization)
    /// Kept before for another order, amount or terminal.
    case keyReused
}

/// The states of a simulated card payment (http.md section 6), the same for every store.
///
/// `authorized` leads to `captured` or `voided`, `captured` leads to `voided`; `declined` and `voided` are
/// final. A void can arrive before the authorisation that it voids. Then ``voidedAhead(key:)`` is kept under
/// the key. The late authorisation gives it order and amount, and it stays voided.
public enum PaymentRules {
    /// The states from which a capture leads to `captured`. In any other state a payment stays as it is.
    public static let capturable: [PaymentAuthorization.State] = [.authorized]
    /// The states from which a void leads to `voided`, without approval code. Any other state stays.
    public static let voidable: [PaymentAuthorization.State] = [.authorized, .captured]

    /// What an authorisation leads to.
    ///
    /// - Parameters:
    ///   - wanted: the payment as it would be without anything under its key.
    ///   - terminalId: the terminal that sends it.
    ///   - known: what is kept under the key, and for which terminal; nil: nothing.
    public static func decide(
        _ wanted: PaymentAuthorization, by terminalId: String,
        over known: (payment: PaymentAuthorization, terminalId: String)?
    ) -> PaymentOutcome {
        guard let known else { return .decided(wanted) }
        guard known.terminalId == terminalId else { return .keyReused }
        if known.payment.orderId.isEmpty { return .decided(voided(wanted)) }
        let isSame =
            known.payment.orderId == wanted.orderId && known.payment.amount == wanted.amount
            && known.payment.currency == wanted.currency
        return isSame ? .known(known.payment) : .keyReused
    }

    /// What is kept under a key that is voided ahead of its authorisation: it has no order.
    public static func voidedAhead(key: String) -> PaymentAuthorization {
        PaymentAuthorization(
            key: key, orderId: "", state: .voided, amount: 0, currency: NoCurrency.code, approvalCode: nil,
            declineReason: nil)
    }

    private static func voided(_ wanted: PaymentAuthorization) -> PaymentAuthorization {
        PaymentAuthorization(
            key: wanted.key, orderId: wanted.orderId, state: .voided, amount: wanted.amount,
            currency: wanted.currency, approvalCode: nil, declineReason: nil)
    }
}

/// The value where no currency is known yet.
public enum NoCurrency {
    /// ISO 4217's own code for "no currency".
    public static let code = "XXX"
}
