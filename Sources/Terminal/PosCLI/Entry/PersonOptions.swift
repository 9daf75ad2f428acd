internal import ArgumentParser
internal import AgentAPI
internal import Agent

/// Who does it, where that is not whoever is signed in, and who approves it.
struct PersonOptions: ParsableArguments {
    @Option(help: "The cashier's id, for this command alone; whoever is signed in when not given.")
    var cashier: String?
    @Option(help: "The cashier's PIN; others could see it in the process list, --pin-stdin is the safe form.")
    var pin: String?
    @Flag(help: "Reads the cashier's PIN from a line of standard input.") var pinStdin = false
    @Option(help: "Who approves what the cashier's role does not allow; the PIN is read without echo.")
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

    /// Who sends the request. Reads the PINs that are not given from standard input or the keyboard, so it is
    /// called once, before the connection is made.
    func person() throws(TerminalError) -> AgentPerson {
        var person = AgentPerson(
            cashierId: cashier, pin: pinStdin ? try PINEntry.line(of: "the cashier") : pin)
        if let approver {
            let pin = approverPinStdin ? try PINEntry.line(of: "the approver") : try PINEntry.query(approver)
            person.approver = AgentPerson.Approver(id: approver, pin: pin)
        }
        return person
    }
}
