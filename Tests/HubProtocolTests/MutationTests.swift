import HubProtocol
import Testing

@Suite("Mutation")
struct MutationTests {
    private func sale(sequence: Int64, previous: String) -> Mutation {
        Mutation(
            id: "01ARZ3NDEKTSV4RRFFQ69G5FAV", sequence: sequence, type: "order.completed", entity: "order",
            entityId: "01ARZ3NDEKTSV4RRFFQ69G5FAW", clientGeneratedAt: "2026-11-21T04:05:06.789Z",
            previousHash: previous, payload: ["total": 1250, "name": "茶 \"é\""])
    }

    @Test("The hash is SHA-256 of the canonical document without itself")
    func hash() {
        let mutation = sale(sequence: 1, previous: Mutation.genesisHash)
        let canonical =
            #"{"attachments":[],"clientGeneratedAt":"2026-11-21T04:05:06.789Z","dependsOn":[],"#
            + #""entity":"order","entityId":"01ARZ3NDEKTSV4RRFFQ69G5FAW","id":"01ARZ3NDEKTSV4RRFFQ69G5FAV","#
            + #""payload":{"name":"茶 \"é\"","total":1250},"previousHash":""#
            + String(repeating: "0", count: 64)
            + #"","schema":1,"sequence":1,"type":"order.completed"}"#
        #expect(mutation.hash == Digest.sha256Hex(Array(canonical.utf8)))
    }

    @Test("What was sent is read back, unknown members included, and any change shows in the hash")
    func roundTrip() throws {
        let mutation = sale(sequence: 2, previous: String(repeating: "a", count: 64))
        let read = try Mutation(json: JSONParser.parse(mutation.json.canonicalBytes))
        #expect(read == mutation)
        #expect(read.computedHash == mutation.hash)
        var members = try #require(mutation.json.object)
        members["later"] = "unknown"
        let extended = try Mutation(json: .object(members))
        #expect(extended.json["later"] == "unknown")
        #expect(extended.computedHash != extended.hash)
    }

    @Test("A fraction or an integer of 2^53 and above is refused")
    func numbers() throws {
        var members = try #require(sale(sequence: 1, previous: Mutation.genesisHash).json.object)
        members["payload"] = ["total": .double(1.5)]
        #expect(throws: ShapeError.self) { try Mutation(json: .object(members)) }
        members["payload"] = ["total": .integer(1 << 53)]
        #expect(throws: ShapeError.self) { try Mutation(json: .object(members)) }
    }
}
