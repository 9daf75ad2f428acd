package import Base
import OfflineCore

/// When the hub closes a connection, whatever its other end does: a value without a clock or a socket.
///
/// A connection is idle, has begun the head of a request, is being handled, or is closing. Each phase has an
/// end that no byte from outside puts off for ever; beside the phases stands the output, which its reader has
/// to take. Its driver reports what happened and closes when ``due(at:)`` names a reason.
package struct ConnectionDeadlines: Sendable {
    /// Why a connection is closed.
    package enum Reason: Hashable, Sendable {
        /// No request within ``idle``.
        case idle
        /// A request whose head did not end within ``head``.
        case head
        /// A refused request whose sender did not stop within ``discarding``.
        case discarded
        /// A response of which nothing was read for ``blockedOutput``.
        case blockedOutput
        /// A response that was not read to its end within ``response``.
        case response
    }

    /// What follows a response that is the last one of its connection.
    package enum Finish: Hashable, Sendable {
        /// Its request was read to the end: nothing is left.
        case close
        /// The sender still sends: what comes is thrown away for a moment, so that it gets to read the
        /// response, and then the connection is closed.
        case discard
    }

    private enum Phase {
        /// Ends with the first byte of a request, or by ``Reason/idle``.
        case idle(since: Instant)
        /// Part of a head has come. Ends with the whole head, or by ``Reason/head``.
        case head(since: Instant)
        /// At least one request has no whole response yet. Ends with the last byte of the last response;
        /// how long a body may take is its route's to limit.
        case responding
        /// Ends by ``Reason/discarded``, or with the other end.
        case discarding(until: Instant, left: Int)
    }

    private struct Output {
        /// When the first byte of it began to wait, or the last one left.
        var since: Instant
        var waiting: Int
    }

    private var phase: Phase
    /// Requests whose head came and whose response has not ended. More than one with pipelining.
    private var noResponse = 0
    /// Whether the last request's body has not come to its end.
    package private(set) var isBodyOpen = false
    private var responseEnds: Instant?
    private var output: Output?

    /// A keep-alive terminal polls at least once a minute; halved, it would open a connection for each poll,
    /// doubled, connections that lead nowhere any more stay twice as long.
    package static let idle: Duration = .seconds(75)
    /// A TLS handshake and a head of 1 KiB take some 8 s over 8 kbit/s; halved, such a line gets no request
    /// through, doubled, a head that trickles in holds a connection twice as long.
    package static let head: Duration = .seconds(20)
    /// Several round trips of a slow line (design of the limits: 64 KiB within 1 s). With half of it a sender
    /// over a slow line gets a reset in the place of the refusal; with twice as much refused senders hold
    /// connections for twice as long.
    package static let discarding: Duration = .seconds(1)
    /// The most bytes that are thrown away of a refused request: what is in the buffers of both ends when the
    /// refusal is sent. More only lets a sender that ignores it use the line.
    package static let maximumDiscarded = 64 << 10
    /// A line that moves nothing for so long is dead for the terminal too, whose own limit is 10 s. With less
    /// the hub ends responses that a terminal still waits for; with more it holds memory for nobody.
    package static let blockedOutput: Duration = .seconds(10)
    /// The largest page of the change feed, 2 MiB, over 28 kbit/s; halved, slower lines than 56 kbit/s never
    /// get one, doubled, a reader of one byte at a time costs its memory for twice as long.
    package static let response: Duration = .seconds(600)
    /// A connection that was accepted at `now` and is idle, so that ``idle`` is its first limit.
    package init(at now: Instant) {
        phase = .idle(since: now)
    }

    /// Whether a refused request is thrown away.
    package var isDiscarding: Bool {
        if case .discarding = phase { true } else { false }
    }

    /// Whether bytes are still to be read: while a refused request is thrown away, up to its limit.
    package var readsOn: Bool {
        guard case .discarding(_, let left) = phase else { return true }
        return left > 0
    }

    /// Notes bytes from the other end.
    ///
    /// - Returns: whether a request gets them; false while a refused request is thrown away.
    package mutating func bytesArrived(_ count: Int, at now: Instant) -> Bool {
        switch phase {
        case .idle:
            phase = .head(since: now)
            return true
        case .head, .responding:
            return true
        case .discarding(let until, let left):
            phase = .discarding(until: until, left: max(0, left - count))
            return false
        }
    }

    /// The head of a request came to its end.
    package mutating func headArrived() {
        noResponse += 1
        isBodyOpen = true
        switch phase {
        case .idle, .head, .responding: phase = .responding
        case .discarding: break
        }
    }

    /// The body of the last request came to its end; so does one of no bytes.
    package mutating func bodyEnded() {
        isBodyOpen = false
    }

    /// - Parameter isStream: whether it continues as long as its reader reads it; only ``blockedOutput``
    ///   ends such a one.
    package mutating func responseBegan(isStream: Bool, at now: Instant) {
        responseEnds = isStream ? nil : now + Self.response
    }

    /// The last byte of a response was given to the socket's queue.
    package mutating func responseEnded(at now: Instant) {
        noResponse = max(0, noResponse - 1)
        guard noResponse == 0, !isBodyOpen else { return }
        switch phase {
        case .idle, .head, .responding: phase = .idle(since: now)
        case .discarding: break
        }
    }

    /// The last response of this connection was written.
    package mutating func finish(at now: Instant) -> Finish {
        guard isBodyOpen else { return .close }
        phase = .discarding(until: now + Self.discarding, left: Self.maximumDiscarded)
        return .discard
    }

    /// - Parameter bytes: what the socket has not taken yet.
    package mutating func outputWaits(_ bytes: Int, at now: Instant) {
        guard bytes > 0 else {
            if output != nil, case .idle = phase { phase = .idle(since: now) }
            output = nil
            if noResponse == 0 { responseEnds = nil }
            return
        }
        guard let before = output, bytes >= before.waiting else {
            output = Output(since: now, waiting: bytes)
            return
        }
        // More of it is no progress: a sender that never reads can request more.
        output = Output(since: before.since, waiting: bytes)
    }

    /// Whether output waits, so that the driver has to check how much of it is left.
    package var hasOutput: Bool { output != nil }

    /// Why to close now; nil: not yet.
    package func due(at now: Instant) -> Reason? {
        if let output, now - output.since >= Self.blockedOutput { return .blockedOutput }
        if let responseEnds, now >= responseEnds { return .response }
        switch phase {
        // While a response is still being read the connection is not idle.
        case .idle(let since): return output == nil && now - since >= Self.idle ? .idle : nil
        case .head(let since): return now - since >= Self.head ? .head : nil
        case .responding: return nil
        case .discarding(let until, _): return now >= until ? .discarded : nil
        }
    }
}
