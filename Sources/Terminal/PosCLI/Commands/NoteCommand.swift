internal import AgentAPI
internal import ArgumentParser
internal import HubProtocol
internal import Agent

/// `pos note add|edit|delete|list`: the shift's notes.
struct NoteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "note", abstract: "The shift's notes, the same at every till of the store.",
        subcommands: [Add.self, Edit.self, Delete.self, List.self], defaultSubcommand: List.self)

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Writes a note; offline too.")

        @OptionGroup var options: HomeOptions
        @Argument(help: "The text.") var text: String
        @Option(help: "Who writes it, as a text.") var author: String?
        @OptionGroup var person: PersonOptions
        @OptionGroup var files: AttachOptions
        @Flag(help: "The files go over a metered or narrow path too.") var urgent = false
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            let call = ChangeNoteCall(
                .add(author: author), text: text, person: try person.person(),
                files: AttachedFiles(paths: files.paths, isUrgent: urgent))
            try await options.withAgent { connection in
                try await show(call, on: connection, json: json, render: NoteText.line)
            }
        }
    }

    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Replaces a note's text.")

        @OptionGroup var options: HomeOptions
        @Argument(help: "The note's id.") var id: String
        @Argument(help: "The new text.") var text: String
        @OptionGroup var person: PersonOptions
        @OptionGroup var files: AttachOptions
        @Flag(help: "The files go over a metered or narrow path too.") var urgent = false
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            let call = ChangeNoteCall(
                .edit(id: id), text: text, person: try person.person(),
                files: AttachedFiles(paths: files.paths, isUrgent: urgent))
            try await options.withAgent { connection in
                try await show(call, on: connection, json: json, render: NoteText.line)
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Deletes a note; an edit that this till has not seen makes it a conflict.")

        @OptionGroup var options: HomeOptions
        @Argument(help: "The note's id.") var id: String
        @OptionGroup var person: PersonOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            let call = ChangeNoteCall(.delete(id: id), person: try person.person())
            try await options.withAgent { connection in
                try await show(call, on: connection, json: json) {
                    $1.noteDeleted($0.id)
                }
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "The notes; changes nothing.")

        @OptionGroup var options: HomeOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await options.withAgent(reading: true) { connection in
                try await show(NoteListCall(), on: connection, json: json, render: NoteText.list)
            }
        }
    }
}

private enum NoteText {
    static func line(_ note: NoteRecord, _ text: any PosTexts) -> String {
        let author = note.author.map { " (\($0.printable))" } ?? ""
        return "\(note.id)  \((note.text ?? "-").printable)\(author)"
            + (note.state == "synced" ? "" : "  [\(note.state)]")
    }

    static func list(_ response: NoteListCall.Response, _ text: any PosTexts) -> String {
        let lines = response.notes.map { line($0, text) }
        return lines.isEmpty ? text.noNotes : lines.joined(separator: "\n")
    }
}
