internal import ArgumentParser
internal import Agent

/// `pos agent`: the terminal's service in the foreground.
struct AgentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent", abstract: "Runs the terminal's service in the foreground, until SIGTERM.")

    @OptionGroup var options: HomeOptions
    @Option(help: "What is logged to standard error: trace, debug, info, notice, warning or error.")
    var logLevel: String = "notice"

    private static let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]

    func validate() throws {
        guard Self.levels.contains(logLevel) else {
            throw ValidationError("--log-level is one of \(Self.levels.joined(separator: ", "))")
        }
    }

    func run() async throws {
        try await options.launch.runAgent(logLevel: logLevel) { Output.line("ready") }
    }
}
