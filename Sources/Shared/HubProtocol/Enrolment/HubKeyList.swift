/// A public key of the hub as enrolment and renewal carry it. It never changes once it was given out.
package struct HubPublicKey: Fact {
    /// 1 to 64 bytes, for example `signing-1bbcd5986693b98f`; exports and statements name the key by it.
    package private(set) var id = ""
    /// 32 bytes in base64: Ed25519 of a signing key, X25519 of a sealing key.
    package private(set) var publicKey = ""
    /// RFC 3339. Until when the hub means to use it; what was sealed to it can be opened after that too.
    package private(set) var notAfter = ""
    /// Ed25519 by an earlier signing key of the hub over ``signedBytes``, in base64; nil for its first key.
    package private(set) var signature: String?

    /// Makes a key without a check; only the hub's first key of a chain has no `signature`.
    package init(id: String, publicKey: String, notAfter: String, signature: String? = nil) {
        self.id = id
        self.publicKey = publicKey
        self.notAfter = notAfter
        self.signature = signature
    }

    /// What an earlier signing key signs: "hub-key\n" and the canonical form without `signature` (RFC 8785).
    package var signedBytes: [UInt8] {
        var unsigned = self
        unsigned.signature = nil
        return Array("hub-key\n".utf8) + unsigned.canonical.bytes
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        // Twice what a hub writes, so that no response fills a terminal's store.
        try m.text("id", &id, upTo: 64)
        try m.text("notAfter", &notAfter, upTo: 64)
        try m.text("publicKey", &publicKey, upTo: 64)
        try m.text("signature", &signature, .valid)
        try m.check((signature ?? "").utf8.count <= 128, "signature", "64 bytes in base64")
    }
}

/// The member `hubKeys` of enrolment and renewal; the key to use now stands first in each list.
package struct HubKeyList: Fact {
    /// Ed25519: what the hub signs its statements with.
    package private(set) var signing: [HubPublicKey] = []
    /// X25519: what files for the hub are sealed to.
    package private(set) var sealing: [HubPublicKey] = []

    /// Keys of one kind that a terminal keeps. A hub changes its keys every few years; half as many would
    /// hold as well, twice as many would only be more to read.
    package static let maximumCount = 32

    /// Makes a list of any length; only ``init(json:)`` checks ``maximumCount``.
    package init(signing: [HubPublicKey], sealing: [HubPublicKey]) {
        self.signing = signing
        self.sealing = sealing
    }

    /// These pinned keys with those of `offer` that one of the pinned signing keys signed, or one that was
    /// let in on the way. What is pinned stays as it is; the order is the offer's.
    ///
    /// - Parameter isSigned: whether an Ed25519 signature in base64 over bytes is that of a public key.
    package func trusting(
        _ offer: HubKeyList, isSigned: (_ signature: String, _ bytes: [UInt8], _ publicKey: String) -> Bool
    ) -> HubKeyList {
        var trusted = signing
        func isTrusted(_ key: HubPublicKey, among known: [HubPublicKey]) -> Bool {
            guard !known.contains(where: { $0.id == key.id }), let signature = key.signature else {
                return false
            }
            return trusted.contains { isSigned(signature, key.signedBytes, $0.publicKey) }
        }
        // A key may be signed by one that is itself new here: each round lets in what the last one vouches
        // for.
        while trusted.count < Self.maximumCount,
            let next = offer.signing.first(where: { isTrusted($0, among: trusted) })
        {
            trusted.append(next)
        }
        let added = offer.sealing.filter { isTrusted($0, among: sealing) }
        return HubKeyList(
            signing: Self.ordered(trusted, as: offer.signing),
            sealing: Self.ordered(
                sealing + added.prefix(Self.maximumCount - sealing.count), as: offer.sealing))
    }

    /// The offer's order first, what it does not name behind.
    private static func ordered(_ keys: [HubPublicKey], as offer: [HubPublicKey]) -> [HubPublicKey] {
        let named = offer.compactMap { offered in keys.first { $0.id == offered.id } }
        return named + keys.filter { key in !named.contains { $0.id == key.id } }
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.list("sealing", &sealing)
        try m.check(sealing.count <= Self.maximumCount, "sealing", "at most \(Self.maximumCount) keys")
        try m.list("signing", &signing)
        try m.check(signing.count <= Self.maximumCount, "signing", "at most \(Self.maximumCount) keys")
    }
}

extension HubKeyList {
    /// The keys in a response of the hub; nil when it names none.
    package init?(ofResponse json: JSONValue) throws(ShapeError) {
        guard let keys = json["hubKeys"] else { return nil }
        try self.init(json: keys)
    }
}
