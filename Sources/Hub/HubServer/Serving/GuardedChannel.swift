import Base

internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import OfflineCore

/// The server's HTTP/1.1 connection with the hub's guards in its pipeline.
struct GuardedChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let base: HTTP1Channel
    let connections: Connections
    /// Whether there is no TLS before it.
    let isPlain: Bool
    let now: @Sendable () -> Instant

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let done = base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let socket = SocketGuard(connections: connections, isPlain: isPlain, now: now)
            try pipeline.addHandler(socket, position: .first)
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(ExchangeGuard(socket: socket), position: .after(parser))
            return value
        }
        // Nobody else closes a connection that was not set up.
        done.whenFailure { _ in channel.close(promise: nil) }
        return done
    }

    func handle(value: Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
