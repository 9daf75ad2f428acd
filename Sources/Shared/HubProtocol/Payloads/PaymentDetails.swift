package import Base

/// What a tender is, whatever its name at the till (docs/reference/configuration.md).
package enum TenderKind: String, Hashable, Sendable, CaseIterable {
    case cash, card, wallet, voucher

    /// Whether its money is requested with the sale and not before. The others the customer hands over when
    /// they are taken, and gets back if nothing is sold.
    package var isChargedWithSale: Bool {
        switch self {
        case .card, .wallet: true
        case .cash, .voucher: false
        }
    }
}

/// Where the money of one payment is.
package enum PaymentState: String, Hashable, Sendable, CaseIterable {
    /// The payment service reserved it.
    case authorized
    /// The payment service refused it.
    case declined
    /// The money is taken.
    case captured
    /// The reservation was given up.
    case voided
    /// The money went back.
    case refunded
    /// No response yet: inquired again by the same key until it is known.
    case unknown
    /// A token is stored for the hub to forward; nobody has taken money yet.
    case storedOffline
    /// The payment service refused the forwarded token: a debt.
    case forwardDeclined
}

/// What a payment of a sale, a refund or a void carries besides method and amount. What does not apply is
/// left out of the payload.
package struct PaymentDetails: Hashable, Sendable {
    /// What the shop's own card machine returned.
    package struct Machine: Hashable, Sendable {
        /// The machine's number of the payment.
        package internal(set) var reference: String
        /// For the receipt; empty when the machine gave none.
        package internal(set) var approvalCode: String
        /// The terminal's key of the charge, by which the machine gives it back; nil in entries of before.
        package internal(set) var key: String?

        /// The protocol, as in `cardMachine.kind`; nil in entries of before.
        package internal(set) var kind: String?
        /// The machine's own id; nil where its protocol has none.
        package internal(set) var machineId: String?
        /// True where the machine took it without the bank; nil: it did not.
        package internal(set) var offline: Bool?
        /// Nil where the machine shows nothing of it.
        package internal(set) var card: Card?

        /// Makes a response; nothing is checked here. By default it has what every machine gives alone.
        package init(
            reference: String, approvalCode: String, key: String? = nil, kind: String? = nil,
            machineId: String? = nil, offline: Bool? = nil, card: Card? = nil
        ) {
            self.reference = reference
            self.approvalCode = approvalCode
            self.key = key
            self.kind = kind
            self.machineId = machineId
            self.offline = offline
            self.card = card
        }
    }

    /// What a card machine shows of a card. Never its number, never a track.
    package struct Card: Hashable, Sendable {
        /// As the machine names it.
        package internal(set) var brand: String?
        /// The last four digits.
        package internal(set) var last4: String?

        package init(brand: String?, last4: String?) { (self.brand, self.last4) = (brand, last4) }
    }

    /// A card machine's opaque token, sealed so that only the hub can open it.
    package struct SealedToken: Hashable, Sendable {
        /// The id of the hub's sealing key.
        package internal(set) var keyId: String
        /// HPKE (X25519), base64.
        @Secret package internal(set) var token: String

        package init(keyId: String, token: String) {
            self.keyId = keyId
            self.token = token
        }
    }

    /// Nil: the method's name is its kind.
    package var kind: TenderKind?
    /// Nil: authorized where there is an authorisation key, else captured.
    package var state: PaymentState?
    /// The shop's card machine; nil: it was not used.
    package var machine: Machine?
    /// Only with ``PaymentState/storedOffline``.
    package var sealed: SealedToken?
    /// When the token was stored, Unix milliseconds; only with ``sealed``.
    package var storedAt: Int64?
    /// A voucher's number; nil: none.
    package var reference: String?

    /// Whether nobody had asked a bank when the sale was made: it counts within the limits of `offlineCard`.
    package var isWithoutBank: Bool { state == .storedOffline || machine?.offline == true }

    /// Makes details of which each is missing by default.
    package init(
        kind: TenderKind? = nil, state: PaymentState? = nil, machine: Machine? = nil,
        sealed: SealedToken? = nil, storedAt: Int64? = nil, reference: String? = nil
    ) {
        self.kind = kind
        self.state = state
        self.machine = machine
        self.sealed = sealed
        self.storedAt = storedAt
        self.reference = reference
    }
}
