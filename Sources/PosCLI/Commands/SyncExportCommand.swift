internal import ArgumentParser
internal import HubProtocol
internal import Terminal

extension SyncCommand {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes the whole journal into a file for `pos-hub ingest`; changes nothing here.",
            discussion: "Works on the home of a dead till, also one that can only be read.")

        @OptionGroup var options: HomeOptions
        @Argument(help: "The file to write.") var file: String
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            do throws(TerminalError) {
                let answer = try await options.launch.exportJournal(to: file)
                if json { return Output.document(answer) }
                let lost = answer["lostAttachments"]?.array?.count ?? 0
                Output.line(
                    "\(answer["entries"]?.integer ?? 0) entries in \(answer["file"]?.string ?? file), "
                        + "\(answer["pending"]?.integer ?? 0) of them not acknowledged yet, "
                        + "\(answer["attachments"]?.integer ?? 0) attachments"
                        + (lost > 0 ? " (\(lost) cannot be read)" : "") + "; "
                        + "`pos-hub ingest` takes them in")
            } catch {
                if json { Output.document(["error": error.document]) }
                throw error
            }
        }
    }
}
