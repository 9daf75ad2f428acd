internal import AgentAPI
internal import ArgumentParser
internal import Agent

extension SyncCommand {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes the complete journal into a file for `pos-hub ingest`; changes nothing here.",
            discussion:
                "Works on the home of a dead till, also one that can only be read. The file is encrypted "
                + "to the hub's key and signed by the device key.")

        @OptionGroup var options: HomeOptions
        @Argument(help: "The file to write.") var file: String
        @Flag(help: "Write a file that anybody can read; needs --reason.") var plain = false
        @Option(help: "Why the file is not encrypted.") var reason: String?
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            guard plain == (reason != nil) else {
                throw TerminalError(.usage, code: "reason_required") { $0.plainNeedsReason }
            }
            let response = try await options.launch.exportJournal(to: file, plainReason: reason)
            if json { return Output.document(response.json) }
            Output.line(Output.words.exported(response, plain: plain))
        }
    }
}
