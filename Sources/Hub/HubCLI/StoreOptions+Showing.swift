internal import HubProtocol

extension StoreOptions {
    /// Prints a response: as JSON alone with `--json`, otherwise as text.
    func show(_ answer: JSONValue, asText summary: (JSONValue) -> String) throws {
        if json { return Output.document(answer) }
        print(summary(answer).printableLines)
    }
}
