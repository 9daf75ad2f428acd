internal import ArgumentParser
internal import HubProtocol
internal import HubServer

/// `pos-hub enrol-code`: a code that lets one terminal in.
struct EnrolCodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enrol-code", abstract: "Make a code that enrols one terminal, once.")

    @OptionGroup var options: StoreOptions

    @Option(name: .customLong("store-id"), help: "The store that the terminal belongs to.")
    var storeId: String

    @Option(help: "How long the code works: a number with s, m, h or d. Default: 15m.")
    var expires = "15m"

    func run() async throws {
        guard let lifetime = Lifetime(expires) else {
            throw CommandFailure.usage("--expires is a number with s, m, h or d, for example 15m")
        }
        let answer = try await HubAccess(configuration: options.configuration())
            .perform(.mintCode(storeId: storeId, lifetime: lifetime.milliseconds))
        try options.show(answer) { answer in
            "\(answer["code"]?.string ?? "")\nexpires \(answer["expiresAt"]?.string ?? "")"
        }
    }
}
