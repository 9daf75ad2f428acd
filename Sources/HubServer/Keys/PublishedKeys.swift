internal import HubCore
internal import HubProtocol

/// The public halves of the hub's keys in a file beside the order store, for the processes that do not open
/// it: they verify tokens with them and cannot make any.
struct PublishedKeys: Sendable {
    /// Nil where every process reads the store itself.
    let path: String?

    func publish(_ keys: HubKeys, beside terminals: [TerminalRecord]) throws {
        guard let path else { return }
        let document: JSONValue = [
            "keys": keys.ring.json(isPrivate: false)["keys"] ?? [],
            "oldTokens": .array(keys.oldTokens(of: terminals).sorted().map(JSONValue.string)),
        ]
        try PrivateFile.replace(path, with: document.canonicalBytes)
    }

    /// Reads what was published. A file that is missing or cannot be read changes nothing.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    func pull(into keys: HubKeys) -> Bool {
        guard let path, let bytes = try? PrivateFile.read(path), let json = try? JSONParser.parse(bytes),
            let ring = try? HubKeyRing(json: json)
        else { return false }
        keys.replace(with: ring, oldTokens: Set((json["oldTokens"]?.array ?? []).compactMap(\.string)))
        return true
    }
}
