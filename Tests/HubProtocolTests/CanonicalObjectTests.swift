import HubProtocol
import Testing

@Suite("Canonical objects")
struct CanonicalObjectTests {
    @Test("a written object is the canonical form of the same document")
    func same() throws {
        var inner = CanonicalObject()
        inner.add("n", -(1 << 53) + 1)
        var object = CanonicalObject()
        object.add("a", "\u{1}\"\\/\n离线😀")
        object.add("b", nil as String?)
        object.add("c", [String]())
        object.add("d", ["x", "\t"])
        object.add("e", [inner, CanonicalObject()])
        object.add("f", true)
        object.addRaw("g", Array("[1]".utf8))
        let document = try JSONParser.parse(object.bytes)
        #expect(document.canonicalBytes == object.bytes)
        #expect(
            document == [
                "a": "\u{1}\"\\/\n离线😀", "b": nil, "c": [], "d": ["x", "\t"],
                "e": [["n": .integer(-(1 << 53) + 1)], [:]], "f": true, "g": [1],
            ])
    }

    @Test("keys are ordered by their UTF-16 units, surrogates before the end of the basic plane")
    func keyOrder() {
        let keys = [
            "", "A", "a", "aa", "b", "é", "\u{D7FF}", "😀", "\u{10FFFF}", "\u{E000}", "\u{FB33}", "\u{FFFF}",
        ]
        let shuffled = JSONValue.object(JSONObject(keys.shuffled().map { ($0, JSONValue.null) }))
        let expected = "{" + keys.map { "\"\($0)\":null" }.joined(separator: ",") + "}"
        #expect(shuffled.canonicalText == expected)
        #expect(keys == keys.sorted { $0.utf16.lexicographicallyPrecedes($1.utf16) })
    }

    @Test("a sealed mutation is byte for byte the one that is read back, and its hash holds")
    func sealed() throws {
        var payload = CanonicalObject()
        payload.add("name", "Milk \"1l\"")
        payload.add("total", 125)
        let sealed = SealedMutation(
            id: "01J00000000000000000000000", sequence: 7, type: "order.completed", entity: "order",
            entityId: "o", clientGeneratedAt: "2026-11-21T04:05:06.789Z",
            previousHash: Mutation.genesisHash, dependsOn: ["x"], payload: payload.bytes)
        let read = try Mutation(json: try JSONParser.parse(sealed.bytes))
        #expect(read.computedHash == sealed.hash)
        #expect(read.hash == sealed.hash)
        #expect(read.json.canonicalBytes == sealed.bytes)
        #expect(
            read
                == Mutation(
                    id: sealed.id, sequence: 7, type: "order.completed", entity: "order", entityId: "o",
                    clientGeneratedAt: "2026-11-21T04:05:06.789Z", previousHash: Mutation.genesisHash,
                    dependsOn: ["x"], payload: ["name": "Milk \"1l\"", "total": 125]))
    }
}
