public import ArgumentParser
internal import Foundation
public import Agent

/// The options that every command has: where the terminal lives and how it is configured.
public struct HomeOptions: ParsableArguments {
    /// The data folder; nil for `POS_HOME`, else `~/.pos`.
    @Option(help: "The terminal's data folder (POS_HOME; default ~/.pos).")
    public var home: String?

    /// The configuration file; nil for `POS_CONFIG`, else `<home>/terminal.json`.
    @Option(help: "The configuration file (POS_CONFIG; default <home>/terminal.json).")
    public var config: String?

    /// Made by the parser.
    public init() {}

    /// The data folder that the options and the environment name.
    public var terminalHome: TerminalHome {
        let variables = ProcessInfo.processInfo.environment
        return TerminalHome(path: home ?? variables["POS_HOME"] ?? NSHomeDirectory() + "/.pos")
    }

    var configurationPath: String {
        config ?? ProcessInfo.processInfo.environment["POS_CONFIG"] ?? terminalHome.configuration
    }

    var launch: TerminalLaunch {
        get throws(TerminalError) {
            TerminalLaunch(
                home: terminalHome, configurationPath: configurationPath,
                environment: ProcessInfo.processInfo.environment, loop: try ProgramLoop.get())
        }
    }

    /// Runs `body` with a connection to the agent of the home, the one inside this process if none runs.
    ///
    /// - Parameter serving: for what lasts: other commands get a response meanwhile.
    func withAgent<Result>(
        reading: Bool = false, serving: Bool = false, _ body: (any AgentConnection) async throws -> Result
    ) async throws -> Result {
        let connection = try await launch.connect(readingOnly: reading, serving: serving)
        do {
            let result = try await body(connection)
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }
}
