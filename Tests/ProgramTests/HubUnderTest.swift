import Foundation
import HubProtocol
import TestKit
import Testing

/// A `pos-hub serve` on a free port with a store of its own, and what tests request from it.
final class HubUnderTest {
    let folder: TemporaryFolder
    let arguments: [String]
    /// Where the orders are, as `--store` takes it.
    let store: String
    private let environment: [String: String]
    private let wrapper: [String]
    private(set) var program: ProgramUnderTest
    private(set) var url: String

    /// Starts a hub, and waits until it listens.
    ///
    /// - Parameters:
    ///   - folder: the store's folder, of an earlier hub or fresh.
    ///   - store: another store than a file in the folder.
    ///   - environment: laid over this process's own.
    ///   - wrapper: a command that becomes the hub, for example `prlimit --nofile=256`.
    init(
        _ arguments: [String] = [], in folder: TemporaryFolder? = nil, store: String? = nil,
        environment: [String: String] = [:], behind wrapper: [String] = []
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        self.arguments = arguments
        self.store = store ?? Self.store(in: folder)
        self.environment = environment
        self.wrapper = wrapper
        program = try Self.started(arguments, self.store, environment, wrapper)
        url = try program.line(startingWith: "listening on ")
    }

    deinit { program.kill() }

    private static func started(
        _ arguments: [String], _ store: String, _ environment: [String: String], _ wrapper: [String]
    ) throws -> ProgramUnderTest {
        try ProgramUnderTest(
            "pos-hub", ["serve", "--listen", "127.0.0.1:0", "--store", store] + arguments,
            environment: environment, behind: wrapper)
    }

    static func store(in folder: TemporaryFolder) -> String { "sqlite:" + folder.path("hub.sqlite") }

    /// Kills the hub as a power cut would, and starts it again on the same store.
    func killAndRestart() throws {
        program.kill()
        program = try Self.started(arguments, store, environment, wrapper)
        url = try program.line(startingWith: "listening on ")
    }

    /// Ends the hub as its operator would.
    func stop() {
        program.terminate()
        _ = program.exitCode()
    }

    func client(timeout: Double = 10) throws -> LoopbackClient {
        try LoopbackClient(url: url, timeout: timeout)
    }

    /// Runs another command of `pos-hub` on the same store.
    func run(_ arguments: String...) throws -> FinishedProgram {
        try ProgramUnderTest.run("pos-hub", arguments + ["--store", store])
    }

    /// The JSON of a command that has to succeed.
    func json(_ arguments: String...) throws -> JSONValue { try json(arguments) }

    func json(_ arguments: [String]) throws -> JSONValue {
        let finished = try ProgramUnderTest.run(
            "pos-hub", arguments + ["--json", "--store", store])
        // An audit shows its trouble by its exit code too.
        let isAudit = arguments.first == "audit" && finished.exitCode == 4
        try #require(finished.exitCode == 0 || isAudit, "\(finished.errors)")
        return try JSONParser.parse(finished.text.utf8)
    }

    /// Enrols a till over HTTP.
    func enrol(store: String = "S1") throws -> TillOverHTTP {
        TillOverHTTP(try SigningTill(on: self, store: store).grant)
    }
}

extension TillOverHTTP {
    /// Pushes one mutation alone.
    func push(
        _ mutation: Mutation, on client: LoopbackClient, headers more: [String: String] = [:]
    ) throws -> LoopbackResponse {
        let key = [HeaderNames.idempotencyKey: "\"\(mutation.id)\""]
        let merged = headers.merging(key) { $1 }.merging(more) { $1 }
        return try client.request(
            "POST", Routes.mutation, headers: merged, body: mutation.json.canonicalText)
    }

    /// Pushes mutations as a batch.
    func push(
        _ mutations: [Mutation], epoch: Int64 = 1, on client: LoopbackClient
    ) throws -> LoopbackResponse {
        let batch = MutationBatch(mutations: mutations, epoch: epoch, lowSequence: mutations.first?.sequence)
        return try client.request(
            "POST", Routes.mutationBatch, headers: headers, body: batch.json.canonicalText)
    }
}
