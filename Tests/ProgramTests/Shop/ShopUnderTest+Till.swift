import HubProtocol
import TestKit

extension ShopUnderTest {
    /// A command of the till, run to its end.
    func pos(_ arguments: String..., input: [String] = [], with more: ShopSettings = [:]) throws
        -> FinishedProgram
    {
        try pos(arguments, input: input, with: more)
    }

    func pos(_ arguments: [String], input: [String] = [], with more: ShopSettings = [:]) throws
        -> FinishedProgram
    {
        try ProgramUnderTest.run(
            "pos", arguments + ["--home", home], environment: settings.with(more), input: input,
            behind: tillWrapper)
    }

    /// The document of a command of the till with `--json`; throws unless it ends with 0.
    func document(_ arguments: String..., with more: ShopSettings = [:]) throws -> JSONValue {
        let end = try pos(arguments + ["--json"], with: more)
        // The doctor shows what is not ready by its exit code too.
        let isDoctor = arguments.first == "doctor" && end.exitCode == 1
        guard end.exitCode == 0 || isDoctor else { throw ShopError.commandFailed(["pos"] + arguments, end) }
        return try end.document()
    }

    @discardableResult
    func initialiseTill() throws -> JSONValue {
        try document("init", "--hub", hubURL, "--enrol", try enrolmentCode(), "--name", "till under test")
    }

    /// Starts the agent and waits until it is ready.
    func startAgent(with more: ShopSettings = [:]) throws {
        let program = try startProgram("agent", with: more)
        try program.line { $0 == "ready" }
        agent = program
    }

    /// Starts a command of the till without waiting for it.
    func startProgram(_ arguments: String..., with more: ShopSettings = [:]) throws -> ProgramUnderTest {
        try ProgramUnderTest(
            "pos", arguments + ["--home", home], environment: settings.with(more), behind: tillWrapper)
    }

    /// Kills the agent as a power cut would.
    func killAgent() {
        agent?.kill()
        agent = nil
    }

    /// The agent's response on its socket.
    func query(_ method: String, _ path: String, body: JSONValue? = nil) throws -> JSONValue {
        let client = LoopbackClient(.unix(path: home + "/agent.sock"))
        return try JSONParser.parse(client.request(method, path, body: body?.canonicalText).body)
    }

    /// The status, from the running agent's socket.
    func status() throws -> JSONValue { try query("GET", "/v1/status") }

    /// Opens a stream of sales.
    func openSales() throws -> SaleStreamUnderTest {
        SaleStreamUnderTest(try startProgram("sell", "--stdin", "--json"))
    }

    /// Every order on the till, newest first.
    func orders() throws -> [JSONValue] {
        try document("orders", "list", "--limit", "100000")["orders"]?.array ?? []
    }
}

extension FinishedProgram {
    /// The one JSON object on standard output.
    func document() throws -> JSONValue {
        guard output.count == 1, let document = try? JSONParser.parse(text.utf8), document.object != nil
        else { throw ShopError.notOneDocument(output) }
        return document
    }

    /// The stable code of the error document.
    var errorCode: String? { try? document()["error"]?["code"]?.string }
}
