import HubCore
import HubProtocol
import HubStore
import Testing

@Suite("Old responses")
struct RetentionTests {
    /// When pushes of ``Till`` come in.
    private static let receivedAt: Int64 = 1_000_000
    private static let month: Int64 = 30 * 86_400_000

    @Test(
        "They are kept for thirty days and until the till's low sequence passed them",
        arguments: StoreKind.all)
    func kept(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let sales = (0..<5).map { _ in till.sale() }
        _ = try await store.take(till.push(Array(sales.prefix(4)), lowSequence: 1))
        #expect(try await store.ledger.remove(.responses, at: Self.receivedAt + Self.month * 9) == 0)
        _ = try await store.take(till.push([sales[4]], lowSequence: 4))
        #expect(try await store.ledger.remove(.responses, at: Self.receivedAt + Self.month - 1) == 0)
        #expect(try await store.ledger.remove(.responses, at: Self.receivedAt + Self.month) == 3)
        #expect(try await store.ledger.remove(.responses, at: Self.receivedAt + Self.month) == 0)
        let expired = "rejected expired_replay"
        #expect(
            try await store.outcomes(till.push(sales, lowSequence: 4))
                == [expired, expired, expired, "duplicate", "duplicate"])
    }

    @Test(
        "A replay without its response runs nothing again; other content under its key is still refused",
        arguments: StoreKind.all)
    func neverAgain(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        try await store.ledger.keepEnrolmentCodes(["a"], storeId: "S1", expiresAt: 100)
        let applicant = EnrolmentApplicant(
            terminalId: "T1", codeDigest: "a", name: "till", publicKey: "key", tokenExpiresAt: 500)
        _ = try await store.ledger.enrol(applicant, at: 50)
        var till = Till()
        let sale = till.sale()
        _ = try await store.take(till.push([sale, till.minted()], lowSequence: 1))
        _ = try await store.take(till.push([till.minted()], lowSequence: 3))
        let before = try await store.ledger.audit(terminal: nil)
        #expect(try await store.ledger.remove(.responses, at: Self.receivedAt + Self.month) == 2)
        let response = try await store.take(till.push([sale]))
        #expect(response?.results.first?.json["receivedAt"] == "1970-01-01T00:16:40.000Z")
        #expect(response?.acknowledgedThrough == 3)
        var members = try #require(sale.json.object)
        members["entityId"] = "another"
        let other = IntakeRequest(
            device: till.device, epoch: nil, lowSequence: nil,
            mutations: [try ReceivedMutation(json: .object(members))], receivedAt: 0)
        #expect(try await store.outcomes(other) == ["rejected idempotency_key_reused"])
        #expect(try await store.ledger.audit(terminal: nil) == before)
        #expect(before.first?.orders == 1)
    }

    @Test(
        "More than one transaction's worth goes, over all epochs, and a restored till's replay counts there",
        arguments: StoreKind.all)
    func many(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        var clone = till
        let old = (0..<1_200).map { _ in till.minted() }
        for start in stride(from: 0, to: 1_200, by: 200) {
            _ = try await store.take(till.push(Array(old[start..<start + 200]), lowSequence: 1))
        }
        let fork = clone.minted()
        #expect(try await store.outcomes(clone.push([fork], epoch: 2, lowSequence: 1)) == ["applied"])
        let later = Till(from: 1_300)
        var next = later
        _ = try await store.take(
            IntakeRequest(
                device: till.device, epoch: 2, lowSequence: 1_300,
                mutations: [try ReceivedMutation(json: next.minted().json)], receivedAt: Self.receivedAt))
        #expect(try await store.ledger.remove(.responses, at: Self.receivedAt + Self.month) == 1_201)
        let replayed = try await store.take(till.push([old[1]], epoch: 2, lowSequence: 1_300))
        #expect(replayed?.results.first?.problem?["code"] == "expired_replay")
        #expect(replayed?.acknowledgedThrough == 2)
    }
}
