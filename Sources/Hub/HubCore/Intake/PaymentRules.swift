package import HubProtocol

/// What came of an authorisation.
package enum PaymentOutcome: Hashable, Sendable {
    /// New: the store keeps it under its key.
    case decided(PaymentAuthorization)
    /// Kept before, for the same order and amount.
    case known(PaymentAuthorization)
    /// Kept before for another order or amount.
    case keyReused
    /// The terminal's quota of the day has no room for another row; nothing is kept.
    case pastQuota
}

/// What came of a void.
package enum PaymentVoiding: Hashable, Sendable {
    /// What is kept under the key then.
    case kept(PaymentAuthorization)
    /// The key is unknown, and the terminal's quota of the day has no room for another row.
    case pastQuota

    /// Nil where nothing of the terminal's is kept under the key.
    package var payment: PaymentAuthorization? {
        guard case .kept(let payment) = self else { return nil }
        return payment
    }
}

/// What a card gave back.
package enum RefundedCard: Hashable, Sendable {
    /// Money goes back.
    case paid
    /// The card was refused after its sale, so that less is owed.
    case owed(EndedDebt)
}

/// What is owed no more of a card that was refused after its sale.
package struct EndedDebt: Hashable, Sendable {
    /// The key of the payment's row.
    package let key: String
    /// Minor units.
    package let amount: Int64

    package init(key: String, amount: Int64) {
        (self.key, self.amount) = (key, amount)
    }
}

/// What the hub knows of a card that a sale names.
package enum CardEvidence: Hashable, Sendable {
    /// It was authorised for this sale.
    case authorized
    /// It was requested for this sale, and the hub has no decision: it was restored from a backup of before.
    case undecided
    /// It was declined or voided, or is another order's or amount's.
    case contrary
}

