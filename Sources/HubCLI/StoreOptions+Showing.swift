internal import HubProtocol

extension StoreOptions {
    /// Prints an answer: as JSON alone with `--json`, otherwise in words.
    func show(_ answer: JSONValue, inWords words: (JSONValue) -> String) throws {
        if json { return Output.document(answer) }
        print(words(answer).printableLines)
    }
}
