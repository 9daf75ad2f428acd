import Foundation
import HubProtocol
import TestKit
import Testing

/// The pages and files that are made from the commands, compared with the built programs.
@Suite("The reference of the commands", .onStage)
struct ReferenceTests {
    private struct Listed {
        let path: String
        /// Long names of the options, without those that every command has.
        let options: [String]
    }

    private func listed(_ program: String) throws -> [Listed] {
        let end = try Command.finish([
            ProgramUnderTest.directory.appendingPathComponent(program).path, "--experimental-dump-help",
        ])
        try #require(end.code == 0)
        let document = try JSONParser.parse(end.output.utf8)
        var found: [Listed] = []
        collect(document["command"], below: [], into: &found)
        return found
    }

    private func collect(_ command: JSONValue?, below path: [String], into found: inout [Listed]) {
        guard let command, let name = command["commandName"]?.string, name != "help" else { return }
        let here = path + [name]
        let options = (command["arguments"]?.array ?? []).flatMap { argument in
            (argument["names"]?.array ?? []).compactMap { name in
                name["kind"]?.string == "long" ? name["name"]?.string.map { "--" + $0 } : nil
            }
        }
        found.append(
            Listed(
                path: here.joined(separator: " "),
                options: options.filter { !["--help", "--version"].contains($0) }))
        for sub in command["subcommands"]?.array ?? [] { collect(sub, below: here, into: &found) }
    }

    @Test(
        "Every command and option of a program has its place in docs/reference",
        arguments: ["pos", "pos-hub"])
    func commandsAndOptions(program: String) throws {
        let file = ContractTools.root.appendingPathComponent("docs/reference/commands.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let commands = try listed(program)
        #expect(commands.count > 20)
        for command in commands {
            let heading = command.path == program ? "\n## \(program)\n" : "\n### \(command.path)\n"
            let rest = page.components(separatedBy: heading)
            guard rest.count == 2 else {
                Issue.record("\(command.path) is missing; write the page with `make reference`")
                continue
            }
            let section = rest[1].components(separatedBy: "\n##").first ?? ""
            let missing = command.options.filter {
                !section.contains("| `\($0)`") && !section.contains("| `\($0) ")
            }
            #expect(missing == [], "\(command.path): write the page with `make reference`")
        }
    }

    @Test("Manual pages and completions are made from the programs and name every command")
    func manuals() throws {
        let folder = try TemporaryFolder()
        let made = try Command.finish([
            ContractTools.root.appendingPathComponent(".ci/reference").path, "man",
            ProgramUnderTest.directory.path, folder.path("share"),
        ])
        try #require(made.code == 0, "\(made.output)")
        for program in ["pos", "pos-hub"] {
            let manual = try String(contentsOfFile: folder.path("share/man1/\(program).1"), encoding: .utf8)
            let plain = manual.replacingOccurrences(of: "\\-", with: "-")
            for command in try listed(program) where !command.options.isEmpty {
                #expect(plain.contains(".SS \(command.path)\n"), "\(command.path)")
            }
            let completion = folder.path("share/completions/bash/\(program)")
            #expect(try Command.finish(["bash", "-n", completion]).code == 0)
        }
    }
}
