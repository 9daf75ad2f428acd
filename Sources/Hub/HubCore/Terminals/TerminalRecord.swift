/// A till as the hub knows it.
package struct TerminalRecord: Hashable, Sendable {
    /// A ULID, minted by the hub at enrolment.
    package let id: String
    /// The store of the enrolment code; it never changes.
    package let storeId: String
    /// Unique within the store, from 1.
    package let number: Int64
    /// The text that the terminal gave itself at enrolment, for operators; it need not be unique.
    package let name: String
    /// The device's Ed25519 public key: 32 bytes in base64.
    package let publicKey: String
    /// Milliseconds since 1970.
    package let enrolledAt: Int64
    /// Milliseconds since 1970; nil while the terminal is not revoked.
    package let revokedAt: Int64?
    /// Until when the last token it was given holds, in milliseconds since 1970.
    package let tokenExpiresAt: Int64
    /// Since when it waits for an operator's confirmation, after it came back to a hub that did not know it;
    /// nil for a confirmed one. Milliseconds since 1970.
    package let unconfirmedSince: Int64?
    /// The date that its last renewal was signed with, in milliseconds since 1970; nil before the first one.
    package let renewalDate: Int64?

    /// For how long after its expiry a token that was not revoked can be renewed: 400 days, in milliseconds,
    /// as the contract has it (http.md section 2). It is a year of a closed shop and a month more; with half
    /// of it a seasonal shop enrols anew each year.
    package static let renewalGraceMilliseconds: Int64 = 400 * 86_400_000

    /// Makes a record. By default the terminal is confirmed and was never renewed. Times are milliseconds
    /// since 1970.
    package init(
        id: String, storeId: String, number: Int64, name: String, publicKey: String, enrolledAt: Int64,
        revokedAt: Int64?, tokenExpiresAt: Int64, unconfirmedSince: Int64? = nil, renewalDate: Int64? = nil
    ) {
        self.id = id
        self.storeId = storeId
        self.number = number
        self.name = name
        self.publicKey = publicKey
        self.enrolledAt = enrolledAt
        self.revokedAt = revokedAt
        self.tokenExpiresAt = tokenExpiresAt
        self.unconfirmedSince = unconfirmedSince
        self.renewalDate = renewalDate
    }

    /// `revoked` before `unconfirmed` before `confirmed`: a revoked terminal stays so, whatever else is true.
    package var state: TerminalState {
        if revokedAt != nil { return .revoked }
        return unconfirmedSince == nil ? .confirmed : .unconfirmed
    }

    /// Why this terminal cannot be one device with an earlier one, whose key is gone; nil when it can.
    ///
    /// Of two tills that sell one must not name the other's entries as its own, so that the earlier one has
    /// to be revoked.
    package func objection(toLinkTo earlier: TerminalRecord) -> String? {
        if earlier.storeId != storeId {
            return "The terminal \(earlier.id) belongs to the store \(earlier.storeId), not \(storeId)."
        }
        if earlier.revokedAt == nil { return "Revoke the terminal \(earlier.id) first: its key still works." }
        if revokedAt != nil { return "The terminal \(id) is revoked." }
        return nil
    }

    /// The same terminal under another number of its store.
    package func numbered(_ number: Int64) -> TerminalRecord {
        TerminalRecord(
            id: id, storeId: storeId, number: number, name: name, publicKey: publicKey,
            enrolledAt: enrolledAt, revokedAt: revokedAt, tokenExpiresAt: tokenExpiresAt,
            unconfirmedSince: unconfirmedSince, renewalDate: renewalDate)
    }
}

/// The hub's state of a terminal, in the order in which one state follows another. The raw value is the
/// stable name for it.
package enum TerminalState: String, Hashable, Sendable, Comparable {
    /// It came back with a token of this hub's own to a store that did not know it, from before a restore for
    /// example. Its pushes are accepted; it gets products and its own notes until an operator confirms it.
    case unconfirmed
    case confirmed
    case revoked

    private var rank: Int {
        switch self {
        case .unconfirmed: 0
        case .confirmed: 1
        case .revoked: 2
        }
    }

    /// In the order `unconfirmed`, `confirmed`, `revoked`; the raw values do not count.
    package static func < (one: TerminalState, other: TerminalState) -> Bool { one.rank < other.rank }
}

/// How a store counts its terminals: no number is given twice, not even one that the hub only saw in a token.
package struct TerminalNumbers: Hashable, Sendable {
    /// The highest number that was given or seen.
    package private(set) var highest: Int64

    /// Goes on behind `highest`; 0 for a store without terminals.
    package init(highest: Int64) {
        self.highest = highest
    }

    /// A number for a new terminal.
    package mutating func next() -> Int64 {
        highest += 1
        return highest
    }

    /// The number of a terminal that comes back with `number` in its token: that one, or another when it
    /// belongs to another terminal by now.
    package mutating func readmitted(_ number: Int64, isTaken: Bool) -> Int64 {
        highest = max(highest, number)
        return isTaken ? next() : number
    }
}

/// An enrolment code as operators see it; the code itself is kept nowhere.
package struct EnrolmentCodeRecord: Hashable, Sendable {
    /// The beginning of its digest.
    package let id: String
    /// The store that a terminal joins with this code.
    package let storeId: String
    /// Milliseconds since 1970.
    package let expiresAt: Int64
    /// The terminal that used it; nil while it was not used.
    package let terminalId: String?
    /// Milliseconds since 1970; nil for one that nobody took back.
    package let revokedAt: Int64?

    /// Makes a record and keeps only the first ``idLength`` characters of the digest. Times are milliseconds
    /// since 1970.
    package init(digest: String, storeId: String, expiresAt: Int64, terminalId: String?, revokedAt: Int64?) {
        id = String(digest.prefix(Self.idLength))
        self.storeId = storeId
        self.expiresAt = expiresAt
        self.terminalId = terminalId
        self.revokedAt = revokedAt
    }

    /// 48 bits: two of a hub's codes never share them by chance, and they do not reveal the code.
    package static let idLength = 12

    /// How long after its end a code is still listed: 31 days in milliseconds, the longest that one can live.
    package static let shownMilliseconds: Int64 = 31 * 86_400_000
}

/// The sender, from the device's token; never read from a body.
package struct DeviceIdentity: Hashable, Sendable {
    /// The terminal's ULID.
    package let terminalId: String
    /// The store that the terminal was enrolled for; it decides what the terminal may read.
    package let storeId: String

    /// An identity from the claims of a token whose signature was checked.
    package init(terminalId: String, storeId: String) {
        self.terminalId = terminalId
        self.storeId = storeId
    }
}

/// The id of a store: what stands first in its order numbers.
package enum StoreIdentifier {
    /// Whether `text` can be a store's id: 1 to 32 ASCII letters, digits, hyphens or
    /// underscores. (A dot separates the parts of a token.)
    package static func isValid(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
            }
    }
}
