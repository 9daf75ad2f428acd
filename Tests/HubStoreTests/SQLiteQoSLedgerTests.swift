import Foundation
import HubProtocol
import HubStore
import Testing

@Suite("SQLiteQoSLedger")
struct SQLiteQoSLedgerTests {
    @Test("The issuer and the latest generation outlive the process; an older one changes nothing")
    func memory() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("holdfast-qos-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("qos.sqlite").path
        let first = try SQLiteQoSLedger(path: path)
        try await first.keep(service: "order", generation: 3, state: ["a": 3], change: ["n": 1])
        try await first.keep(service: "order", generation: 2, state: ["a": 2], change: ["n": 2])
        let memory = try await SQLiteQoSLedger(path: path).load()
        #expect(memory.issuer == (try await first.load()).issuer)
        #expect(!memory.issuer.isEmpty)
        #expect(memory.services["order"] == .init(generation: 3, state: ["a": 3]))
        #expect(try await first.history(of: "order", limit: 1) == [["n": 2]])
    }
}
