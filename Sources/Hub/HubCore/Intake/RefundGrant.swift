import Base
package import HubProtocol

/// Something that came back of a sale, with the terminal that gave the money for it.
package struct ReturnedPart: Hashable, Sendable {
    /// The terminal, and when.
    package struct Origin: Hashable, Sendable {
        package let terminalId: String
        /// Its store; nil for a terminal that this hub did not enrol.
        package let storeId: String?
        /// The number in its order numbers; nil for a terminal that this hub did not enrol.
        package let terminalNumber: Int64?
        /// Milliseconds since 1970.
        package let at: Int64

        package init(terminalId: String, storeId: String?, terminalNumber: Int64?, at: Int64) {
            self.terminalId = terminalId
            self.storeId = storeId
            self.terminalNumber = terminalNumber
            self.at = at
        }

        /// - Parameters:
        ///   - document: the mutation, which has the times at which it was made; nil: it is not kept.
        ///   - receivedAt: counts where the document has no time that can be read.
        package init(
            terminalId: String, storeId: String?, terminalNumber: Int64?, document: JSONValue?,
            receivedAt: Int64
        ) {
            let made = EntryTimes.made(
                EntryMembers(shown: document?["payload"]).hubTime, document?["clientGeneratedAt"]?.string)
            self.init(
                terminalId: terminalId, storeId: storeId, terminalNumber: terminalNumber,
                at: made.first ?? receivedAt)
        }

        fileprivate var place: ReceiptSale.Refund.Place? {
            storeId.map {
                ReceiptSale.Refund.Place(
                    storeId: $0, terminalNumber: terminalNumber, at: Timestamp.text(milliseconds: at))
            }
        }
    }

    /// The refund's id; of a void the order's.
    package let refundId: String
    /// What came back.
    package let facts: RefundFacts
    /// Nil: not known.
    package let origin: Origin?

    package init(refundId: String, facts: RefundFacts, origin: Origin? = nil) {
        self.refundId = refundId
        self.facts = facts
        self.origin = origin
    }

    /// As terminals get it.
    var shown: ReceiptSale.Refund { shown(isVoid: false) }

    func shown(isVoid: Bool, isReserved: Bool = false) -> ReceiptSale.Refund {
        ReceiptSale.Refund(
            refundId: refundId, total: facts.total, quantities: facts.quantities, place: origin?.place,
            isVoid: isVoid, isReserved: isReserved)
    }
}

/// A refund or void that the hub granted a terminal, and whose mutation has not arrived.
///
/// It ends with that mutation, when the terminal gives it back, or when the terminal has signed a head after
/// the grant, the hub has everything up to that head, and the mutation is not among it. What no terminal can
/// use any more ends when that is revoked.
package struct RefundGrant: Hashable, Sendable {
    /// Refund or void.
    package let kind: RefundInquiry.Kind
    /// The sale.
    package let orderId: String
    /// What is to come back; of a void all of it. Its origin is the terminal that it was granted to, and the
    /// hub's time of the grant.
    package let part: ReturnedPart
    private let terminalId: String
    private let grantedAt: Int64
    private let evidence: JournalEvidence?
    private let isRevoked: Bool

    /// Makes a grant.
    ///
    /// - Parameters:
    ///   - terminal: to whom and when; the hub's time.
    ///   - evidence: of the terminal's last epoch; nil: the hub has nothing of it.
    ///   - isRevoked: whether the terminal is.
    package init(
        _ kind: RefundInquiry.Kind, refundId: String, orderId: String, _ facts: RefundFacts,
        to terminal: ReturnedPart.Origin, evidence: JournalEvidence? = nil, isRevoked: Bool = false
    ) {
        self.kind = kind
        self.orderId = orderId
        part = ReturnedPart(refundId: refundId, facts: facts, origin: terminal)
        terminalId = terminal.terminalId
        grantedAt = terminal.at
        self.evidence = evidence
        self.isRevoked = isRevoked
    }

    /// Nil for a kind that this version does not have.
    package init?(
        kind: String, orderId: String, part: ReturnedPart, evidence: JournalEvidence?, isRevoked: Bool
    ) {
        guard let kind = RefundInquiry.Kind(rawValue: kind), let terminal = part.origin else { return nil }
        self.init(
            kind, refundId: part.refundId, orderId: orderId, part.facts, to: terminal, evidence: evidence,
            isRevoked: isRevoked)
    }

    /// The refund's id; of a void the order's.
    package var refundId: String { part.refundId }
    /// What is to come back.
    package var facts: RefundFacts { part.facts }
    /// When it was granted, in milliseconds since 1970: the later one of the hub's time and of the terminal's
    /// when it sent the inquiry, since a head that was signed before and arrives after must not end it.
    package var moment: Int64 { grantedAt }
    /// To whom.
    package var holder: String { terminalId }

    /// How far ahead a terminal's clock counts, in milliseconds. Halved, a till whose clock nobody set may
    /// lose a grant to a head that was under way; doubled, one that lies keeps what it left twice as long.
    private static let furthestAhead: Int64 = 600_000

    static func moment(of inquiry: RefundInquiry, at now: Int64) -> Int64 {
        max(now, min(inquiry.date ?? now, now + furthestAhead))
    }

    /// Whether nothing will come of it.
    package var isOver: Bool { isRevoked || (evidence?.complete ?? 0) > grantedAt }

    var shown: ReceiptSale.Refund { part.shown(isVoid: kind == .void, isReserved: true) }
}
