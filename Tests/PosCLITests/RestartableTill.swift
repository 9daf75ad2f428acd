import AgentAPI
import Base
import Foundation
import HubProtocol
import Logs
import LinuxRuntime
import OfflineMode
import Pricing
import Retail
import Synchronization
import TerminalStore
import TestKit

@testable import Agent

/// An agent over a real database in a folder of its own that can be ended and started again. Its hub does not
/// respond; its catalogue has three articles, A0 to A2, the coupons C0 to C9 take 0.10 off, and its manager
/// is ben with the PIN 1234.
final class RestartableTill: AgentConnection {
    private let folder: TemporaryFolder
    private let thread: EventLoopThread
    private let agent = Mutex<Agent?>(nil)

    init() async throws {
        folder = try TemporaryFolder()
        thread = try EventLoopThread(named: "restartable-till")
        let home = TerminalHome(path: folder.url.path)
        try home.makePrivate()
        _ = try DeviceKey(home: home, creating: true)
        // Port 9 (discard) of this machine refuses connections.
        try Data(#"{"hub":{"url":"http://127.0.0.1:9"}}"#.utf8)
            .write(to: URL(fileURLWithPath: home.configuration))
        let database = try TerminalStores.open(home: home, creating: true)
        try await SQLiteTerminalFacts(database).enrol(
            Enrolment(
                terminalId: "t-3", storeId: "north-7", terminalNumber: 3, token: "secret",
                tokenExpiresAt: "2099-01-01T00:00:00.000Z"), epoch: 1)
        try await SQLiteCatalogue(database, now: { 0 }).apply(
            ChangePage(
                changes: (0..<3).map(Self.article) + [Self.promotion, Self.manager]
                    + (0..<10).map(Self.coupon), cursor: "1", hasMore: false))
        database.close()
        try await start()
    }

    private static func article(_ number: Int) -> Change {
        Change(
            entity: "product", entityId: "S\(number)", version: 1, isDeleted: false, deletedAt: nil,
            hlc: "1795234567000-000001", origin: nil,
            value: [
                "sku": .string("S\(number)"), "barcode": .string("A\(number)"),
                "name": .string("Article \(number)"), "department": "food",
                "priceMinor": .integer(Int64(200 + number * 55)), "currency": "EUR",
                "taxBasisPoints": 1900, "unit": "each",
            ])
    }

    private static func change(_ entity: String, _ id: String, _ value: JSONValue) -> Change {
        Change(
            entity: entity, entityId: id, version: 1, isDeleted: false, deletedAt: nil,
            hlc: "1795234567000-000001", origin: nil, value: value)
    }

    private static let promotion = change(
        "promotion", "P1",
        Promotion(
            id: "P1", name: "Welcome", reduction: .amount(10), sku: nil, department: nil,
            minimumQuantityMilli: 0, startsAt: nil, endsAt: nil, worksOffline: true, needsCoupon: true
        ).json)

    private static func coupon(_ number: Int) -> Change {
        change(
            "coupon", "C\(number)",
            Coupon(
                code: "C\(number)", promotionId: "P1", memberId: nil, maximumUses: nil, uses: 0,
                expiresAt: nil, worksOffline: true
            ).json)
    }

    // hashlib.scrypt(b"1234", salt=bytes(range(16)), n=2**14, r=8, p=1, dklen=32)
    private static let manager = change(
        "cashier", "ben",
        [
            "name": "Ben", "role": "manager",
            "pinHash":
                "$scrypt$ln=14,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$WN+87vPtGO4o1fwEttloKNIwtqGZqnsfkSCWNJhrpMg",
        ])

    private func start() async throws {
        let home = TerminalHome(path: folder.url.path)
        guard case .taken(let lock) = try HomeLock.attempt(home) else {
            throw TerminalError(
                .unusable, code: "agent_runs", text: { _ in "the folder of the test is owned" })
        }
        let started = try await Agent.start(
            home: home,
            sources: try await ConfigurationSources.read(path: home.configuration, environment: [:]),
            lock: lock, servesSocket: false, log: LogStream(format: "text", level: "critical"),
            loop: thread.loop, in: LinuxContext(loop: thread.loop))
        agent.withLock { $0 = started }
    }

    /// Ends the agent and starts it again.
    func restart() async throws {
        await stopAgent()
        try await start()
    }

    private func stopAgent() async {
        let running = agent.withLock { agent in
            defer { agent = nil }
            return agent
        }
        await running?.stop()
    }

    /// To be called at the end of each test.
    func stop() async {
        await stopAgent()
        thread.end()
    }

    func call(_ request: AgentRequest) async throws(TerminalError) -> AgentResponse {
        guard let handler = agent.withLock({ $0?.handler }) else {
            throw TerminalError(.tryAgain, code: "agent_gone", text: { _ in "the agent is stopped" })
        }
        let response = await handler.handle(request)
        await handler.delivered(response, to: request)
        return response
    }

    /// The code of the error; nil: it was done.
    func refusal(of call: some AgentCall) async -> String? {
        do throws(TerminalError) {
            return try await self.call(call.request).error?.code
        } catch {
            return error.code
        }
    }

    func watchStatus() -> AsyncStream<StatusResponse> { AsyncStream { $0.finish() } }

    func close() async {}
}
