import Foundation
import TestKit

/// The Python programs that compare `docs/openapi.yaml` with a hub, where `.ci/setup test` could install
/// them.
enum ContractTools {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static let document = root.appendingPathComponent("docs/openapi.yaml").path
    static let folder = root.appendingPathComponent("Tests/Contract").path
    private static let programs = root.appendingPathComponent(".build/contract/bin").path

    static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: programs + "/schemathesis") }

    /// Whether what makes clients is there, too.
    static var hasGenerators: Bool {
        ["openapi-python-client", "datamodel-codegen", "ruff"].allSatisfy {
            FileManager.default.isExecutableFile(atPath: programs + "/" + $0)
        }
    }

    static let obstacle = "schemathesis is not installed: `.ci/setup test` needs Python and PyPI for it"

    /// Runs one of the programs and gives its exit code and all that it wrote.
    static func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], in folder: String
    ) throws -> (exitCode: Int32, text: String) {
        // One behind the other in the order of writing, since the texts of a failure are in both.
        let script = "exec \"$0\" \"$@\" 2>&1"
        let end = try Command.finish(
            ["sh", "-c", script, programs + "/" + program] + arguments, environment: environment, in: folder)
        return (end.code, end.output)
    }

    /// Compares a file of routes or exchanges with the document.
    static func validate(
        _ what: String, _ text: String, in folder: TemporaryFolder
    ) throws -> (exitCode: Int32, text: String) {
        let file = folder.path(what + ".json")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return try run(
            "python", [Self.folder + "/validate.py", document, what, file], in: folder.path("."))
    }
}
