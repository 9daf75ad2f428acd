import Base

internal import ArgumentParser
internal import HubCore
internal import HubProtocol
internal import HubServer

/// `pos-hub check`: reads the complete store and reports what is damaged.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Read the whole store and list what is damaged; changes nothing.",
        discussion:
            "SQLite: every page, row and index. PostgreSQL: every row, the server's checksums, and indexes where "
            + "the extension amcheck is installed. Works beside a running hub.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
        let response = try await options.perform(.checkStore)
        try options.show(response, asText: Self.summary)
        let findings = response["findings"]?.array ?? []
        guard findings.isEmpty else {
            throw CommandFailure.refused(
                "the store is damaged, \(findings.count) findings; keep a copy of it, restore the last backup, "
                    + "and the terminals send what that lacks")
        }
    }

    private static func summary(_ response: JSONValue) -> String {
        let looked = (response["checked"]?.array ?? []).compactMap(\.string)
        let findings = (response["findings"]?.array ?? []).compactMap(\.string)
        return
            (looked.map { "checked  \($0)" } + findings.map { "damaged  \($0)" }
            + (findings.isEmpty ? ["the store is intact"] : [])).joined(separator: "\n")
    }
}

/// `pos-hub config`: the settings that a hub with these options would have.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show every setting with its value, without starting the hub.",
        discussion: "In the form of the configuration file; with --json on one line.")

    @OptionGroup var options: StoreOptions

    func run() throws {
        try options.show(try options.configuration().json) { $0.indentedLines.joined(separator: "\n") }
    }
}
