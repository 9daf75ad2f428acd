import AgentAPI
import LinuxRuntime
import Foundation
import HubProtocol
import Logs
import OfflineMode
import Retail
import TerminalStore
import TestKit
import Testing

@testable import Agent

/// A complete agent inside the test, over a real database in a folder of its own. Its hub does not respond.
final class AgentUnderTest: Sendable {
    private let folder: TemporaryFolder
    private let thread: EventLoopThread
    let agent: Agent

    /// - Parameters:
    ///   - isRunning: false for a reader of the disk, where nothing runs.
    ///   - feed: what a pull of before has left on disk.
    ///   - cards: what was taken offline before.
    ///   - keys: of its configuration, as JSON members behind the hub's.
    ///   - servesSocket: whether it lasts, as a till's agent does; a command that is its own agent does not.
    init(
        isRunning: Bool = true, feed: [Change] = [], cards: [StoredCard] = [], keys: String = "",
        servesSocket: Bool = false
    ) async throws {
        folder = try TemporaryFolder()
        thread = try EventLoopThread(named: "agent-under-test")
        let home = TerminalHome(path: folder.url.path)
        try home.makePrivate()
        _ = try DeviceKey(home: home, creating: true)
        // Port 9 (discard) of this machine refuses connections.
        try Data(#"{"hub":{"url":"http://127.0.0.1:9"}\#(keys)}"#.utf8)
            .write(to: URL(fileURLWithPath: home.configuration))
        let database = try TerminalStores.open(home: home, creating: true)
        try await SQLiteTerminalFacts(database).enrol(
            Enrolment(
                terminalId: "t-3", storeId: "north-7", terminalNumber: 3, token: "secret",
                tokenExpiresAt: "2099-01-01T00:00:00.000Z"), epoch: 1)
        if !feed.isEmpty {
            try await SQLiteCatalogue(database, now: { 0 }).apply(
                ChangePage(changes: feed, cursor: "1", hasMore: false))
        }
        if !cards.isEmpty { try SQLiteStoredCards(database, home: home.path).keep(StoredCards(cards)) }
        database.close()
        guard case .taken(let lock) = try HomeLock.attempt(home) else {
            throw TerminalError(
                .unusable, code: "agent_runs", text: { _ in "the folder of the test is owned" })
        }
        let sources = try await ConfigurationSources.read(path: home.configuration, environment: [:])
        let context = LinuxContext(loop: thread.loop)
        agent =
            isRunning
            ? try await Agent.start(
                home: home, sources: sources, lock: lock, servesSocket: servesSocket,
                log: LogStream(format: "text", level: "critical"),
                loop: thread.loop, in: context)
            : try await Agent.reader(home: home, sources: sources, lock: lock, in: context)
    }

    /// Whether order numbers are reserved in their file.
    var hasReserved: Bool {
        FileManager.default.fileExists(atPath: folder.url.appendingPathComponent("high-water.json").path)
    }

    /// To be called at the end of each test.
    func stop() async {
        await agent.stop()
        thread.end()
    }

    /// The entries of the outbox, the first 1,000; to be called after ``stop()``.
    func pending() async throws -> [OutboxItem] {
        let database = try TerminalStores.open(home: TerminalHome(path: folder.url.path), creating: false)
        defer { database.close() }
        return try await SQLiteOutbox(database).pending(after: 0, limit: 1000)
    }

    func send<Call: AgentCall>(_ call: Call) async throws -> Call.Response {
        let response = await agent.handler.handle(call.request)
        if let error = response.error { throw error }
        return try call.response(in: AgentResponse(response.body))
    }

    /// The code of the error response; nil for a good one.
    func refusal(_ method: String, _ path: String, _ body: JSONValue? = nil) async -> String? {
        await failure(method, path, body)?.code
    }

    /// The error response; nil for a good one.
    func failure(_ method: String, _ path: String, _ body: JSONValue?) async -> AgentFailure? {
        await agent.handler.handle(AgentRequest(method, path, body: body)).error?.failure
    }
}

/// Makes an agent for `body` and ends it afterwards.
func withAgent(
    isRunning: Bool = true, cards: [StoredCard] = [], _ body: (AgentUnderTest) async throws -> Void
) async throws {
    let agent = try await AgentUnderTest(isRunning: isRunning, cards: cards)
    do {
        try await body(agent)
    } catch {
        await agent.stop()
        throw error
    }
    await agent.stop()
}
