internal import Glibc
internal import Synchronization

/// A TCP relay on loopback that can be made to fail while it runs, between a terminal and a hub.
///
/// It listens on a free port of 127.0.0.1 and forwards every connection to another port there. Its one thread
/// sleeps in `poll`. ``Mode`` describes what each fault does to the connections.
package final class FaultRelay: Sendable {
    /// What the relay does with the bytes. Default `open`.
    package enum Mode: Hashable, Sendable {
        /// Forwards everything.
        case open
        /// Drops everything: connections stay open and no byte comes back. Dropped bytes are lost, so a
        /// connection that lost some is reset when the mode ends; the others continue.
        case silentBlackhole
        /// Resets every connection and refuses new ones.
        case refusing
        /// Accepts connections and resets each at once, open ones included.
        case resetAll
        /// Forwards requests, and so many bytes of each connection's responses; then closes it.
        case cutResponseAfter(bytes: Int)
    }

    /// The traffic since the start.
    package struct Counters: Hashable, Sendable {
        /// Accepted connections, those included that were reset at once.
        package var connections = 0
        /// Bytes written to the target; dropped ones do not count.
        package var bytesToTarget = 0
        /// Bytes written to clients; dropped ones do not count.
        package var bytesToClient = 0

        /// All counts are 0.
        package init() {}
    }

    /// Where the relay listens.
    package let port: UInt16
    private let core: RelayLoop

    /// Starts the relay.
    ///
    /// - Parameter target: the port of 127.0.0.1 to which connections are forwarded.
    package init(target: UInt16) throws(FaultRelayError) {
        core = try RelayLoop(target: target)
        port = core.port
        try core.start()
    }

    deinit {
        core.stop(waiting: false)
    }

    /// Changes the mode, `open` at first, with effect on open connections at once.
    package func setMode(_ mode: Mode) {
        core.change { $0.mode = mode }
    }

    /// Delays every chunk by this time, in each direction. Default 0.
    package func setLatency(_ latency: Duration) {
        core.change { $0.latency = latency }
    }

    /// Takes at most so many bytes a second from each side of each connection; nil: as many as come. What
    /// is not taken waits at its sender, as before a thin line: connections that are opened from now on
    /// have small buffers here. Default nil.
    package func setThroughput(bytesPerSecond: Int?) {
        core.change { $0.bytesPerSecond = bytesPerSecond }
    }

    /// All three are of one moment.
    package var counters: Counters { core.settings.withLock { $0.counters } }

    /// Closes every connection and the listener; returns when the thread has ended. Safe to call twice.
    package func stop() {
        core.stop(waiting: true)
    }
}

/// Why no relay was started.
package enum FaultRelayError: Error, Equatable, Sendable {
    /// `call` failed with `code` (errno).
    case notStarted(call: String, code: Int32)
}
