internal import ArgumentParser
internal import HubProtocol
internal import HubServer

/// `pos-hub operator`: who may do operators' calls.
struct OperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator", abstract: "Look after the operators.", subcommands: [Add.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add an operator, or give a known one a new token. The token is shown this once.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The operator's name.")
        var name: String

        func run() async throws {
            let access = HubAccess(configuration: try options.configuration())
            let answer = try await access.perform(.addOperator(name: name))
            try options.show(answer) { $0["token"]?.string ?? "" }
        }
    }
}
