internal import Agent
internal import AgentAPI
internal import ArgumentParser
internal import Base
internal import Foundation
internal import HubProtocol
internal import Logs

/// `pos agent`: the terminal's service in the foreground.
struct AgentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent", abstract: "Runs the terminal's service in the foreground, until SIGTERM.")

    @OptionGroup var options: HomeOptions
    @Option(
        help:
            "What is logged to standard error: trace, debug, info, notice, warning or error. SIGUSR1 shows more at run time, SIGUSR2 goes back."
    )
    var logLevel = "notice"
    @Option(help: "How it is written: text, or json, one object a line.")
    var logFormat = "text"

    func validate() throws {
        if let fault = LogStream.fault(format: logFormat, level: logLevel) {
            throw ValidationError(.other(fault))
        }
    }

    func run() async throws {
        let log = LogStream(format: logFormat, level: logLevel)
        try await options.launch.runAgent(log: log) { Output.line("ready") }
    }
}

/// `pos doctor`: changes nothing.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Readiness for an outage: age of data, people, limits, disk, clock, certificates, printer.",
        discussion: "Changes nothing. Exit code 1 when anything is not ready.")

    @OptionGroup var options: HomeOptions
    @Flag(
        help:
            "Plays an outage first: cuts the agent off, prices a basket, checks the way back; sells nothing.")
    var drill = false
    @Flag(help: "One JSON object on standard output.") var json = false

    func run() async throws {
        try await options.withAgent(reading: !drill) { connection in
            if drill, !json { Output.note(Output.words.drillBegins) }
            let reader = json ? nil : Language(environment: ProcessInfo.processInfo.environment)
            let response =
                drill
                ? try await connection.send(DrillCall(reader: reader))
                : try await connection.send(DoctorCall(reader: reader))
            if json {
                Output.document(response.json)
            } else {
                Output.line(OperationText.doctor(response, Output.words))
            }
            guard response.isReady else { throw ExitCode(1) }
        }
    }
}

/// `pos history`.
struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Every offline period: start, end, causes, evidence, sales made in it.")

    @OptionGroup var options: HomeOptions
    @Flag(help: "One JSON object on standard output.") var json = false

    func run() async throws {
        try await options.withAgent(reading: true) { connection in
            try await show(HistoryCall(), on: connection, json: json, render: OperationText.periods)
        }
    }
}

/// `pos offline on|off`: responded when the flag is durable.
struct OfflineCommand: AsyncParsableCommand {
    enum Switch: String, ExpressibleByArgument, CaseIterable {
        case on
        case off
    }

    static let configuration = CommandConfiguration(
        commandName: "offline", abstract: "Switches the terminal offline by hand, or back.")

    @OptionGroup var options: HomeOptions
    @Argument(help: "on or off.") var position: Switch
    @Option(help: "Why; shown until it is switched back.") var reason: String?
    @OptionGroup var person: PersonOptions
    @Flag(help: "One JSON object on standard output.") var json = false

    func run() async throws {
        let call = SetManualCall(
            isOn: position == .on, reason: reason, by: person.cashier, person: try person.person())
        try await options.withAgent { connection in
            try await show(call, on: connection, json: json) { manual, text in
                manual.isOn
                    ? text.manualOffline(since: manual.since)
                    : text.manualOff
            }
        }
    }
}

/// `pos qos status`.
struct QoSCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "qos", abstract: "The hub's decision on each service, and this terminal's state of it.",
        subcommands: [Status.self], defaultSubcommand: Status.self)

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Shows the services.")

        @OptionGroup var options: HomeOptions
        @Flag(help: "One JSON object on standard output.") var json = false
        @Flag(help: "Keeps running and shows each change, until Control-C.") var watch = false

        func run() async throws {
            try await options.withAgent { connection in
                try await show(ServicesCall(), on: connection, json: json, render: OperationText.services)
                guard watch else { return }
                Output.endWithReader()
                for await _ in connection.watchStatus() {
                    try await show(ServicesCall(), on: connection, json: json, render: OperationText.services)
                }
            }
        }
    }
}
