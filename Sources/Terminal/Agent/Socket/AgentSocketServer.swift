internal import AgentAPI
internal import LinuxRuntime
internal import MachineRuntime
internal import Retail
internal import Foundation
internal import Glibc
internal import HubProtocol
internal import Logging
internal import Synchronization

/// Serves the agent's requests as HTTP and JSON over the Unix-domain socket of the home, mode 0600.
///
/// Programs of this user alone get here, and one of them that is broken must not stop the sales of the
/// others: heads and bodies are limited and read in one pass, a request has to be whole in time, connections
/// are counted, and one that is idle makes room for a new one. One whose request is being handled is never
/// closed: whoever comes while all of them are waits until one is done. What lists or reports runs on the
/// ``BackgroundThread``, and what nobody reads is kept up to a limit. A lack of descriptors is waited out.
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
        /// Between two tries to accept when the system has no descriptors, or no connection can make room:
        /// sales on connections that stand go on meanwhile, and ten tries a second cost nothing.
        var pause = Duration.milliseconds(100)
        /// For the first request of a new connection, and for one of which a part came: before, it makes no
        /// room. A program of this machine takes milliseconds; doubled, a thousand that say nothing keep
        /// others out twice as long.
        var grace = Duration.seconds(1)
        /// Bytes of responses that their callers have not read. The largest response has about a megabyte;
        /// halved, some thirty front ends that list a day at once lose some of their lists, doubled, those
        /// that never read take twice the memory.
        var unread = 32 << 20

        /// Connections that wait for the next status. The others are for those who sell.
        var watchers: Int { max(1, connections / 2) }

        /// Descriptors that the agent keeps for itself: a dozen connections to the hub and its names, the
        /// files of a sale, of a list and of an export. Halved, a sale may not reach the hub on a machine
        /// with few; doubled, such a machine serves nobody.
        private static let reserve = 24
        /// However few descriptors there are: one that sells, and one beside it. The agent itself uses 33, so
        /// that nothing is promised below 64, while systems give 1,024 at least.
        private static let fewest = 2

        /// As many connections as the process has descriptors for.
        ///
        /// - Parameters:
        ///   - descriptors: the limit of the process; nil: as it is now.
        ///   - open: how many are in use; nil: as it is now.
        static func fitting(descriptors: Int? = nil, open: Int? = nil) -> Limits {
            var limits = Limits()
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let all = descriptors ?? Int(clamping: limit.rlim_cur)
            let used =
                open ?? (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
            limits.connections = min(limits.connections, max(Self.fewest, all - used - Self.reserve))
            return limits
        }
    }

    private let handler: any AgentHandling
    private let loop: EventLoop
    private let logger: Logger
    private let limits: Limits
    private let background: BackgroundThread
    private let listener: Mutex<SocketListener>
    /// One element for each socket that took the place of one that was lost.
    private let renewals: AsyncStream<Void>
    private let renewed: AsyncStream<Void>.Continuation
    private let connections: SocketConnections
    private let path: String
    private let bootId: String

    /// Listens at once, open to the owner alone.
    ///
    /// - Parameter limits: nil: those of this process.
    /// - Throws: kind `unusable` for a path that no socket can have.
    init(
        home: TerminalHome, handler: any AgentHandling, loop: EventLoop, logger: Logger,
        limits: Limits? = nil
    ) throws(TerminalError) {
        self.handler = handler
        self.loop = loop
        self.logger = logger
        let limits = limits ?? .fitting()
        self.limits = limits
        path = home.socket
        // The lock of the home is held here, so whatever lies at the path belongs to a dead agent.
        let listener = try SocketListener(at: home.socket)
        self.listener = Mutex(listener)
        (renewals, renewed) = AsyncStream.makeStream(of: Void.self)
        let time = LinuxSystemTime(loop: loop)
        connections = SocketConnections(time: time, grace: limits.grace)
        bootId = time.bootId
        do throws(TerminalError) {
            background = try BackgroundThread()
        } catch {
            listener.close()
            throw error
        }
    }

    /// Serves until the task is cancelled.
    ///
    /// - Throws: kind `tryAgain` when the socket is lost. The process should end then: it holds the home, and
    ///   nobody can reach it.
    func run() async throws(TerminalError) {
        defer {
            listener.withLock { $0.close() }
            connections.shutDownAll()
        }
        while !Task.isCancelled {
            let present = listener.withLock { $0 }
            let failure = await withTaskGroup(of: TerminalError?.self) { group in
                group.addTask {
                    do throws(TerminalError) {
                        try await self.accept(from: present.descriptor)
                        return nil
                    } catch {
                        return error
                    }
                }
                group.addTask { [renewals] in
                    for await _ in renewals { break }
                    return nil
                }
                defer { group.cancelAll() }
                return await group.next() ?? nil
            }
            if let failure { throw failure }
            guard listener.withLock({ $0 != present }) else { continue }
            // Who had connected before the name was lost is served.
            try await acceptAll(from: present.descriptor)
            present.close()
        }
    }

    /// Makes the socket anew where its name in the data folder is gone or another file's. Connections that
    /// stand go on.
    ///
    /// - Throws: kind `tryAgain` where that fails.
    func lookAfterName() throws(TerminalError) {
        let isNamed = listener.withLock { $0.isNamed }
        guard !isNamed else { return }
        let listener: SocketListener
        do throws(TerminalError) {
            listener = try SocketListener(at: path)
        } catch {
            throw lost(error.message)
        }
        self.listener.withLock { $0 = listener }
        renewed.yield()
        logger.warning("\(path) was removed or replaced; the agent listens there again")
    }

    private func accept(from descriptor: Int32) async throws(TerminalError) {
        while !Task.isCancelled {
            do {
                try await loop.waitUntilReady(descriptor, for: .read)
            } catch {
                guard !Task.isCancelled else { return }
                throw lost("\(error)")
            }
            try await acceptAll(from: descriptor)
        }
    }

    private func acceptAll(from descriptor: Int32) async throws(TerminalError) {
        while !Task.isCancelled, Self.hasCaller(descriptor) {
            guard connections.makeRoom(below: limits.connections) else {
                try? await Task.sleep(for: limits.pause)
                return
            }
            let socket = Glibc.accept(descriptor, nil, nil)
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

    /// Whether somebody waits to be accepted: room is made for nobody else.
    private static func hasCaller(_ descriptor: Int32) -> Bool {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wait, 1, 0) != 0
    }

    private func lost(_ why: String) -> TerminalError {
        TerminalError(.tryAgain, code: "socket_lost") { $0.socketLost(path, why) }
    }

    private func begin(_ socket: Int32) {
        connections.add(socket)
        let served = ServedSocket(socket: socket, loop: loop, timeout: limits.transfer)
        // A request that runs when the server ends is not waited for: its sale stands or does not.
        Task {
            await self.serve(served)
            connections.remove(socket)
            close(socket)
        }
    }

    private func serve(_ socket: ServedSocket) async {
        var socket = socket
        let descriptor = socket.socket
        while true {
            let request: SocketRequest
            do throws(SocketRequest.Failure) {
                let next = try await socket.nextRequest { connections.begin(descriptor) }
                guard let next else { return }
                request = next
            } catch {
                if let response = error.response {
                    await socket.write(SocketReply(response, keepsAlive: false).bytes)
                }
                return
            }
            connections.setBusy(descriptor, true)
            let (call, reply) = await reply(to: request, of: socket)
            connections.beginSending(reply.bytes.count, to: descriptor, atMost: limits.unread)
            let isSent = await socket.write(reply.bytes)
            connections.endSending(to: descriptor)
            if isSent, let call { await handler.delivered(reply.response, to: call) }
            connections.setBusy(descriptor, false)
            guard isSent, request.keepsAlive else { return }
        }
    }

    /// A body from which on it is read in the background: it takes a millisecond. The largest sales of a shop
    /// have a tenth of it.
    private static let largeBody = 64 << 10

    /// The request, nil where it cannot be read, and the reply.
    private func reply(
        to request: SocketRequest, of socket: ServedSocket
    ) async -> (AgentRequest?, SocketReply) {
        let body: Result<JSONValue?, JSONError> =
            request.body.count < Self.largeBody
            ? Self.document(request.body) : await background.run { Self.document(request.body) }
        let keepsAlive = request.keepsAlive
        switch body {
        case .failure(let error):
            let refusal = TerminalError(.usage, code: "malformed_request") { $0.malformedRequest("\(error)") }
            return (nil, SocketReply(AgentResponse(refusal), keepsAlive: keepsAlive))
        case .success(let body):
            var call = AgentRequest(request.method, request.path, query: request.query, body: body)
            call.frontEnd = request.frontEnd
            if request.frontEnd != nil {
                call.process =
                    PeerProcess.caller(
                        of: socket.socket, isFrontEnd: request.isFrontEndProcess, bootId: bootId
                    ).text
            }
            return (call, await reply(to: call, of: socket, keepsAlive: keepsAlive))
        }
    }

    private static func document(_ body: [UInt8]) -> Result<JSONValue?, JSONError> {
        guard !body.isEmpty else { return .success(nil) }
        do throws(JSONError) {
            return .success(try JSONParser.parse(body))
        } catch {
            return .failure(error)
        }
    }

    /// A sale is given up with its caller, so that a till that was killed or closed charges no card behind
    /// the cashier's back; and so is what shows that a front end is there.
    private func reply(
        to call: AgentRequest, of socket: ServedSocket, keepsAlive: Bool
    ) async -> SocketReply {
        switch handler.place(of: call) {
        case .background:
            let isWatcher = call.path == AgentRoutes.statusStream
            guard !isWatcher || connections.beginWatching(atMost: limits.watchers) else {
                let refusal = TerminalError(.tryAgain, code: "too_many_watchers") {
                    $0.tooManyWatchers(limits.watchers)
                }
                return SocketReply(AgentResponse(refusal), keepsAlive: false)
            }
            defer { if isWatcher { connections.endWatching() } }
            return await background.run { [handler] in
                // The bytes are made there, too, and the document is released there.
                SocketReply(await handler.handle(call), keepsAlive: keepsAlive).withoutDocument
            }
        case .loop:
            guard call.endsWithCaller else {
                return SocketReply(await handler.handle(call), keepsAlive: keepsAlive)
            }
            let work = Task { [handler] in await handler.handle(call) }
            let watch = Task {
                guard await socket.hangsUp() else { return }
                work.cancel()
            }
            defer { watch.cancel() }
            return SocketReply(await work.value, keepsAlive: keepsAlive)
        }
    }
}

extension AgentRequest {
    /// Whether it is given up once its connection closes.
    fileprivate var endsWithCaller: Bool {
        path == AgentRoutes.sales || path == AgentRoutes.openCarts && query[AgentRoutes.watch] != nil
    }
}
