internal import Base

/// A part of a balance that the hub lends to one terminal: the value of the feed's entity `lease`, which only
/// that terminal gets, and an element of the response to ``Routes/leases``.
package struct LeaseRecord: Hashable, Sendable {
    /// The entity's name in the feed.
    package static let entity = "lease"

    /// A ULID, the entity's id too.
    package let leaseId: String
    /// What is lent.
    package let kind: LeaseKind
    /// Whose, by the kind: of a coupon the keyed digest of its code.
    package let subject: String
    /// All that was ever lent by this lease, in the kind's unit; the terminal takes off what it spent of it.
    package let amount: Int64
    /// Milliseconds since 1970 by the hub's clock, from when on the terminal spends nothing of it.
    package let expiresAt: Int64
    /// From 1 on, one more with each renewal.
    package let version: Int64
    /// The epoch of the terminal's journal that it is for: a terminal of another epoch does not spend it.
    package let epoch: Int64
    /// Whether others want it: the terminal returns it (``LeaseReturn``) unless a sale is about to spend it.
    package let isRecalled: Bool

    package init(
        leaseId: String, kind: LeaseKind, subject: String, amount: Int64, expiresAt: Int64, version: Int64,
        epoch: Int64, isRecalled: Bool = false
    ) {
        self.leaseId = leaseId
        self.kind = kind
        self.subject = subject
        self.amount = amount
        self.expiresAt = expiresAt
        self.version = version
        self.epoch = epoch
        self.isRecalled = isRecalled
    }

    /// Reads the entity's value; a missing `epoch` is the first one.
    package init(json: JSONValue) throws(ShapeError) {
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
            epoch: try json.optionalInteger("epoch", in: JSONValue.exactIntegers) ?? 1,
            isRecalled: json["recalled"] == true)
    }

    /// The entity's value.
    package var json: JSONValue {
        var members: JSONObject = [
            "leaseId": .string(leaseId), "kind": .string(kind.rawValue), "subject": .string(subject),
            "amount": .integer(amount), "expiresAt": .string(Timestamp.text(milliseconds: expiresAt)),
            "version": .integer(version), "epoch": .integer(epoch),
        ]
        if isRecalled { members["recalled"] = true }
        return .object(members)
    }

    /// The same lease of another subject.
    package func about(_ subject: String) -> LeaseRecord {
        LeaseRecord(
            leaseId: leaseId, kind: kind, subject: subject, amount: amount, expiresAt: expiresAt,
            version: version, epoch: epoch, isRecalled: isRecalled)
    }
}

/// The response to ``Routes/leases``.
package struct LentLeases: Hashable, Sendable {
    /// The terminal's leases of the subject, those with something left.
    package let leases: [LeaseRecord]
    /// Whether other terminals were requested to return what the wish lacks: it may succeed soon.
    package let isRecalled: Bool

    package init(leases: [LeaseRecord], isRecalled: Bool = false) {
        self.leases = leases
        self.isRecalled = isRecalled
    }

    /// Reads the response of ``Routes/leases`` or ``Routes/leaseReturns``.
    package init(json: JSONValue) throws(ShapeError) {
        var leases: [LeaseRecord] = []
        for lease in try json.requiredArray("leases") { leases.append(try LeaseRecord(json: lease)) }
        self.init(leases: leases, isRecalled: json["recalled"] == true)
    }

    /// The response.
    package var json: JSONValue {
        var members: JSONObject = ["leases": .array(leases.map(\.json))]
        if isRecalled { members["recalled"] = true }
        return .object(members)
    }
}

/// The body of a request to ``Routes/leaseReturns``: leases of which the terminal spends nothing more,
/// whatever becomes of the request. Repeating it changes nothing.
package struct LeaseReturn: Hashable, Sendable {
    package struct Part: Hashable, Sendable {
        /// A ULID.
        package let leaseId: String
        /// The most that sales of the terminal had spent of it at any time.
        package let spent: Int64

        package init(leaseId: String, spent: Int64) {
            self.leaseId = leaseId
            self.spent = spent
        }
    }

    /// The epoch of the terminal's journal.
    package let epoch: Int64
    /// The last entry of that journal: whatever the terminal spent of the leases is in it or before it.
    package let sequence: Int64
    /// At most ``most``.
    package let leases: [Part]

    /// The most leases of one request: each is looked up in one transaction. Twice as many let pushes wait
    /// for twice as long, half of it costs a terminal that returns many more requests.
    package static let most = 50

    package init(epoch: Int64, sequence: Int64, leases: [Part]) {
        self.epoch = epoch
        self.sequence = sequence
        self.leases = leases
    }

    /// Reads a body.
    package init(json: JSONValue) throws(ShapeError) {
        var leases: [Part] = []
        for part in try json.requiredArray("leases") {
            leases.append(
                Part(
                    leaseId: try part.requiredString("leaseId"),
                    spent: try part.requiredInteger("spent", in: PayloadRange.count)))
        }
        guard leases.count <= Self.most else {
            throw ShapeError(path: "leases", expected: "at most \(Self.most)")
        }
        self.init(
            epoch: try json.requiredInteger("epoch", in: 1...JSONValue.exactIntegers.upperBound),
            sequence: try json.requiredInteger("sequence", in: 0...JSONValue.exactIntegers.upperBound),
            leases: leases)
    }

    /// The body.
    package var json: JSONValue {
        [
            "epoch": .integer(epoch), "sequence": .integer(sequence),
            "leases": .array(
                leases.map { ["leaseId": .string($0.leaseId), "spent": .integer($0.spent)] }),
        ]
    }
}

/// The body of a request to ``Routes/leases``: what a terminal is about to spend.
package struct LeaseWish: Hashable, Sendable {
    package let kind: LeaseKind
    /// Whose: a member's id, or a coupon's code as it was typed.
    package let subject: String
    /// What the terminal's leases of it should leave in all.
    package let amount: Int64
    /// The epoch of the terminal's journal.
    package let epoch: Int64

    package init(kind: LeaseKind, subject: String, amount: Int64, epoch: Int64) {
        self.kind = kind
        self.subject = subject
        self.amount = amount
        self.epoch = epoch
    }

    /// Reads a body.
    package init(json: JSONValue) throws(ShapeError) {
        guard let kind = LeaseKind(rawValue: try json.requiredString("kind")) else {
            throw ShapeError(path: "kind", expected: "points, coupon or card")
        }
        self.init(
            kind: kind, subject: try json.requiredString("subject"),
            amount: try json.requiredInteger("amount", in: PayloadRange.count),
            epoch: try json.requiredInteger("epoch", in: 1...JSONValue.exactIntegers.upperBound))
    }

    /// The body.
    package var json: JSONValue {
        [
            "kind": .string(kind.rawValue), "subject": .string(subject), "amount": .integer(amount),
            "epoch": .integer(epoch),
        ]
    }
}
