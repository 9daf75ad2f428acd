internal import HubProtocol

extension StoreOptions {
    /// Prints a response: as JSON alone with `--json`, otherwise as text.
    func show(_ answer: JSONValue, asText words: (JSONValue) -> String) throws {
        if json { return Output.document(answer) }
        print(words(answer).printableLines)
    }
}
