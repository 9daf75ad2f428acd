internal import AgentAPI
internal import ArgumentParser
internal import HubProtocol
internal import Agent

/// `pos doctor`: changes nothing.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Readiness for an outage: data, disk, clock, permission for ping.",
        discussion: "Changes nothing. Exit code 1 when anything is not ready.")

    @OptionGroup var options: HomeOptions
    @Flag(help: "One JSON object on standard output.") var json = false

    func run() async throws {
        try await options.withAgent(reading: true) { connection in
            let response = try await connection.send(DoctorCall())
            if json { Output.document(response.json) } else { Output.line(OperationText.doctor(response)) }
            guard response.isReady else { throw ExitCode(1) }
        }
    }
}
