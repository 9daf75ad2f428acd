import HubProtocol
import Testing

@Suite("The hub's keys at a terminal")
struct HubKeyListTests {
    /// A signature is the signer's public key and what it signed, so that the rule is tried without any.
    private func key(_ id: String, by signer: String? = nil) -> HubPublicKey {
        let unsigned = HubPublicKey(id: id, publicKey: "public-\(id)", notAfter: "2031-01-01T00:00:00.000Z")
        return HubPublicKey(
            id: id, publicKey: unsigned.publicKey, notAfter: unsigned.notAfter,
            signature: signer.map { "public-\($0)|\(Digest.sha256Hex(unsigned.signedBytes))".prefix(128) }
                .map(String.init))
    }

    private func isSigned(_ signature: String, _ bytes: [UInt8], _ publicKey: String) -> Bool {
        signature == String("\(publicKey)|\(Digest.sha256Hex(bytes))".prefix(128))
    }

    private var pinned: HubKeyList { HubKeyList(signing: [key("a")], sealing: [key("s", by: "a")]) }

    @Test("A later key is let in by a pinned key's signature, and by that of one let in on the way")
    func chain() {
        let offer = HubKeyList(
            signing: [key("c", by: "b"), key("b", by: "a"), key("a")],
            sealing: [key("t", by: "c"), key("s", by: "a")])
        let after = pinned.trusting(offer, isSigned: isSigned)
        #expect(after.signing.map(\.id) == ["c", "b", "a"])
        #expect(after.sealing.map(\.id) == ["t", "s"])
    }

    @Test("An unsigned key, one of a stranger and a changed one under a pinned id stay out")
    func strangers() {
        let other = HubPublicKey(id: "s", publicKey: "forged", notAfter: "2031-01-01T00:00:00.000Z")
        let offer = HubKeyList(
            signing: [key("x"), key("y", by: "x"), key("z", by: "y")],
            sealing: [other, key("t", by: "x"), key("u")])
        #expect(pinned.trusting(offer, isSigned: isSigned) == pinned)
    }

    @Test("A key whose end was changed behind its signature stays out")
    func tampered() {
        let honest = key("b", by: "a")
        let longer = HubPublicKey(
            id: "b", publicKey: honest.publicKey, notAfter: "2099-01-01T00:00:00.000Z",
            signature: honest.signature)
        let offer = HubKeyList(signing: [longer], sealing: [])
        #expect(pinned.trusting(offer, isSigned: isSigned).signing.map(\.id) == ["a"])
    }

    @Test("No offer makes a terminal keep more than 32 keys of a kind")
    func bounded() {
        let signing = (0..<40).map { key("k\($0)", by: "a") }
        let sealing = (0..<40).map { key("l\($0)", by: "a") }
        let after = pinned.trusting(HubKeyList(signing: signing, sealing: sealing), isSigned: isSigned)
        #expect(after.signing.count == HubKeyList.maximumCount)
        #expect(after.sealing.count == HubKeyList.maximumCount)
        #expect(after.signing.contains { $0.id == "a" })
    }

    @Test("What is signed is the canonical form without the signature, behind its purpose")
    func signedBytes() {
        let bytes = key("b", by: "a").signedBytes
        let text = #"{"id":"b","notAfter":"2031-01-01T00:00:00.000Z","publicKey":"public-b"}"#
        #expect(String(decoding: bytes, as: UTF8.self) == "hub-key\n" + text)
    }

    @Test("A response with 33 keys of a kind, or one longer than any hub's, is none of the contract")
    func refused() throws {
        let keys = JSONValue.array((0..<33).map { key("k\($0)").json })
        #expect(throws: ShapeError.self) { try HubKeyList(json: ["signing": keys, "sealing": []]) }
        let most = JSONValue.array((0..<32).map { key("k\($0)").json })
        #expect(try HubKeyList(json: ["signing": most, "sealing": []]).signing.count == 32)
        var members = key("k").json.object ?? [:]
        members["publicKey"] = .string(String(repeating: "A", count: 65))
        let long = JSONValue.object(members)
        #expect(throws: ShapeError.self) { try HubPublicKey(json: long) }
        #expect(try HubKeyList(ofResponse: ["token": "t"]) == nil)
    }
}
