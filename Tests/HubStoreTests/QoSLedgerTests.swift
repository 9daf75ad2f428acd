import HubProtocol
import HubStore
import HubStorePostgres
import HubStoreSQLite
import TestKit
import Testing

@Suite("QoSLedger")
struct QoSLedgerTests {
    @Test(
        "The issuer and the latest generation outlive the process; an older one changes nothing",
        arguments: StoreKind.all)
    func memory(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let open = try opener(kind, in: folder)
        let first = try open()
        let outcome = try await first.decide(Self.decision(after: 1, 3, changes: [["n": 1], ["n": 2]]))
        #expect(outcome == .kept)
        #expect(
            try await first.decide(Self.decision(after: 1, 2, changes: [["n": 3]]))
                == .overtaken(by: .init(generation: 3, state: ["a": 3])))
        let memory = try await open().load()
        #expect(memory.issuer == (try await first.load()).issuer)
        #expect(!memory.issuer.isEmpty)
        #expect(memory.services["order"] == .init(generation: 3, state: ["a": 3]))
        #expect(try await first.history(of: "order", limit: 1) == [["n": 2]])
    }

    private static func decision(
        _ service: String = "order", after previous: Int64, _ generation: Int64, changes: [JSONValue] = []
    ) -> QoSKeptDecision {
        QoSKeptDecision(
            service: service, previous: previous, generation: generation, state: ["a": .integer(generation)],
            changes: changes)
    }

    @Test(
        "Of decisions made at once from one generation one is kept, and the others are given that one",
        arguments: StoreKind.all)
    func comparedAndSet(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let open = try opener(kind, in: folder)
        let hubs = [try open(), try open()]
        for round in 0..<10 {
            let previous = try await hubs[0].load().services["order"]?.generation ?? 1
            let outcomes = try await withThrowingTaskGroup(of: QoSOutcome.self) { group in
                for number in 0..<8 {
                    let decision = Self.decision(after: previous, previous + 1 + Int64(number))
                    group.addTask { try await hubs[number % 2].decide(decision) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let kept = try #require(try await hubs[1].load().services["order"])
            #expect(outcomes.count { $0 == .kept } == 1, "round \(round)")
            #expect(outcomes.allSatisfy { $0 == .kept || $0 == .overtaken(by: kept) })
        }
    }

    @Test(
        "What was kept for another service stands in nobody's way, nor does an empty store",
        arguments: StoreKind.all)
    func otherServices(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let store = try opener(kind, in: folder)()
        #expect(try await store.decide(Self.decision("order", after: 9, 10)) == .kept)
        #expect(try await store.decide(Self.decision("payment", after: 1, 2)) == .kept)
        #expect(try await store.load().services.mapValues(\.generation) == ["order": 10, "payment": 2])
    }

    @Test(
        "A report is passed on with the window that it is of",
        .enabled(if: PostgresServer.isAvailable, "\(PostgresServer.obstacle ?? "")"))
    func sharedReports() async throws {
        let url = try PostgresServer.shared.get().freshSchema()
        let hubs = [try PostgresQoSLedger(url: url), try PostgresQoSLedger(url: url)]
        let start = try await hubs[1].exchange([], of: "two", after: nil, at: 1_000).position
        let reports = [
            SharedReport(service: "order", terminalId: "t", storeId: "s", ok: 1, failed: 2, windowStart: 77),
            SharedReport(service: "order", terminalId: "t", storeId: "s", ok: 3, failed: 4),
        ]
        _ = try await hubs[0].exchange(reports, of: "one", after: nil, at: 1_000)
        #expect(try await hubs[1].exchange([], of: "two", after: start, at: 1_000).reports == reports)
    }

    @Test(
        "A service has one proposal at most, which ends with its time; of two that take it one gets it",
        arguments: StoreKind.all)
    func proposals(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder()
        let open = try opener(kind, in: folder)
        let hubs = [try open(), try open()]
        func proposal(_ id: String) -> QoSProposal {
            QoSProposal(
                id: id, service: "order", state: "faulty", reason: "works", by: "kim", until: 90_000,
                expiresAt: 60_000)
        }
        try await hubs[0].propose(proposal("first"))
        try await hubs[1].propose(proposal("second"))
        #expect(try await hubs[0].proposals(at: 59_999) == [proposal("second")])
        #expect(try await hubs[0].proposals(at: 60_000).isEmpty)
        #expect(try await hubs[0].takeProposal(of: "order", id: "first") == nil)
        async let one = hubs[0].takeProposal(of: "order", id: "second")
        async let other = hubs[1].takeProposal(of: "order", id: "second")
        let taken = try await [one, other]
        #expect(taken.compactMap(\.self) == [proposal("second")])
        try await hubs[0].propose(proposal("third"))
        #expect(try await hubs[1].takeProposal(of: "order", id: nil)?.id == "third")
    }

    private func opener(_ kind: StoreKind, in folder: TemporaryFolder) throws -> () throws -> any QoSLedger {
        switch kind {
        case .sqlite:
            return { try SQLiteQoSLedger(path: folder.path("qos.sqlite")) }
        case .postgresql:
            let url = try PostgresServer.shared.get().freshSchema()
            return { try PostgresQoSLedger(url: url) }
        }
    }
}
