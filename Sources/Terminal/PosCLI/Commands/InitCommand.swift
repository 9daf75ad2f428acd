internal import AgentAPI
internal import ArgumentParser
internal import Foundation
internal import Agent

/// `pos init`: makes the home, the device key and the configuration, enrols, pulls the catalogue.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Makes this machine a terminal of a hub.")

    @OptionGroup var options: HomeOptions
    @Option(help: "The hub's address, for example https://hub.example.") var hub: String
    @Option(
        help: "The enrolment code; others could see it in the process list, --enrol-stdin is the safe form.")
    var enrol: String?
    @Flag(help: "Reads the enrolment code of `pos-hub enrol-code` from a line of standard input.")
    var enrolStdin = false
    @Option(help: "The terminal's name in the hub's lists.") var name: String?
    @Flag(help: "Allows http to a hub that is not on loopback.") var allowInsecure = false
    @Option(help: "A PEM file with the certificate authority of the hub, to trust instead of the system's.")
    var caFile: String?
    @Flag(help: "One JSON object on standard output.") var json = false

    func validate() throws {
        guard (enrol == nil) == enrolStdin else {
            throw ValidationError(.oneEnrolmentCode)
        }
    }

    func run() async throws {
        let code = try enrol ?? PINEntry.line(of: .enrolmentCode)
        let request = EnrolmentCommand(
            hubURL: hub, code: code, name: name, allowInsecure: allowInsecure,
            caFile: caFile.map { URL(fileURLWithPath: $0).standardizedFileURL.path })
        let launch = try options.launch
        // No agent has said it yet.
        Output.speak(await launch.language())
        let result = try await launch.initialise(request)
        if json { return Output.document(result.json) }
        Output.line(Output.words.ready(result))
    }
}
