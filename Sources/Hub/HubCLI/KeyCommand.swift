internal import ArgumentParser
internal import Foundation
internal import HubCore
internal import HubProtocol
internal import HubServer

/// `pos-hub key`: the keys that the hub signs and opens with.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Manage the hub's keys.",
        subcommands: [List.self, Rotate.self, Export.self, Import.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show every key, without private halves.")

        @OptionGroup var options: StoreOptions

        func run() async throws {
            try await options.show(.listKeys, asText: KeyCommand.summary)
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create new keys. The present keys stay valid for a time.",
            discussion: "Terminals go on without an interruption. Private sealing keys are never deleted.")

        @OptionGroup var options: StoreOptions

        @Option(help: "token, signing, sealing or secret; repeatable. Default: all of them.")
        var kind: [String] = []

        @Option(help: "How long the present keys stay valid: a number with s, m, h or d. Default: 31d.")
        var overlap = "31d"

        @Flag(help: "Replace keys that are lost; every terminal gets a new token by its device key.")
        var lost = false

        func run() async throws {
            guard let overlap = overlap == "0" ? 0 : Lifetime(overlap)?.milliseconds else {
                throw CommandFailure.usage("--overlap is a number with s, m, h or d, for example 31d")
            }
            let kinds = try kind.map { name in
                guard let kind = HubKeyEntry.Kind(rawValue: name) else {
                    throw CommandFailure.usage("--kind is token, signing, sealing or secret, not \"\(name)\"")
                }
                return kind
            }
            let all = kinds.isEmpty ? HubKeyEntry.Kind.allCases : kinds
            let response = try await options.perform(
                lost ? .replaceLostKeys : .rotateKeys(all, overlap: overlap))
            try options.show(response, asText: KeyCommand.summary)
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write a private key into a new file that only its owner can read.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The key's id, or all.")
        var id: String

        @Option(help: "The file; it must not be there yet.")
        var output: String

        func run() async throws {
            let keys = try await options.perform(.exportKeys(id: id))
            do {
                try PrivateKeyFile.create(output, with: keys.canonicalBytes + [10])
            } catch {
                throw CommandFailure.unusable("\(output) cannot be written: \(error)")
            }
            let count = keys["keys"]?.array?.count ?? 0
            try options.show(["file": .string(output), "keys": .integer(Int64(count))]) { _ in
                "\(count) private \(count == 1 ? "key" : "keys") in \(output); keep it where nobody else reads it"
            }
        }
    }

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import exported keys; the present keys stay.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "What `pos-hub key export` wrote.")
        var file: String

        func run() async throws {
            guard let data = FileManager.default.contents(atPath: file),
                let json = try? JSONParser.parse(Array(data))
            else { throw CommandFailure.unusable("\(file) cannot be read as exported keys") }
            let response = try await options.perform(.importKeys(json))
            try options.show(response, asText: KeyCommand.summary)
        }
    }

    private static func summary(_ response: JSONValue) -> String {
        (response["keys"]?.array ?? []).map { key in
            let end = key["acceptedUntil"]?.string.map { "  counts until \($0)" } ?? ""
            return "\(key["id"]?.string ?? "")  \(key["state"]?.string ?? "")  "
                + "for use until \(key["notAfter"]?.string ?? "")\(end)"
        }.joined(separator: "\n")
    }
}
