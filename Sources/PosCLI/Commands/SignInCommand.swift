internal import ArgumentParser
internal import HubProtocol
internal import Terminal

/// `pos sign-in CASHIER`.
struct SignInCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in", abstract: "Signs a cashier in; offline too. The PIN is asked without echo.")

    @OptionGroup var options: HomeOptions
    @Argument(help: "The cashier's id.") var cashier: String
    @Flag(help: "Reads the PIN from a line of standard input.") var pinStdin = false
    @Flag(help: "One JSON object on standard output.") var json = false

    func run() async throws {
        let pin = pinStdin ? try PINEntry.line(of: "the PIN") : try PINEntry.ask(cashier)
        let body: JSONValue = ["cashierId": .string(cashier), "pin": .string(pin)]
        try await options.withAgent { connection in
            try await show(
                AgentRequest("POST", AgentRoutes.session, body: body), on: connection, json: json,
                render: SignInText.line)
        }
    }
}

/// `pos sign-out`.
struct SignOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out", abstract: "Signs whoever is signed in out; pending work stays.")

    @OptionGroup var options: HomeOptions
    @Flag(help: "One JSON object on standard output.") var json = false

    func run() async throws {
        try await options.withAgent { connection in
            try await show(
                AgentRequest("POST", AgentRoutes.sessionEnd), on: connection, json: json,
                render: SignInText.line)
        }
    }
}

/// `pos whoami`.
struct WhoAmICommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami", abstract: "Who is signed in, and until when; changes nothing.")

    @OptionGroup var options: HomeOptions
    @Flag(help: "One JSON object on standard output.") var json = false

    func run() async throws {
        try await options.withAgent(reading: true) { connection in
            try await show(
                AgentRequest("GET", AgentRoutes.session), on: connection, json: json, render: SignInText.line)
        }
    }
}

/// The words for who is signed in.
enum SignInText {
    static func line(_ document: JSONValue) -> String {
        guard let id = document["cashierId"]?.string else { return "nobody is signed in" }
        return
            "\(document["name"]?.string ?? id) (\(id), \(document["role"]?.string ?? "-")) is signed in until "
            + "\(document["expiresAt"]?.string ?? "-")"
    }
}
