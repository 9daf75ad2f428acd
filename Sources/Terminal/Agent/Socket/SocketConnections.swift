import Base
internal import Glibc
internal import MachineRuntime
internal import Synchronization

/// The connections of the agent's socket, from any thread.
final class SocketConnections: Sendable {
    /// Without a whole request.
    private struct Idle {
        let socket: Int32
        /// The moment it became so, or the first byte of its next request came.
        var since: Instant
        /// Whether it has been served before and nothing of another request came.
        var isSpare: Bool
    }

    private struct State {
        /// In the order in which they became so, busy ones aside.
        var idle: [Idle] = []
        var busy: Set<Int32> = []
        /// Ends of connections that are on their way out already.
        var leaving: Set<Int32> = []
        var watchers = 0
        /// Bytes of the responses that are being sent, the oldest first.
        var unread: [(socket: Int32, bytes: Int)] = []
    }

    private let state = Mutex(State())
    private let time: any SystemTime
    private let grace: Duration

    /// - Parameter grace: see ``AgentSocketServer/Limits/grace``.
    init(time: any SystemTime, grace: Duration) {
        (self.time, self.grace) = (time, grace)
    }

    func add(_ socket: Int32) {
        let now = time.now()
        state.withLock { $0.idle.append(Idle(socket: socket, since: now, isSpare: false)) }
    }

    /// To be called before the descriptor is closed, since its number is given out again.
    func remove(_ socket: Int32) {
        state.withLock { state in
            state.idle.removeAll { $0.socket == socket }
            state.busy.remove(socket)
            state.leaving.remove(socket)
        }
    }

    /// The first byte of a request came.
    func begin(_ socket: Int32) {
        let now = time.now()
        state.withLock { state in
            guard let index = state.idle.firstIndex(where: { $0.socket == socket }) else { return }
            (state.idle[index].since, state.idle[index].isSpare) = (now, false)
        }
    }

    func setBusy(_ socket: Int32, _ isBusy: Bool) {
        let now = time.now()
        state.withLock { state in
            guard !state.leaving.contains(socket) else { return }
            if isBusy {
                state.idle.removeAll { $0.socket == socket }
                state.busy.insert(socket)
            } else if state.busy.remove(socket) != nil {
                state.idle.append(Idle(socket: socket, since: now, isSpare: true))
            }
        }
    }

    /// Whether there may be another connection: there are less than `limit`, or one made room.
    func makeRoom(below limit: Int) -> Bool {
        let isFull = state.withLock { $0.idle.count + $0.busy.count >= limit }
        return !isFull || shutDownIdle()
    }

    /// Ends the connection that has been without a request longest; whether there was one. One that may be
    /// about to send its first request is left, and one that has sent any byte of another.
    @discardableResult
    func shutDownIdle() -> Bool {
        let now = time.now()
        return state.withLock { state in
            let spare = state.idle.firstIndex { $0.isSpare && !Self.hasUnread($0.socket) }
            let index =
                spare ?? state.idle.firstIndex { now - $0.since >= grace && !Self.hasUnread($0.socket) }
            guard let index else { return false }
            let socket = state.idle.remove(at: index).socket
            state.leaving.insert(socket)
            shutdown(socket, Int32(SHUT_RDWR))
            return true
        }
    }

    private static func hasUnread(_ socket: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    func shutDownAll() {
        state.withLock { state in
            for socket in state.idle.map(\.socket) + state.busy { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    /// Whether one more may wait for the next status.
    func beginWatching(atMost limit: Int) -> Bool {
        state.withLock { state in
            guard state.watchers < limit else { return false }
            state.watchers += 1
            return true
        }
    }

    func endWatching() { state.withLock { $0.watchers -= 1 } }

    /// A response is about to be sent. Where there is too much that nobody reads, those who have left theirs
    /// longest get no more of it.
    func beginSending(_ bytes: Int, to socket: Int32, atMost limit: Int) {
        state.withLock { state in
            state.unread.append((socket, bytes))
            var sum = state.unread.reduce(0) { $0 + $1.bytes }
            for (slow, bytes) in state.unread.dropLast() where sum > limit {
                shutdown(slow, Int32(SHUT_RDWR))
                sum -= bytes
            }
        }
    }

    func endSending(to socket: Int32) { state.withLock { $0.unread.removeAll { $0.socket == socket } } }
}
