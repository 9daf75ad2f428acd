internal import AgentAPI
internal import ArgumentParser
internal import HubProtocol
internal import Agent

/// `pos sign-in CASHIER`.
struct SignInCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in", abstract: "Signs a cashier in; offline too. The PIN is read without echo.")

    @OptionGroup var options: HomeOptions
    @Argument(help: "The cashier's id.") var cashier: String
    @Flag(help: "Reads the PIN from a line of standard input.") var pinStdin = false
    @Flag(help: "One JSON object on standard output.") var json = false

    func run() async throws {
        let pin = pinStdin ? try PINEntry.line(of: .pin) : try PINEntry.prompt(cashier)
        let call = SessionCall.signIn(cashierId: cashier, pin: pin)
        try await options.withAgent { connection in
            try await show(call, on: connection, json: json, render: SignInText.line)
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
            try await show(SessionCall.signOut, on: connection, json: json, render: SignInText.line)
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
            try await show(SessionCall.show, on: connection, json: json, render: SignInText.line)
        }
    }
}

enum SignInText {
    static func line(_ session: SessionResponse, _ text: any PosTexts) -> String {
        session.cashier.map(text.signedIn) ?? text.nobodySignedIn
    }
}
