internal import AgentAPI
internal import MachineRuntime
internal import Foundation
internal import Glibc
internal import HubProtocol
internal import Logging
internal import Synchronization

/// Serves the agent's requests as HTTP and JSON over the Unix-domain socket of the home, mode 0600.
///
/// Programs of this user alone get here, and one of them that is broken must not stop the sales of the
/// others: heads and bodies are limited and read in one pass, a request has to be whole in time, connections
/// are counted, and the one that has been idle longest makes room for a new one. A lack of descriptors is
/// waited out.
final class AgentSocketServer: Sendable {
    /// What holds for every connection.
    struct Limits: Sendable {
        /// Connections at a time. A shop's front ends need some ten; each has a descriptor and some
        /// kilobytes. Halved it is still plenty, doubled it comes near the 1,024 descriptors of a process
        /// whose limit nobody raised.
        var connections = 512
        /// From the first byte of a request to its last, and for a response that nobody reads. Programs of
        /// the same machine take milliseconds; a stopped one is let go.
        var transfer = Duration.seconds(10)
        /// Between two tries to accept when the system has no descriptors: sales on connections that stand go
        /// on meanwhile, and ten tries a second cost nothing.
        var pause = Duration.milliseconds(100)
    }

    private let handler: any AgentHandling
    private let loop: EventLoop
    private let logger: Logger
    private let limits: Limits
    private let path: String
    private let listener: Int32
    private let connections = SocketConnections()

    /// Listens at once, open to the owner alone.
    ///
    /// - Throws: kind `unusable` for a path that no socket can have.
    init(
        home: TerminalHome, handler: any AgentHandling, loop: EventLoop, logger: Logger,
        limits: Limits = Limits()
    ) throws(TerminalError) {
        self.handler = handler
        self.loop = loop
        self.logger = logger
        self.limits = limits
        path = home.socket
        guard path.utf8.count < 108 else {
            throw TerminalError(
                .unusable, code: "home_path_too_long",
                "\(path) is longer than the 107 bytes of a socket's name; choose a shorter --home")
        }
        // The lock of the home is held here, so whatever lies at the path belongs to a dead agent.
        unlink(path)
        guard let listener = Self.listen(at: path) else {
            let words = String(cString: strerror(errno))
            throw TerminalError(
                .unusable, code: "socket_unusable",
                "cannot listen on \(path): \(words); look at the data folder")
        }
        self.listener = listener
    }

    /// Serves until the task is cancelled.
    ///
    /// - Throws: kind `tryAgain` when the socket is lost. The process should end then: it holds the home, and
    ///   nobody can reach it.
    func run() async throws(TerminalError) {
        defer {
            close(listener)
            unlink(path)
            connections.shutDownAll()
        }
        while !Task.isCancelled {
            do {
                try await loop.waitUntilReady(listener, for: .read)
            } catch {
                guard !Task.isCancelled else { return }
                throw lost("\(error)")
            }
            try await acceptAll()
        }
    }

    private func acceptAll() async throws(TerminalError) {
        while true {
            let socket = accept(listener, nil, nil)
            guard socket < 0 else {
                _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
                _ = fcntl(socket, F_SETFL, O_NONBLOCK)
                begin(socket)
                continue
            }
            switch errno {
            case EAGAIN: return
            // The caller went before it was accepted.
            case EINTR, ECONNABORTED, EPROTO: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                let code = errno
                connections.shutDownIdle()
                logger.warning("no descriptor for a connection (error \(code)); trying again")
                try? await Task.sleep(for: limits.pause)
                return
            default: throw lost("accept failed with error \(errno)")
            }
        }
    }

    private func lost(_ why: String) -> TerminalError {
        TerminalError(.tryAgain, code: "socket_lost", "the agent's socket \(path) was lost: \(why)")
    }

    private func begin(_ socket: Int32) {
        if connections.count >= limits.connections, !connections.shutDownIdle() {
            close(socket)
            return
        }
        connections.add(socket)
        let served = ServedSocket(socket: socket, loop: loop, timeout: limits.transfer)
        // A request that runs when the server ends is not waited for: its sale stands or does not.
        Task { [handler, connections] in
            await Self.serve(served, handler, connections)
            connections.remove(socket)
            close(socket)
        }
    }

