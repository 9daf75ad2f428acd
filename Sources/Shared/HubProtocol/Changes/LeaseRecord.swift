/// A part of a balance that the hub lends to one terminal: the value of the feed's entity `lease`, which only
/// that terminal gets, and an element of the response to ``Routes/leases``.
package struct LeaseRecord: Fact {
    /// The entity's name in the feed.
    package static let entity = "lease"

    /// A ULID, the entity's id too.
    package private(set) var leaseId = ""
    /// What is lent.
    package private(set) var kind = LeaseKind.points
    /// Whose, by the kind: of a coupon the keyed digest of its code.
    package private(set) var subject = ""
    /// All that was ever lent by this lease, in the kind's unit; the terminal takes off what it spent of it.
    package private(set) var amount: Int64 = 0
    /// Milliseconds since 1970 by the hub's clock, from when on the terminal spends nothing of it.
    package private(set) var expiresAt: Int64 = 0
    /// From 1 on, one more with each renewal.
    package private(set) var version: Int64 = 0
    /// The epoch of the terminal's journal that it is for: a terminal of another epoch does not spend it.
    package private(set) var epoch: Int64 = 1
    /// Whether others want it: the terminal returns it (``LeaseReturn``) unless a sale is about to spend it.
    package private(set) var isRecalled = false
    /// The terminal that may spend it; nil of a hub that signs no leases.
    package var terminalId: String?
    /// Which of the hub's signing keys signed it.
    package var keyId: String?
    /// Ed25519 over ``signedBytes(_:)``, in base64.
    package var signature: String?

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

    /// The same lease of another subject.
    package func about(_ subject: String) -> LeaseRecord {
        LeaseRecord(
            leaseId: leaseId, kind: kind, subject: subject, amount: amount, expiresAt: expiresAt,
            version: version, epoch: epoch, isRecalled: isRecalled)
    }

    package init() {}

    /// What a hub signs of a lease as it comes, members of later versions included: "lease", a line feed, and
    /// the canonical form (RFC 8785) without `signature`.
    package static func signedBytes(_ document: JSONValue) -> [UInt8] {
        var members = document.object ?? [:]
        members["signature"] = nil
        return Array("lease\n".utf8) + JSONValue.object(members).canonicalBytes
    }

    /// Whether one of these signing keys of the hub signed a lease as it came. Nil: it names none of them.
    package static func isSigned(_ document: JSONValue, by keys: [HubPublicKey]) -> Bool? {
        guard let signature = document["signature"]?.string,
            let key = keys.first(where: { $0.id == document["keyId"]?.string })
        else { return nil }
        return DeviceSignature.isValid(signature, of: signedBytes(document), by: key.publicKey)
    }

    /// Whether a lease of this id is a part of one that a till gave to another till
    /// (``GrantedRight/partId``): it is not given on.
    package static func isPart(_ id: String) -> Bool { Digest.isSHA256Hex(id) }

    /// A missing `epoch` is the first one.
    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("amount", &amount, in: PayloadRange.count)
        try m.number("epoch", &epoch, .valid)
        try m.moment("expiresAt", &expiresAt)
        try m.text("keyId", &keyId, .valid)
        try m.word("kind", &kind, of: "points, coupon or card")
        try m.text("leaseId", &leaseId)
        try m.mark("recalled", &isRecalled)
        try m.text("signature", &signature, .valid)
        try m.text("subject", &subject)
        try m.text("terminalId", &terminalId, .valid)
        try m.number("version", &version)
    }
}

/// The response to ``Routes/leases``.
package struct LentLeases: Fact {
    /// The terminal's leases of the subject, those with something left, as they came: the hub signs members
    /// of later versions too.
    package private(set) var documents: [JSONValue] = []
    /// Whether other terminals were requested to return what the request lacks: it may succeed soon.
    package private(set) var isRecalled = false

    package init(leases: [LeaseRecord], isRecalled: Bool = false) {
        documents = leases.map(\.json)
        self.isRecalled = isRecalled
    }

    /// What this version knows of them.
    package var leases: [LeaseRecord] { documents.compactMap { try? LeaseRecord(json: $0) } }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        var list: JSONValue? = .array(documents)
        try m.document("leases", &list)
        documents = list?.array ?? []
        try m.check(list?.array != nil && leases.count == documents.count, "leases", "an array of leases")
        try m.mark("recalled", &isRecalled)
    }
}

/// The body of a request to ``Routes/leaseReturns``: leases of which the terminal spends nothing more,
/// whatever becomes of the request. Repeating it changes nothing.
package struct LeaseReturn: Fact {
    package struct Part: Fact {
        /// A ULID.
        package private(set) var leaseId = ""
        /// The most that sales of the terminal had spent of it at any time.
        package private(set) var spent: Int64 = 0

        package init(leaseId: String, spent: Int64) {
            self.leaseId = leaseId
            self.spent = spent
        }

        package init() {}

        package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.text("leaseId", &leaseId)
            try m.number("spent", &spent, in: PayloadRange.count)
        }
    }

    /// The epoch of the terminal's journal.
    package private(set) var epoch: Int64 = 0
    /// The last entry of that journal: whatever the terminal spent of the leases is in it or before it.
    package private(set) var sequence: Int64 = 0
    /// At most ``most``.
    package private(set) var leases: [Part] = []

    /// The most leases of one request: each is looked up in one transaction. Twice as many let pushes wait
    /// for twice as long, half of it costs a terminal that returns many more requests.
    package static let most = 50

    package init(epoch: Int64, sequence: Int64, leases: [Part]) {
        self.epoch = epoch
        self.sequence = sequence
        self.leases = leases
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("epoch", &epoch, in: 1...JSONValue.exactIntegers.upperBound)
        try m.list("leases", &leases)
        try m.check(leases.count <= Self.most, "leases", "at most \(Self.most)")
        try m.number("sequence", &sequence, in: 0...JSONValue.exactIntegers.upperBound)
    }
}

/// The body of a request to ``Routes/leases``: what a terminal is about to spend.
package struct LeaseRequest: Fact {
    package private(set) var kind = LeaseKind.points
    /// Whose: a member's id, or a coupon's code as it was typed.
    package private(set) var subject = ""
    /// What the terminal's leases of it should leave in all.
    package private(set) var amount: Int64 = 0
    /// The epoch of the terminal's journal.
    package private(set) var epoch: Int64 = 0

    package init(kind: LeaseKind, subject: String, amount: Int64, epoch: Int64) {
        self.kind = kind
        self.subject = subject
        self.amount = amount
        self.epoch = epoch
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("amount", &amount, in: PayloadRange.count)
        try m.number("epoch", &epoch, in: 1...JSONValue.exactIntegers.upperBound)
        try m.word("kind", &kind, of: "points, coupon or card")
        try m.text("subject", &subject)
    }
}
