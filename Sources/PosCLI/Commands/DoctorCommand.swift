internal import ArgumentParser
internal import HubProtocol
internal import Terminal

/// `pos doctor`: changes nothing.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Readiness for an outage: data, disk, clock, permission for ping.")

    @OptionGroup var options: HomeOptions
    @Flag(help: "One JSON object on standard output.") var json = false

    func run() async throws {
        try await options.withAgent(reading: true) { connection in
            try await show(
                AgentRequest("GET", AgentRoutes.doctor), on: connection, json: json, render: QoSText.doctor)
        }
    }
}
