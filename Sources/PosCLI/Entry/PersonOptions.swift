internal import ArgumentParser
internal import HubProtocol
internal import Terminal

/// Who does it, where that is not whoever is signed in, and who approves it.
struct PersonOptions: ParsableArguments {
    @Option(help: "The cashier's id, for this command alone; whoever is signed in when not given.")
    var cashier: String?
    @Option(help: "The cashier's PIN; others could see it in the process list, --pin-stdin is the safe form.")
    var pin: String?
    @Flag(help: "Reads the cashier's PIN from a line of standard input.") var pinStdin = false
    @Option(help: "Who approves what the cashier's role does not allow; the PIN is asked for without echo.")
    var approver: String?
    @Flag(help: "Reads the approver's PIN from a line of standard input, behind the cashier's.")
    var approverPinStdin = false

    func validate() throws {
        if pinStdin, pin != nil { throw ValidationError("--pin and --pin-stdin exclude each other") }
        if pinStdin, cashier == nil { throw ValidationError("--pin-stdin goes with --cashier") }
        if approverPinStdin, approver == nil {
            throw ValidationError("--approver-pin-stdin goes with --approver")
        }
    }

    /// Whether a line of standard input is taken for a PIN.
    var readsInput: Bool { pinStdin || approverPinStdin }

    /// The members of a request that say who it comes from. Reads or asks for the PINs that are not given, so
    /// it is called once, before the agent is.
    func members() throws(TerminalError) -> JSONObject {
        var members: JSONObject = [:]
        members["cashierId"] = cashier.map(JSONValue.string)
        members["pin"] = (pinStdin ? try PINEntry.line(of: "the cashier") : pin).map(JSONValue.string)
        if let approver {
            let pin = approverPinStdin ? try PINEntry.line(of: "the approver") : try PINEntry.ask(approver)
            members["approver"] = ["id": .string(approver), "pin": .string(pin)]
        }
        return members
    }

    /// `document` with those members.
    func body(_ document: JSONObject) throws(TerminalError) -> JSONValue {
        var body = document
        for (name, value) in try members() { body[name] = value }
        return .object(body)
    }
}
