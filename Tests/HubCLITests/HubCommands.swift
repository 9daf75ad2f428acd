import Foundation
import HubProtocol
import HubServer
import Synchronization
import TestKit

@testable import HubCLI

/// How one command line ended.
struct CommandEnd {
    let exitCode: Int32
    /// The lines of standard output and of standard error.
    let output: [String]
    let errors: [String]

    /// The one document of standard output.
    func document() throws -> JSONValue { try JSONParser.parse(Array(output.joined(separator: "\n").utf8)) }
}

/// Runs command lines of `pos-hub` in this process, on a store of a test's own that no hub serves.
struct HubCommands {
    let folder: TemporaryFolder
    /// The file, or the database's URL.
    let store: String

    init(on kind: HubStoreKind = .sqlite) throws {
        folder = try TemporaryFolder()
        store = try kind.place(in: folder)
        // Commands work on a hub that is there.
        guard let location = StoreLocation(store) else { throw CommandFailure.usage(store) }
        _ = try StoreMigration.run(on: location)
    }

    /// Runs a command on the store.
    func run(_ arguments: String...) async -> CommandEnd {
        await Self.run(arguments + ["--store", store, "--keys", folder.path("keys")])
    }

    /// Runs a command with `--json` on the store, and gives its document.
    func json(_ arguments: String...) async throws -> JSONValue { try await json(arguments) }

    func json(_ arguments: [String]) async throws -> JSONValue {
        try await Self.run(arguments + ["--json", "--store", store, "--keys", folder.path("keys")]).document()
    }

    /// Writes `text` to a file of the kind's name and imports it.
    func imported(_ kind: String, _ text: String, _ more: String...) async throws -> CommandEnd {
        let file = folder.path(kind + ".csv")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return await Self.run(
            ["import", kind, file] + more + ["--store", store, "--keys", folder.path("keys")])
    }

    /// Runs a command line as it is.
    static func run(_ arguments: [String]) async -> CommandEnd {
        let written = Mutex<[Int32: String]>([:])
        let target = OutputTarget { text, descriptor in
            written.withLock { $0[descriptor, default: ""] += text }
        }
        let exitCode = await Output.$target.withValue(target) { await HubProgram.exitCode(of: arguments) }
        let (output, errors) = written.withLock { ($0[1] ?? "", $0[2] ?? "") }
        return CommandEnd(exitCode: exitCode, output: lines(output), errors: lines(errors))
    }

    private static func lines(_ text: String) -> [String] {
        text.isEmpty
            ? []
            : text.split(separator: "\n", omittingEmptySubsequences: false).dropLast(
                text.hasSuffix("\n") ? 1 : 0
            )
            .map(String.init)
    }
}
