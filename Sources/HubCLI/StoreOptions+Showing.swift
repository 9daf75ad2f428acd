internal import HubProtocol

extension StoreOptions {
    /// Prints an answer: as JSON alone with `--json`, otherwise in words.
    func show(_ answer: JSONValue, asText words: (JSONValue) -> String) throws {
        if json { return Output.document(answer) }
        print(words(answer).printableLines)
    }
}
