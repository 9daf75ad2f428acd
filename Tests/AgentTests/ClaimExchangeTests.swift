import Base
import Foundation
import HubProtocol
import Logging
import MachineRuntime
import Neighbours
import Synchronization
import TerminalStore
import TestKit
import Testing

@testable import Agent

/// Claims of this till on carts of another one, with a disk.
@Suite("Claims of a till's windows", .timeLimit(.minutes(1)))
struct ClaimExchangeTests {
    private let folder: TemporaryFolder
    private let home: TerminalHome
    private let claim = RightClaim(claimId: "C-1", kind: .cart, right: "C", origin: "t-4")

    init() throws {
        folder = try TemporaryFolder()
        home = TerminalHome(path: folder.url.path)
        try home.makePrivate()
        _ = try DeviceKey(home: home, creating: true)
    }

    private func database() async throws -> TerminalDatabase {
        let database = try TerminalStores.open(home: home, creating: true)
        try await SQLiteTerminalFacts(database).enrol(
            Enrolment(
                terminalId: "t-3", storeId: "north-7", terminalNumber: 3, token: "secret",
                tokenExpiresAt: "2099-01-01T00:00:00.000Z"), epoch: 1)
        return database
    }

    private func exchange(_ database: TerminalDatabase) async throws -> ClaimExchange {
        try await ClaimExchange(
            ClaimSurroundings(
                terminalId: "t-3", time: HandClock(), logger: Logger(label: "test"),
                files: NoteFiles(folder: folder.url.path), rights: SQLiteRights(database), publicKey: "",
                isRecorded: { _ in nil }))
    }

    @Test("Two that take the same cart both hear what became of it; the claim is on disk before it is sent")
    func twoWindows() async throws {
        let database = try await database()
        defer { database.close() }
        let (rights, claim) = (SQLiteRights(database), claim)
        let claims = try await exchange(database)
        claims.take(StoreNotes(), isReady: true, epoch: 1)
        let (sent, wasSent) = AsyncStream.makeStream(of: [RightClaim].self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let work = Task {
            await claims.run { _, _ in
                wasSent.yield(((try? await rights.wantedCarts()) ?? []).map(\.claim))
                for await _ in gate { break }
                return (ClaimResponse(.inUse), [])
            }
        }
        let first = Task { await claims.want(claim, of: "t-4") }
        for await onDisk in sent {
            #expect(onDisk == [claim])
            break
        }
        let second = Task { await claims.want(claim, of: "t-4") }
        for _ in 0..<100 { await Task.yield() }
        open.yield()
        // One that came behind the response is sent anew.
        open.finish()
        #expect(await [first.value, second.value] == [.refused(.inUse, to: nil), .refused(.inUse, to: nil)])
        work.cancel()
        await work.value
    }
}
