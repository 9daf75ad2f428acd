internal import ArgumentParser
internal import HubProtocol
internal import Terminal

extension SyncCommand {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes the whole journal into a file for `pos-hub ingest`; changes nothing here.",
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
                throw TerminalError(
                    .usage, code: "reason_required", "--plain and --reason TEXT belong together")
            }
            let answer = try await options.launch.exportJournal(to: file, plainReason: reason)
            if json { return Output.document(answer) }
            Output.line(Self.words(answer, plain: plain))
        }

        private static func words(_ answer: JSONValue, plain: Bool) -> String {
            let lost = answer["lostAttachments"]?.array?.count ?? 0
            var words = "\(answer["entries"]?.integer ?? 0) entries in \(answer["file"]?.string ?? ""), "
            words += "\(answer["pending"]?.integer ?? 0) of them not acknowledged yet, "
            words += "\(answer["attachments"]?.integer ?? 0) attachments"
            if lost > 0 { words += " (\(lost) cannot be read)" }
            if plain { words += ", not encrypted" }
            if answer["signed"] != true { words += ", not signed: the device key is gone" }
            return words + "; `pos-hub ingest` takes them in"
        }
    }
}
