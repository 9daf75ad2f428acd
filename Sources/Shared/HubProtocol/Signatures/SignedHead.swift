import Base

internal import Crypto

/// Where a terminal's journal ends, signed by its device key (docs/concepts/security.md, Keys).
///
/// It goes with every batch, report and telemetry as the member `head`, with a single push in the header
/// `Pos-Head`. So the hub knows of entries that it does not have yet, and their disappearance shows.
package struct SignedHead: Hashable, Sendable {
    /// From 1.
    package let epoch: Int64
    /// The last sequence used; 0 before the first.
    package let sequence: Int64
    /// The hash of that entry, 64 lower-case hexadecimal characters; zeros before the first.
    package let hash: String
    /// The last order's counter within its business day.
    package let orderCounter: Int64
    /// Where journal and epoch began; nil from terminals of earlier versions.
    package let origin: JournalOrigin?
    /// When it was signed by the terminal's wall clock, in milliseconds since 1970.
    package let signedAt: Int64
    /// The whole object with its signature, members of later versions included, since the signature covers
    /// them.
    package let json: JSONValue

    /// The largest head that is read, in bytes of its canonical form. The members of today take at most 310,
    /// and 560 more with an origin and its ends; the rest is room for later ones. Double would only cost the
    /// hub's disk.
    package static let maximumBytes = 1_024

    /// Reads a head as a peer sent it; the signature is looked at by ``isSigned(by:terminalId:)``.
    package init(json: JSONValue) throws(ShapeError) {
        guard json.object != nil, json.hasOnlyCanonicalNumbers,
            json.canonicalBytes.count <= Self.maximumBytes
        else {
            throw ShapeError(path: "head", expected: "an object of at most \(Self.maximumBytes) bytes")
        }
        epoch = try json.requiredInteger("epoch", in: 1...(1 << 31))
        sequence = try json.requiredInteger("sequence", in: 0...(1 << 53 - 1))
        hash = try json.requiredString("hash")
        guard Digest.isSHA256Hex(hash) else {
            throw ShapeError(path: "hash", expected: "64 lower-case hexadecimal characters")
        }
        orderCounter = try json.requiredInteger("orderCounter", in: 0...(1 << 53 - 1))
        guard let moment = try json.optionalMoment("date") else {
            throw ShapeError(path: "date", expected: "a moment of RFC 3339")
        }
        signedAt = moment
        origin = try json["origin"].map { origin throws(ShapeError) in try JournalOrigin(json: origin) }
        _ = try json.requiredString("signature")
        self.json = json
    }

    /// Signs where a journal ends.
    ///
    /// - Parameters:
    ///   - origin: where journal and epoch began; nil: not known.
    ///   - moment: milliseconds since 1970.
    ///   - sign: gives the Ed25519 signature of the bytes in base64; nil when there is no key.
    /// - Returns: nil without a signature.
    package init?(
        terminalId: String, epoch: Int64, sequence: Int64, hash: String, orderCounter: Int64,
        origin: JournalOrigin? = nil, at moment: Int64, sign: ([UInt8]) -> String?
    ) {
        var members: JSONObject = [
            "epoch": .integer(epoch), "sequence": .integer(sequence), "hash": .string(hash),
            "orderCounter": .integer(orderCounter), "date": .string(Timestamp.text(milliseconds: moment)),
        ]
        if let origin { members["origin"] = origin.json }
        let bytes = DeviceSignature.bytes("head", terminalId: terminalId, .object(members))
        guard let signature = sign(bytes) else { return nil }
        members["signature"] = .string(signature)
        try? self.init(json: .object(members))
    }

    /// Whether the device key of this terminal signed it.
    ///
    /// - Parameter publicKey: Ed25519, 32 bytes in base64.
    package func isSigned(by publicKey: String, terminalId: String) -> Bool {
        guard var members = json.object, let signature = members["signature"]?.string else { return false }
        members["signature"] = nil
        return DeviceSignature.isValid(
            signature, of: DeviceSignature.bytes("head", terminalId: terminalId, .object(members)),
            by: publicKey)
    }

    /// The value of the header `Pos-Head`: the object in base64url.
    package var headerText: String { Base64.urlText(json.canonicalBytes) }

    /// Reads the header's value.
    package init(headerText: String) throws(ShapeError) {
        // Four characters for three bytes; what is longer is not even decoded.
        guard headerText.utf8.count <= Self.maximumBytes * 4 / 3 + 4, let bytes = Base64.urlBytes(headerText),
            let json = try? JSONParser.parse(bytes)
        else { throw ShapeError(path: HeaderNames.head, expected: "a head in base64url") }
        try self.init(json: json)
    }
}

extension JSONValue {
    /// The object with `head` as its member; unchanged without one.
    package func with(_ head: SignedHead?) -> JSONValue {
        guard let head, var members = object else { return self }
        members["head"] = head.json
        return .object(members)
    }
}

/// Checks signatures of device keys: Ed25519 (RFC 8032), keys and signatures in base64.
package enum DeviceSignature {
    /// Whether `signature` is that of `bytes` under `publicKey`; false for a key or signature of another
    /// size.
    ///
    /// - Parameters:
    ///   - signature: 64 bytes in base64.
    ///   - publicKey: 32 bytes in base64.
    package static func isValid(_ signature: String, of bytes: [UInt8], by publicKey: String) -> Bool {
        guard let raw = Base64.bytes(publicKey), let signed = Base64.bytes(signature), signed.count == 64,
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: raw)
        else { return false }
        return key.isValidSignature(signed, for: bytes)
    }

    /// What is signed of an object: a label, the terminal's id and the object's canonical form (RFC 8785), a
    /// line feed between them. The label keeps a signature of one kind from being used as one of another
    /// kind.
    static func bytes(_ label: StaticString, terminalId: String, _ object: JSONValue) -> [UInt8] {
        Array("\(label)\n\(terminalId)\n".utf8) + object.canonicalBytes
    }
}
