import HubCore
import HubProtocol
import HubStore
import Testing

/// The hub as the witness of journals, on both stores.
@Suite("Signed heads at the hub")
struct HeadTests {
    /// The head of a till's journal as it is now, with a signature that nobody looks at here.
    private func head(_ till: Till, epoch: Int64 = 1, at signedAt: Int64 = 1_000) throws -> HeadClaim {
        .signed(
            try #require(
                SignedHead(
                    terminalId: till.device.terminalId, epoch: epoch, sequence: till.sequence,
                    hash: till.previousHash, orderCounter: till.sequence, at: signedAt
                ) { _ in "c2lnbmF0dXJl" }))
    }

    private func push(
        _ till: Till, _ mutations: [Mutation], head: HeadClaim?, epoch: Int64 = 1
    ) throws -> IntakeRequest {
        IntakeRequest(
            device: till.device, epoch: epoch, lowSequence: 1,
            mutations: try mutations.map { try ReceivedMutation(json: $0.json) }, receivedAt: 1_000_000,
            head: head)
    }

    private func store(_ kind: StoreKind) async throws -> TemporaryStore {
        let store = try TemporaryStore(kind)
        try await store.ledger.keepEnrolmentCodes(["d"], storeId: "S1", expiresAt: 10)
        _ = try await store.ledger.enrol(
            EnrolmentApplicant(
                terminalId: "T1", codeDigest: "d", name: "till", publicKey: "k", tokenExpiresAt: 9), at: 1)
        return store
    }

    private func kinds(_ store: TemporaryStore) async throws -> Set<String> {
        Set(try await store.ledger.alarms(terminal: "T1", limit: 20).map(\.first.kind))
    }

    private func audit(_ store: TemporaryStore) async throws -> TerminalAudit {
        try #require(try await store.ledger.audit(terminal: "T1").first)
    }

    @Test(
        "With heads everything is counted and nothing is wrong; without, all goes on as before",
        arguments: StoreKind.all)
    func whole(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        var till = Till()
        #expect(try await store.outcomes(push(till, [till.sale()], head: nil)) == ["applied"])
        #expect(try await audit(store).json["head"] == "unsigned")
        let sales = [till.sale(), till.sale()]
        #expect(try await store.outcomes(push(till, sales, head: head(till))) == ["applied", "applied"])
        let audit = try await audit(store)
        #expect(audit.json["head"] == "signed")
        #expect(audit.heads.sold == 3)
        #expect(audit.heads.gap == 0)
        #expect(!audit.hasTrouble)
        #expect(try await kinds(store).isEmpty)
    }

    @Test(
        "Sales that are erased after a head was seen are named, and the later journal does not cover it",
        arguments: StoreKind.all)
    func erased(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        var till = Till()
        _ = try await store.outcomes(push(till, [till.sale()], head: head(till)))
        let kept = till
        _ = (till.sale(), till.sale())
        try await store.ledger.note(head(till), of: till.device, at: 1_000_100)
        var audit = try await audit(store)
        #expect(audit.heads.gap == 2)
        #expect(audit.heads.unexplained.isEmpty)
        till = kept
        try await store.ledger.note(head(till, at: 2_000), of: till.device, at: 1_000_200)
        #expect(try await kinds(store) == ["head_regressed"])
        audit = try await self.audit(store)
        #expect(audit.heads.unexplained.map(\.head.sequence) == [3])
        #expect(audit.heads.unexplained.map(\.head.endsAt) == [1])
        let others = [till.sale(), till.sale(), till.sale()]
        #expect(
            try await store.outcomes(push(till, others, head: head(till, at: 3_000)))
                == ["applied", "applied", "applied"])
        #expect(try await kinds(store) == ["head_regressed", "head_contradicted"])
        audit = try await self.audit(store)
        #expect(audit.heads.gap == 0)
        #expect(audit.heads.unexplained.map(\.head.sequence) == [3])
        #expect(audit.hasTrouble)
        #expect(audit.brokenAt == nil)
    }

    @Test(
        "Entries that come without a head are compared with the heads before them", arguments: StoreKind.all)
    func stopped(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        var till = Till()
        _ = try await store.outcomes(push(till, [till.sale()], head: head(till)))
        var other = till
        _ = till.sale()
        try await store.ledger.note(head(till), of: till.device, at: 1_000_100)
        _ = try await store.outcomes(push(other, [other.sale()], head: nil))
        #expect(try await kinds(store) == ["head_contradicted"])
        #expect(try await audit(store).hasTrouble)
    }

    @Test(
        "Heads of a copy are explained when its entries come in under the next epoch",
        arguments: StoreKind.all)
    func copied(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        var till = Till()
        _ = try await store.outcomes(push(till, [till.sale()], head: head(till)))
        var copy = till
        let own = copy.sale()
        try await store.ledger.note(head(copy), of: till.device, at: 1_000_100)
        _ = try await store.outcomes(push(till, [till.sale()], head: head(till, at: 900)))
        #expect(try await audit(store).hasTrouble)
        #expect(try await store.outcomes(push(copy, [own], head: head(copy))) == ["refused"])
        #expect(
            try await store.outcomes(push(copy, [own], head: head(copy, epoch: 2), epoch: 2)) == ["applied"])
        let audit = try await audit(store)
        #expect(audit.heads.unexplained.isEmpty)
        #expect(audit.heads.last?.epoch == 2)
    }

    @Test(
        "A head that cannot be trusted changes no result and is counted; epochs far away leave no row",
        arguments: StoreKind.all)
    func invalid(_ kind: StoreKind) async throws {
        let store = try await store(kind)
        var till = Till()
        #expect(try await store.outcomes(push(till, [till.sale()], head: .invalid)) == ["applied"])
        #expect(try await store.outcomes(push(till, [till.sale()], head: .invalid)) == ["applied"])
        #expect(try await kinds(store) == ["head_signature_invalid"])
        #expect(try await store.ledger.alarms(terminal: "T1", limit: 9).map(\.count) == [2])
        #expect(
            try await store.outcomes(push(till, [till.sale()], head: head(till, epoch: 3))) == ["applied"])
        try await store.ledger.note(head(till, epoch: 1 << 31), of: till.device, at: 1_000_100)
        #expect(try await audit(store).json["head"] == "unsigned")
    }
}
