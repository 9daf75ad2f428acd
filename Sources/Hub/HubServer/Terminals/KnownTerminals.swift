internal import HubCore
internal import HubProtocol
internal import Synchronization

/// The terminals that the order store knows, for processes and requests that do not read the store.
///
/// The process with the order store publishes them into a file beside it, one line with id and state for
/// each; the others pull that file.
final class KnownTerminals: Sendable {
    /// Nil where every process reads the store itself.
    private let path: String?
    private let states = Mutex<[String: TerminalState]>([:])
    /// Held while the file is written, so that what is written last is what was known last.
    private let writing = Mutex(())

    init(path: String?) {
        self.path = path
    }

    /// Nil for one that is not known.
    func state(of terminalId: String) -> TerminalState? {
        states.withLock { $0[terminalId] }
    }

    func note(_ terminal: TerminalRecord) { note([terminal]) }

    /// A state only ever goes on to a later one, so that an older reading takes nothing back.
    private func note(_ terminals: [TerminalRecord]) {
        states.withLock { states in
            for terminal in terminals {
                states[terminal.id] = max(states[terminal.id] ?? .unconfirmed, terminal.state)
            }
        }
    }

    /// Adds to the list, here and for the other processes. Nobody leaves a store's list of terminals.
    func publish(_ terminals: [TerminalRecord]) throws {
        note(terminals)
        guard let path else { return }
        try writing.withLock { _ in
            let lines = states.withLock { $0 }.map { "\($0.key) \($0.value.rawValue)\n" }.sorted()
            try PrivateFile.publish(lines.joined(), to: path)
        }
    }

    /// Reads what was published. A file that is missing or cannot be read changes nothing.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    @Sendable func pull() -> Bool {
        guard let path, let bytes = try? PrivateFile.read(path) else { return false }
        let pairs = String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ").map(String.init)
            return fields.count == 2 ? TerminalState(rawValue: fields[1]).map { (fields[0], $0) } : nil
        }
        states.withLock { $0 = Dictionary(pairs) { _, last in last } }
        return true
    }
}