    private static func serve(
        _ socket: ServedSocket, _ handler: any AgentHandling, _ connections: SocketConnections
    ) async {
        var socket = socket
        while true {
            let request: SocketRequest
            do throws(SocketRequest.Failure) {
                guard let next = try await socket.nextRequest() else { return }
                request = next
            } catch {
                if let response = error.response { await socket.send(response, keepsAlive: false) }
                return
            }
            connections.setBusy(socket.socket, true)
            let (call, response) = await Self.response(to: request, of: socket, handler)
            let isSent = await socket.send(response, keepsAlive: request.keepsAlive)
            if isSent, let call { await handler.delivered(response, to: call) }
            connections.setBusy(socket.socket, false)
            guard isSent, request.keepsAlive else { return }
        }
    }

    /// The request, nil where it cannot be read, and the response. A sale is given up with its caller: a
    /// till that was killed or closed charges no card behind the cashier's back.
    private static func response(
        to request: SocketRequest, of socket: ServedSocket, _ handler: any AgentHandling
    ) async -> (AgentRequest?, AgentResponse) {
        var body: JSONValue?
        if !request.body.isEmpty {
            do throws(JSONError) {
                body = try JSONParser.parse(request.body)
            } catch {
                return (nil, AgentResponse(TerminalError(.usage, code: "malformed_request", "\(error)")))
            }
        }
        var call = AgentRequest(request.method, request.path, query: request.query, body: body)
        call.frontEnd = request.frontEnd
        guard call.endsWithCaller else { return (call, await handler.handle(call)) }
        let work = Task { await handler.handle(call) }
        let watch = Task {
            guard await socket.hangsUp() else { return }
            work.cancel()
        }
        defer { watch.cancel() }
        return (call, await work.value)
    }

    private static func listen(at path: String) -> Int32? {
        let socket = Glibc.socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        // Nobody can connect before it listens, so that its mode is never another one to them.
        guard isBound, chmod(path, 0o600) == 0, Glibc.listen(socket, 128) == 0 else {
            let code = errno
            close(socket)
            errno = code
            return nil
        }
        return socket
    }
}

extension AgentRequest {
    /// Whether it is given up once its connection closes: a sale, and what shows that a front end is there.
    fileprivate var endsWithCaller: Bool {
        path == AgentRoutes.sales || path == AgentRoutes.openCarts && query[AgentRoutes.watch] != nil
    }
}

/// The connections of the agent's socket, from any thread.
private final class SocketConnections: Sendable {
    private struct State {
        /// Idle ones in the order in which they became so, busy ones aside.
        var idle: [Int32] = []
        var busy: Set<Int32> = []
        /// Ends of connections that are on their way out already.
        var leaving: Set<Int32> = []
    }

    private let state = Mutex(State())

    /// Those that have still to be served.
    var count: Int { state.withLock { $0.idle.count + $0.busy.count } }

    func add(_ socket: Int32) {
        state.withLock { $0.idle.append(socket) }
    }

    /// To be called before the descriptor is closed, since its number is given out again.
    func remove(_ socket: Int32) {
        state.withLock { state in
            state.idle.removeAll { $0 == socket }
            state.busy.remove(socket)
            state.leaving.remove(socket)
        }
    }

    func setBusy(_ socket: Int32, _ isBusy: Bool) {
        state.withLock { state in
            guard !state.leaving.contains(socket) else { return }
            if isBusy {
                state.idle.removeAll { $0 == socket }
                state.busy.insert(socket)
            } else if state.busy.remove(socket) != nil {
                state.idle.append(socket)
            }
        }
    }

    /// Ends the connection that has been without a whole request longest; whether there was one.
    @discardableResult
    func shutDownIdle() -> Bool {
        state.withLock { state in
            guard !state.idle.isEmpty else { return false }
            let oldest = state.idle.removeFirst()
            state.leaving.insert(oldest)
            shutdown(oldest, Int32(SHUT_RDWR))
            return true
        }
    }

    func shutDownAll() {
        state.withLock { state in
            for socket in state.idle + state.busy { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }
}
