internal import ArgumentParser
internal import Foundation
internal import HubProtocol
internal import HubServer

/// `pos-hub attachments`: the signed receipts and photos that tills attached to mutations.
struct AttachmentsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attachments", abstract: "The signed receipts and photos that came with mutations.",
        subcommands: [List.self, Save.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show every attachment, and how many of its bytes are stored.")

        @OptionGroup var options: StoreOptions

        @Option(help: "Only the attachments of this terminal.")
        var terminal: String?

        func run() async throws {
            try await options.show(.listAttachments(terminal: terminal)) { response in
                (response["attachments"]?.array ?? []).map(AttachmentsCommand.summary).joined(separator: "\n")
            }
        }
    }

    struct Save: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Write a complete attachment into a file.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The attachment's id.")
        var id: String

        @Argument(help: "The file to write; an existing file is not overwritten.")
        var file: String

        @Option(help: "The terminal that uploaded it.")
        var terminal: String

        func run() async throws {
            let access = HubAccess(configuration: try options.configuration())
            var bytes = Data()
            var attachment: JSONValue = .null
            while true {
                let response = try await access.perform(
                    .readAttachment(id: id, terminal: terminal, at: Int64(bytes.count)))
                attachment = response["attachment"] ?? .null
                guard let piece = response["bytes"]?.string.flatMap({ Data(base64Encoded: $0) }),
                    !piece.isEmpty
                else { break }
                bytes.append(piece)
            }
            do {
                try bytes.write(to: URL(fileURLWithPath: file), options: .withoutOverwriting)
            } catch {
                throw CommandFailure.unusable("\(file) cannot be written: \(error.localizedDescription)")
            }
            try options.show(attachment) { _ in "\(bytes.count) bytes in \(file)" }
        }
    }

    private static func summary(_ attachment: JSONValue) -> String {
        let size = attachment["size"]?.integer ?? 0
        let state =
            attachment["completeAt"]?.string.map { "whole since \($0)" }
            ?? "\(attachment["received"]?.integer ?? 0) of \(size) bytes"
        return "\(attachment["terminalId"]?.string ?? "")  \(attachment["id"]?.string ?? "")  "
            + "\(attachment["contentType"]?.string ?? "")  \(size) bytes  \(state)"
    }
}
