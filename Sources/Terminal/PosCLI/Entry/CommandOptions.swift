package import Agent
package import ArgumentParser

internal import AgentAPI
internal import Foundation
internal import HubProtocol

/// The options that every command has: where the terminal lives and how it is configured.
package struct HomeOptions: ParsableArguments {
    /// The data folder; nil for `POS_HOME`, else `~/.pos`.
    @Option(help: "The terminal's data folder (POS_HOME; default ~/.pos).")
    package var home: String?

    /// The configuration file; nil for `POS_CONFIG`, else `<home>/terminal.json`.
    @Option(help: "The configuration file (POS_CONFIG; default <home>/terminal.json).")
    package var config: String?

    package init() {}

    /// The data folder that the options and the environment name.
    package var terminalHome: TerminalHome {
        TerminalHome(path: home ?? Self.variable("POS_HOME") ?? NSHomeDirectory() + "/.pos")
    }

    var configurationPath: String {
        config ?? Self.variable("POS_CONFIG") ?? terminalHome.configuration
    }

    /// A path of the environment; an empty one is none.
    private static func variable(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    var launch: TerminalLaunch {
        get throws(TerminalError) {
            TerminalLaunch(
                home: terminalHome, configurationPath: configurationPath,
                environment: ProcessInfo.processInfo.environment, loop: try ProgramLoop.get())
        }
    }

    /// What the commands of a task use in the place of the home's agent; nil: that agent.
    @TaskLocal static var connection: (any AgentConnection)?

    /// Runs `body` with a connection to the agent of the home, the one inside this process if none runs.
    ///
    /// - Parameter serving: for what lasts: other commands get a response meanwhile.
    func withAgent<Result>(
        reading: Bool = false, serving: Bool = false, _ body: (any AgentConnection) async throws -> Result
    ) async throws -> Result {
        if let connection = Self.connection { return try await body(connection) }
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

/// Who does it, where that is not whoever is signed in, and who approves it.
struct PersonOptions: ParsableArguments {
    @Option(help: "The cashier's id, for this command alone; whoever is signed in when not given.")
    var cashier: String?
    @Option(help: "The cashier's PIN; others could see it in the process list, --pin-stdin is the safe form.")
    var pin: String?
    @Flag(help: "Reads the cashier's PIN from a line of standard input.") var pinStdin = false
    @Option(help: "Who approves what the cashier's role does not allow; the PIN is read without echo.")
    var approver: String?
    @Flag(help: "Reads the approver's PIN from a line of standard input, behind the cashier's.")
    var approverPinStdin = false

    func validate() throws {
        if pinStdin, pin != nil { throw ValidationError(.excludes("--pin", ["--pin-stdin"])) }
        if pinStdin, cashier == nil { throw ValidationError(.needs("--pin-stdin", ["--cashier"])) }
        if approverPinStdin, approver == nil {
            throw ValidationError(.needs("--approver-pin-stdin", ["--approver"]))
        }
    }

    /// Who acts in the commands of a task, where they name nobody: the checkout's person and approver.
    @TaskLocal static var session = AgentPerson()

    /// Whether a line of standard input is taken for a PIN.
    var readsInput: Bool { pinStdin || approverPinStdin }

    /// Who sends the request. Reads the PINs that are not given from standard input or the keyboard, so it is
    /// called once, before the connection is made.
    func person() throws(TerminalError) -> AgentPerson {
        if cashier == nil, approver == nil { return Self.session }
        var person = AgentPerson(
            cashierId: cashier, pin: pinStdin ? try PINEntry.line(of: .cashier) : pin)
        if let approver {
            let pin = approverPinStdin ? try PINEntry.line(of: .approver) : try PINEntry.prompt(approver)
            person.approver = AgentPerson.Approver(id: approver, pin: pin)
        }
        return person
    }
}

/// Files that go with what is recorded.
struct AttachOptions: ParsableArguments {
    @Option(
        help: "A file that belongs to it: a signed receipt, a photo; up to 16 MiB. May be repeated.")
    var attach: [String] = []

    /// The absolute paths for the agent, whose working folder is another one.
    var paths: [String] { attach.map { URL(fileURLWithPath: $0).standardizedFileURL.path } }
}
