package import Base
package import HubProtocol

/// One key of the hub. Its id is made of its fingerprint, so that another key never has the same.
package struct HubKeyEntry: Fact {
    /// What a key is used for; the raw value is its name in key files.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Ed25519: signs device tokens.
        case token
        /// Ed25519: signs the hub's statements and its later keys.
        case signing
        /// X25519: opens what terminals sealed.
        case sealing
        /// 32 bytes: keys the digests of cursors, upload URLs and enrolment codes, which this hub alone
        /// reads.
        case secret
    }

    /// Unique within the ring, for good; terminals and exports name a key by it.
    package private(set) var id = ""
    /// Decides the algorithm and which of the halves exist.
    package private(set) var kind = Kind.token
    /// Base64; nil for a secret.
    package private(set) var publicKey: String?
    /// Base64; nil where only the public half is held.
    @Secret package private(set) var privateKey: String?
    /// Milliseconds since 1970.
    package private(set) var createdAt: Int64 = 0
    /// Before this it is not used, so that every process has read it when it is; milliseconds since 1970.
    package private(set) var usableFrom: Int64 = 0
    /// Until when the hub means to use it, in milliseconds since 1970.
    package private(set) var notAfter: Int64 = 0
    /// From when on nothing that it signed counts any more, in milliseconds since 1970; nil: no end. A
    /// sealing key has none.
    package private(set) var acceptedUntil: Int64?
    /// By the signing key of its day over ``HubPublicKey/signedBytes``, in base64.
    package var signature: String?

    /// Makes an entry from parts that are already encoded. Times are milliseconds since 1970; nil in
    /// `acceptedUntil` means no end.
    package init(
        id: String, kind: Kind, publicKey: String?, privateKey: String?, createdAt: Int64, usableFrom: Int64,
        notAfter: Int64, acceptedUntil: Int64? = nil, signature: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.publicKey = publicKey
        self.privateKey = privateKey
        self.createdAt = createdAt
        self.usableFrom = usableFrom
        self.notAfter = notAfter
        self.acceptedUntil = acceptedUntil
        self.signature = signature
    }

    /// - Parameter isPrivate: whether the private half is in it.
    package func json(isPrivate: Bool) -> JSONValue {
        var shown = self
        if !isPrivate { shown.privateKey = nil }
        return shown.json
    }

    /// The key as terminals get it; nil for a secret.
    package var offered: HubPublicKey? {
        publicKey.map {
            HubPublicKey(
                id: id, publicKey: $0, notAfter: Timestamp.text(milliseconds: notAfter), signature: signature)
        }
    }

    /// Whether what it signed counts at `now`.
    package func isAccepted(at now: Int64) -> Bool { acceptedUntil.map { now < $0 } ?? true }

    fileprivate func holding(_ privateKey: String) -> HubKeyEntry {
        HubKeyEntry(
            id: id, kind: kind, publicKey: publicKey, privateKey: privateKey, createdAt: createdAt,
            usableFrom: usableFrom, notAfter: notAfter, acceptedUntil: acceptedUntil, signature: signature)
    }

    fileprivate func ending(at end: Int64) -> HubKeyEntry {
        var entry = self
        if kind != .sealing { entry.acceptedUntil = min(acceptedUntil ?? end, end) }
        return entry
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("acceptedUntil", &acceptedUntil, .valid)
        try m.number("createdAt", &createdAt)
        try m.text("id", &id)
        try m.word("kind", &kind, of: "token, signing, sealing or secret")
        try m.number("notAfter", &notAfter)
        try m.text("privateKey", &privateKey, .valid)
        try m.text("publicKey", &publicKey, .valid)
        try m.text("signature", &signature, .valid)
        try m.number("usableFrom", &usableFrom)
    }
}

/// All keys of a hub, retired ones among them: a sealing key is never taken out.
package struct HubKeyRing: Hashable, Sendable {
    /// In the order in which they were made.
    package private(set) var entries: [HubKeyEntry]

    /// A ring of `entries`, oldest first; empty by default.
    package init(_ entries: [HubKeyEntry] = []) {
        self.entries = entries
    }

    /// Reads `{"keys":[…]}`. Throws ``ShapeError`` at the first entry that is malformed.
    package init(json: JSONValue) throws(ShapeError) {
        entries = []
        for value in try json.requiredArray("keys") { entries.append(try HubKeyEntry(json: value)) }
    }

    /// `{"keys":[…]}` in the ring's order; private halves and secrets are in it only if `isPrivate` is true.
    package func json(isPrivate: Bool) -> JSONValue {
        ["keys": .array(entries.map { $0.json(isPrivate: isPrivate) })]
    }

    /// The entry with this id, retired or not; nil for an id that the ring does not have.
    package func entry(_ id: String) -> HubKeyEntry? { entries.first { $0.id == id } }

    /// The key to use at `now`: of those whose private half is here the one that may be used last; nil
    /// without one.
    package func current(_ kind: HubKeyEntry.Kind, at now: Int64) -> HubKeyEntry? {
        entries.last {
            $0.kind == kind && $0.privateKey != nil && $0.usableFrom <= now && $0.isAccepted(at: now)
        }
    }

    /// Those whose signatures count at `now`, the current one first.
    package func accepted(_ kind: HubKeyEntry.Kind, at now: Int64) -> [HubKeyEntry] {
        let accepted = entries.filter { $0.kind == kind && $0.isAccepted(at: now) }
        guard let current = current(kind, at: now) else { return accepted.reversed() }
        return [current] + accepted.reversed().filter { $0.id != current.id }
    }

    /// The public keys that terminals get at `now`, the current ones first; retired signing keys stay, so
    /// that a terminal that was away finds the way from the key that it pinned to the one of now.
    package func offered(at now: Int64) -> HubKeyList {
        HubKeyList(signing: offered(.signing, at: now), sealing: offered(.sealing, at: now))
    }

    private func offered(_ kind: HubKeyEntry.Kind, at now: Int64) -> [HubPublicKey] {
        let current = current(kind, at: now)
        let others = entries.reversed().filter { $0.kind == kind && $0.id != current?.id }
        let all = [current].compactMap(\.self) + others
        return all.compactMap(\.offered).prefix(HubKeyList.maximumCount).map(\.self)
    }

    /// Adds a key of another kind or the first of its kind; one of a known id stays as it is, but for a
    /// private half that was missing.
    package mutating func add(_ entry: HubKeyEntry) {
        if let place = entries.firstIndex(where: { $0.id == entry.id }) {
            if entries[place].privateKey == nil { entries[place] = entry }
        } else {
            entries.append(entry)
        }
    }

    /// Adds `entry` in the place of the keys of its kind, whose signatures count until `overlapEnd` at most.
    package mutating func rotate(to entry: HubKeyEntry, overlapEnd: Int64) {
        entries = entries.map { $0.kind == entry.kind ? $0.ending(at: overlapEnd) : $0 }
        entries.append(entry)
    }

    /// These entries, which lack them, with the private halves that `held` has, and what it has beside them.
    package func holding(_ held: HubKeyRing) -> HubKeyRing {
        let joined = entries.map { entry in
            held.entry(entry.id)?.privateKey.map(entry.holding) ?? entry
        }
        return HubKeyRing(joined + held.entries.filter { entry($0.id) == nil })
    }

    /// The ids of a public copy that this ring has no private half of.
    package func missing(of known: HubKeyRing) -> [String] {
        known.entries.map(\.id).filter { entry($0)?.privateKey == nil }
    }
}
