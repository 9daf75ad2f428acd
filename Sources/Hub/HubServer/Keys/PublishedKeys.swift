internal import HubCore
internal import HubProtocol
internal import Synchronization

/// The public halves of the hub's keys in a file beside the order store, for the processes that do not open
/// it: they verify tokens with them and cannot make any.
final class PublishedKeys: Sendable {
    /// Nil where every process reads the store itself.
    private let path: String?
    /// Held while the file is written, so that what is written last are the keys of now.
    private let writing = Mutex(())

    init(path: String?) {
        self.path = path
    }

    func publish(_ keys: HubKeys) throws {
        guard let path else { return }
        try writing.withLock { _ in
            try PrivateFile.publish(keys.ring.json(isPrivate: false).canonicalText, to: path)
        }
    }

    /// Reads what was published. A file that is missing or cannot be read changes nothing.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    func pull(into keys: HubKeys) -> Bool {
        guard let path, let bytes = try? PrivateFile.read(path), let json = try? JSONParser.parse(bytes),
            let ring = try? HubKeyRing(json: json)
        else { return false }
        keys.replace(with: ring)
        return true
    }
}
