import HubProtocol
import HubStore
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
        try await first.keep(service: "order", generation: 3, state: ["a": 3], change: ["n": 1])
        try await first.keep(service: "order", generation: 2, state: ["a": 2], change: ["n": 2])
        let memory = try await open().load()
        #expect(memory.issuer == (try await first.load()).issuer)
        #expect(!memory.issuer.isEmpty)
        #expect(memory.services["order"] == .init(generation: 3, state: ["a": 3]))
        #expect(try await first.history(of: "order", limit: 1) == [["n": 2]])
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
