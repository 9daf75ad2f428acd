/// A public key of the hub as enrolment and renewal carry it. It never changes once it was given out.
package struct HubPublicKey: Hashable, Sendable {
    /// 1 to 64 bytes, for example `signing-1bbcd5986693b98f`; exports and statements name the key by it.
    package let id: String
    /// 32 bytes in base64: Ed25519 of a signing key, X25519 of a sealing key.
    package let publicKey: String
    /// RFC 3339. Until when the hub means to use it; what was sealed to it can be opened after that too.
    package let notAfter: String
    /// Ed25519 by an earlier signing key of the hub over ``signedBytes``, in base64; nil for its first key.
    package let signature: String?

    /// Makes a key without a check; only the hub's first key of a chain has no `signature`.
    package init(id: String, publicKey: String, notAfter: String, signature: String? = nil) {
        self.id = id
        self.publicKey = publicKey
        self.notAfter = notAfter
        self.signature = signature
    }

    /// - Throws: ``ShapeError`` also for an id of more than 64 or a key of more than 64 bytes, twice what a
    ///   hub writes, so that no response fills a terminal's store.
    package init(json: JSONValue) throws(ShapeError) {
        id = try Self.short("id", in: json)
        publicKey = try Self.short("publicKey", in: json)
        notAfter = try Self.short("notAfter", in: json)
        signature = try json.optionalString("signature")
        guard (signature ?? "").utf8.count <= 128 else {
            throw ShapeError(path: "signature", expected: "64 bytes in base64")
        }
    }

    private static func short(_ key: String, in json: JSONValue) throws(ShapeError) -> String {
        let text = try json.requiredString(key)
        guard (1...64).contains(text.utf8.count) else {
            throw ShapeError(path: key, expected: "a text of 1 to 64 bytes")
        }
        return text
    }

    /// `{"id","publicKey","notAfter"}`, and `signature` where there is one.
    package var json: JSONValue {
        var members = unsigned
        if let signature { members["signature"] = .string(signature) }
        return .object(members)
    }

    private var unsigned: JSONObject {
        ["id": .string(id), "publicKey": .string(publicKey), "notAfter": .string(notAfter)]
    }

    /// What an earlier signing key signs: "hub-key\n" and the canonical form without `signature` (RFC 8785).
    package var signedBytes: [UInt8] {
        Array("hub-key\n".utf8) + JSONValue.object(unsigned).canonicalBytes
    }
}

/// The member `hubKeys` of enrolment and renewal; the key to use now stands first in each list.
package struct HubKeyList: Hashable, Sendable {
    /// Ed25519: what the hub signs its statements with.
    package private(set) var signing: [HubPublicKey]
    /// X25519: what files for the hub are sealed to.
    package private(set) var sealing: [HubPublicKey]

    /// Keys of one kind that a terminal keeps. A hub changes its keys every few years; half as many would
    /// hold as well, twice as many would only be more to read.
    package static let maximumCount = 32

    /// Makes a list of any length; only ``init(json:)`` checks ``maximumCount``.
    package init(signing: [HubPublicKey], sealing: [HubPublicKey]) {
        self.signing = signing
        self.sealing = sealing
    }

    /// Reads the value of `hubKeys`. Throws ``ShapeError`` for more than ``maximumCount`` keys of a kind or
    /// one malformed key.
    package init(json: JSONValue) throws(ShapeError) {
        signing = try Self.keys("signing", in: json)
        sealing = try Self.keys("sealing", in: json)
    }

    private static func keys(_ name: String, in json: JSONValue) throws(ShapeError) -> [HubPublicKey] {
        let values = try json.requiredArray(name)
        guard values.count <= maximumCount else {
            throw ShapeError(path: name, expected: "at most \(maximumCount) keys")
        }
        var keys: [HubPublicKey] = []
        for value in values { keys.append(try HubPublicKey(json: value)) }
        return keys
    }

    /// `{"signing":[…],"sealing":[…]}`, in the order of the lists.
    package var json: JSONValue {
        ["signing": .array(signing.map(\.json)), "sealing": .array(sealing.map(\.json))]
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
}

extension HubKeyList {
    /// The keys in a response of the hub; nil when it names none.
    package init?(ofResponse json: JSONValue) throws(ShapeError) {
        guard let keys = json["hubKeys"], keys != .null else { return nil }
        try self.init(json: keys)
    }
}
