internal import EventLoop
internal import FlyingSocks

/// Has the local server's sockets wait on the program's loop instead of a thread of their own.
struct LoopSocketPool: AsyncSocketPool {
    let loop: EventLoop

    func prepare() async throws {}

    /// The loop is somebody else's to run: this only lasts as long as the server does.
    func run() async throws {
        let (silence, end) = AsyncStream.makeStream(of: Never.self)
        defer { end.finish() }
        for await _ in silence {}
        throw CancellationError()
    }

    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        var interest: Readiness = []
        if events.contains(.read) { interest.insert(.read) }
        if events.contains(.write) { interest.insert(.write) }
        try await loop.waitUntilReady(socket.file.rawValue, for: interest)
    }
}