/// The states of a card payment (http.md section 6), the same for every store.
///
/// `unknown` leads to `authorized` or `declined`, `storedOffline` to `captured` or `forwardDeclined`. A
/// capture that the payment service refuses for good leads from `captured` to `forwardDeclined`.
/// `authorized` leads to `captured` or `voided`, `captured` leads to `voided` or `refunded`; `declined` and
/// `voided` are final. A void can arrive before the authorisation that it voids. Then ``voidedAhead(key:)``
/// is kept under the key. The late authorisation gives it order and amount, and it stays voided.
package enum PaymentRules {
    /// The states from which a capture leads to `captured`. In any other state a payment stays as it is.
    package static let capturable: [PaymentAuthorization.State] = [.authorized]
    /// The states from which a void leads to `voided`, without approval code. Any other state stays.
    package static let voidable: [PaymentAuthorization.State] = [
        .authorized, .captured, .unknown, .storedOffline, .forwardDeclined,
    ]
    /// The states from which a void has to be said to the payment service: it may have reserved the money.
    package static let voidedAtService: [PaymentAuthorization.State] = [
        .authorized, .captured, .unknown, .storedOffline,
    ]
    /// The states from which money goes back, as far as there is some left. Of a card that was refused after
    /// its sale no money goes back, since none came: what is owed gets less.
    package static let refundable: [PaymentAuthorization.State] = [
        .authorized, .captured, .storedOffline, .forwardDeclined,
    ]
    /// The states in which the payment service has not decided.
    package static let undecided: [PaymentAuthorization.State] = [.unknown, .storedOffline]

    /// Whether `text` can be a payment's key: 1 to 64 bytes of visible ASCII without `"`. Other bytes could
    /// read as the same text, and two keys as one.
    package static func isKey(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && isVisible(text)
    }

    /// Whether a header field can carry `text` as it is.
    static func isVisible(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }
    }

    /// The amount of one payment of a sale, in minor units; nil for one that money cannot be.
    static func amount(of payment: RecordedPayment) -> Int64? {
        payment.amount.flatMap { (1...PayloadRange.count.upperBound).contains($0) ? $0 : nil }
    }

    /// What a decision of the payment service makes of a payment; nil: it was decided, or voided, before.
    package static func settled(
        _ known: PaymentAuthorization, by decision: PaymentDecision
    ) -> PaymentAuthorization? {
        let isStored = known.state == .storedOffline
        guard isStored || known.state == .unknown else { return nil }
        let state: PaymentAuthorization.State =
            switch (decision, isStored) {
            case (.authorized, true): .captured
            case (.authorized, false): .authorized
            case (.declined, true): .forwardDeclined
            case (.declined, false): .declined
            }
        var (approvalCode, reason): (String?, String?) = (nil, nil)
        switch decision {
        case .authorized(let code): approvalCode = code
        case .declined(let words): reason = words
        }
        return PaymentAuthorization(
            key: known.key, orderId: known.orderId, state: state, amount: known.amount,
            currency: known.currency, approvalCode: approvalCode, declineReason: reason)
    }

    /// What an authorisation leads to.
    ///
    /// - Parameters:
    ///   - wanted: the payment as it would be without anything under its key.
    ///   - known: what the device's own key has; nil: nothing.
    package static func decide(
        _ wanted: PaymentAuthorization, over known: PaymentAuthorization?
    ) -> PaymentOutcome {
        guard let known else { return .decided(wanted) }
        if known.orderId.isEmpty { return .decided(voided(wanted).kept(under: known.key)) }
        let isSame =
            known.orderId == wanted.orderId && known.amount == wanted.amount
            && known.currency == wanted.currency
        return isSame ? .known(known) : .keyReused
    }

    /// What `kept`, of the seller's own key, says of a card that a sale was sold by.
    package static func evidence(
        of sold: PaymentAuthorization, in kept: PaymentAuthorization
    ) -> CardEvidence {
        guard kept.orderId == sold.orderId, kept.amount == sold.amount, kept.currency == sold.currency
        else { return .contrary }
        switch kept.state {
        case .authorized, .captured, .refunded: return .authorized
        case .unknown: return .undecided
        case .declined, .voided, .storedOffline, .forwardDeclined: return .contrary
        }
    }

    /// How many cards and wallets of one sale are looked at. A terminal takes two; the factor of ten is for
    /// other front ends, and each costs a write in the transaction that all pushes wait for.
    package static let mostCards = 20

    /// What is kept under a key that is voided ahead of its authorisation: it has no order.
    package static func voidedAhead(key: String) -> PaymentAuthorization {
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

/// What the payment service decided.
package enum PaymentDecision: Hashable, Sendable {
    case authorized(approvalCode: String)
    case declined(reason: String)
}

/// A card or wallet payment that a terminal took without any service, with the token that the hub forwards.
package struct StoredPayment: Hashable, Sendable {
    /// The payment's key; the service gets it as idempotency key.
    package let key: String
    /// The order that it pays.
    package let orderId: String
    /// Minor units.
    package let amount: Int64
    /// ISO 4217.
    package let currency: String
    /// The machine's token, sealed to one of the hub's keys.
    package let sealed: PaymentDetails.SealedToken
    /// When the terminal took it, by its clock; milliseconds since 1970.
    package let storedAt: Int64
    /// The shift of its sale; nil: none was open.
    package let shiftId: String?

    /// Makes a payment; nothing is checked here. By default no shift was open.
    package init(
        key: String, orderId: String, amount: Int64, currency: String, sealed: PaymentDetails.SealedToken,
        storedAt: Int64, shiftId: String? = nil
    ) {
        self.key = key
        self.orderId = orderId
        self.amount = amount
        self.currency = currency
        self.sealed = sealed
        self.storedAt = storedAt
        self.shiftId = shiftId
    }

    /// Takes a payment of a sale; nil for one that is no stored one, or cannot be forwarded.
    init?(_ payment: RecordedPayment, of order: CompletedOrder) {
        guard let details = payment.details, details.state == .storedOffline, let sealed = details.sealed,
            let key = payment.authorizationKey, PaymentRules.isKey(key),
            let amount = PaymentRules.amount(of: payment)
        else { return nil }
        self.init(
            key: key, orderId: order.orderId, amount: amount, currency: order.currency, sealed: sealed,
            storedAt: details.storedAt ?? 0, shiftId: order.shiftId)
    }
}

extension PaymentAuthorization {
    /// The same payment under the key of its row (``EntryKey``), or under the one
    /// that its terminal minted.
    package func kept(under key: String) -> PaymentAuthorization {
        var copy = PaymentAuthorization(
            key: key, orderId: orderId, state: state, amount: amount, currency: currency,
            approvalCode: approvalCode, declineReason: declineReason)
        (copy.isSimulated, copy.settledAt) = (isSimulated, settledAt)
        return copy
    }

    /// A payment of a sale, which was sold because it was authorised; nil where it cannot be captured.
    init?(key: String, _ payment: RecordedPayment, of order: CompletedOrder) {
        guard PaymentRules.isKey(key), let amount = PaymentRules.amount(of: payment),
            let details = payment.details, [nil, .authorized, .captured].contains(details.state)
        else { return nil }
        self.init(
            key: key, orderId: order.orderId, state: .authorized, amount: amount, currency: order.currency,
            approvalCode: payment.approvalCode, declineReason: nil)
    }
}

/// The value where no currency is known yet.
package enum NoCurrency {
    /// ISO 4217's own code for "no currency".
    package static let code = "XXX"
}

/// What a payload says about its currency.
package enum NamedCurrency {
    /// Nil where it is none, or what can be none.
    package static func of(_ text: String?) -> String? {
        text.flatMap { SaleRules.isCurrency($0) ? $0 : nil }
    }
}
