internal import Base

/// A part of a balance that the hub lends to one terminal: the value of the feed's entity `lease`, which only
/// that terminal gets, and an element of the response to ``Routes/leases``.
public struct LeaseRecord: Hashable, Sendable {
    /// The entity's name in the feed.
    public static let entity = "lease"

    /// A ULID, the entity's id too.
    public let leaseId: String
    /// What is lent.
    public let kind: LeaseKind
    /// Whose, by the kind: of a coupon the keyed digest of its code.
    public let subject: String
    /// All that was ever lent by this lease, in the kind's unit; the terminal takes off what it spent of it.
    public let amount: Int64
    /// Milliseconds since 1970 by the hub's clock, from when on the terminal spends nothing of it.
    public let expiresAt: Int64
    /// From 1 on, one more with each renewal.
    public let version: Int64
    /// The epoch of the terminal's journal that it is for: a terminal of another epoch does not spend it.
    public let epoch: Int64

    /// Makes a record; nothing is checked here.
    public init(
        leaseId: String, kind: LeaseKind, subject: String, amount: Int64, expiresAt: Int64, version: Int64,
        epoch: Int64
    ) {
        self.leaseId = leaseId
        self.kind = kind
        self.subject = subject
        self.amount = amount
        self.expiresAt = expiresAt
        self.version = version
        self.epoch = epoch
    }

    /// Reads the entity's value; a missing `epoch` is the first one.
    public init(json: JSONValue) throws(ShapeError) {
        guard let kind = LeaseKind(rawValue: try json.requiredString("kind")) else {
            throw ShapeError(path: "kind", expected: "points, coupon or card")
        }
        guard let expiresAt = Timestamp.milliseconds(of: try json.requiredString("expiresAt")) else {
            throw ShapeError(path: "expiresAt", expected: "an RFC 3339 time")
        }
        self.init(
            leaseId: try json.requiredString("leaseId"), kind: kind,
            subject: try json.requiredString("subject"),
            amount: try json.requiredInteger("amount", in: PayloadRange.count), expiresAt: expiresAt,
            version: try json.requiredInteger("version"),
            epoch: try json.optionalInteger("epoch", in: JSONValue.exactIntegers) ?? 1)
    }

    /// The entity's value.
    public var json: JSONValue {
        [
            "leaseId": .string(leaseId), "kind": .string(kind.rawValue), "subject": .string(subject),
            "amount": .integer(amount), "expiresAt": .string(Timestamp.text(milliseconds: expiresAt)),
            "version": .integer(version), "epoch": .integer(epoch),
        ]
    }

    /// The same lease of another subject.
    public func about(_ subject: String) -> LeaseRecord {
        LeaseRecord(
            leaseId: leaseId, kind: kind, subject: subject, amount: amount, expiresAt: expiresAt,
            version: version, epoch: epoch)
    }
}

/// The body of a request to ``Routes/leases``: what a terminal is about to spend.
public struct LeaseWish: Hashable, Sendable {
    /// What of.
    public let kind: LeaseKind
    /// Whose: a member's id, or a coupon's code as it was typed.
    public let subject: String
    /// What the terminal's leases of it should leave in all.
    public let amount: Int64
    /// The epoch of the terminal's journal.
    public let epoch: Int64

    /// Makes a wish; nothing is checked here.
    public init(kind: LeaseKind, subject: String, amount: Int64, epoch: Int64) {
        self.kind = kind
        self.subject = subject
        self.amount = amount
        self.epoch = epoch
    }

    /// Reads a body.
    public init(json: JSONValue) throws(ShapeError) {
        guard let kind = LeaseKind(rawValue: try json.requiredString("kind")) else {
            throw ShapeError(path: "kind", expected: "points, coupon or card")
        }
        self.init(
            kind: kind, subject: try json.requiredString("subject"),
            amount: try json.requiredInteger("amount", in: PayloadRange.count),
            epoch: try json.requiredInteger("epoch", in: 1...JSONValue.exactIntegers.upperBound))
    }

    /// The body.
    public var json: JSONValue {
        [
            "kind": .string(kind.rawValue), "subject": .string(subject), "amount": .integer(amount),
            "epoch": .integer(epoch),
        ]
    }
}
