internal import Agent
internal import AgentAPI
internal import ArgumentParser
internal import Foundation
internal import Glibc
internal import HubProtocol

/// `pos metrics`: changes nothing.
struct MetricsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics", abstract: "The terminal's figures in the text format of Prometheus.",
        discussion: "For node_exporter's textfile collector: `pos metrics --output FOLDER/holdfast.prom`.")

    @OptionGroup var options: HomeOptions
    @Option(help: "A file that is replaced as a whole and may be read by every user. Default: the output.")
    var output: String?

    func run() async throws {
        try await options.withAgent(reading: true) { connection in
            let text = TerminalFigures.page(try await connection.send(StatusCall())).text
            if let output {
                try Self.replace(output, with: text)
            } else {
                Output.line(String(text.dropLast()))
            }
        }
    }

    /// The collector must never see half a page, and runs as another user.
    private static func replace(_ path: String, with text: String) throws(TerminalError) {
        let draft = path + ".\(getpid())"
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: draft))
            chmod(draft, 0o644)
            guard rename(draft, path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        } catch {
            unlink(draft)
            throw TerminalError(.unusable, code: "output_unwritable") { $0.outputUnwritable(path) }
        }
    }
}
