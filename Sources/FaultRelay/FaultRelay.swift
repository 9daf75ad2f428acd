internal import Glibc
internal import Synchronization

/// A TCP relay on loopback that can be made to fail while it runs, between a terminal and a hub.
///
/// It listens on a free port of 127.0.0.1 and passes every connection on to a port there. Its one thread
/// sleeps in `poll`. What each fault does to the connections is said at ``Mode``.
public final class FaultRelay: Sendable {
    /// What the relay does with the bytes. Default `open`.
    public enum Mode: Hashable, Sendable {
        /// Passes everything.
        case open
        /// Swallows everything: connections stay and no byte comes back. What was swallowed is lost, so a
        /// connection that lost some is reset once the mode ends; the others go on.
        case silentBlackhole
        /// Resets every connection and refuses new ones.
        case refusing
        /// Accepts connections and resets each at once, those that stand included.
        case resetAll
        /// Passes requests, and of each connection's answers so many bytes; then closes it.
        case cutAnswerAfter(bytes: Int)
    }

    /// What passed since the start.
    public struct Counters: Hashable, Sendable {
        public var connections = 0
        public var bytesToTarget = 0
        public var bytesToClient = 0

        public init() {}
    }

    /// Where the relay listens.
    public let port: UInt16
    private let core: RelayLoop

    /// Starts the relay.
    ///
    /// - Parameter target: the port of 127.0.0.1 that connections are passed on to.
    public init(target: UInt16) throws(FaultRelayError) {
        core = try RelayLoop(target: target)
        port = core.port
        try core.start()
    }

    deinit {
        core.stop(waiting: false)
    }

    public var mode: Mode { core.settings.withLock { $0.mode } }

    /// Changes the mode; connections feel it at once.
    public func setMode(_ mode: Mode) {
        core.change { $0.mode = mode }
    }

    /// Holds every piece back for so long, each way. Default 0.
    public func setLatency(_ latency: Duration) {
        core.change { $0.latency = latency }
    }

    public var counters: Counters { core.settings.withLock { $0.counters } }

    /// Closes every connection and the listener; returns when the thread has ended. Safe to call twice.
    public func stop() {
        core.stop(waiting: true)
    }
}

/// Why no relay was started.
public enum FaultRelayError: Error, Equatable, Sendable {
    /// `call` failed with `code` (errno).
    case notStarted(call: String, code: Int32)
}
