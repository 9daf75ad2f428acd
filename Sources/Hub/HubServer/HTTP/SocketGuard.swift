import Base

internal import HubCore
internal import NIOCore
internal import OfflineCore

/// Closes a connection that keeps a deadline of ``ConnectionDeadlines`` waiting, and throws away what is left
/// of a refused request.
///
/// Stands first, before TLS, so that a handshake that never ends counts as a head that does not. It belongs
/// to its channel's event loop.
final class SocketGuard: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// Fired through the pipeline of a connection that gives way to another one.
    struct GiveWay: Sendable {}

    private let connections: Connections
    /// Whether a response can be written without a handshake.
    private let isPlain: Bool
    private let now: @Sendable () -> Instant
    private(set) var deadlines: ConnectionDeadlines
    private var context: ChannelHandlerContext?

    init(connections: Connections, isPlain: Bool, now: @escaping @Sendable () -> Instant) {
        self.connections = connections
        self.isPlain = isPlain
        self.now = now
        deadlines = ConnectionDeadlines(at: now())
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        deadlines = ConnectionDeadlines(at: now())
        let isAdmitted = connections.opened(context.channel, guardedBy: self)
        context.fireChannelActive()
        if !isAdmitted { refuse(context) }
    }

    /// Nobody reads the request: the response is the same for every one, and costs no parsing.
    private func refuse(_ context: ChannelHandlerContext) {
        if isPlain {
            let response = HubResponse.problem(.connectionsExhausted).serialized
            context.writeAndFlush(
                Self.wrapOutboundOut(.byteBuffer(ByteBuffer(bytes: response))), promise: nil)
        }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        connections.closed(context.channel)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = Self.unwrapInboundIn(data).readableBytes
        if deadlines.bytesArrived(count, at: now()) { context.fireChannelRead(data) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        // What is thrown away is read without a read call: its route is done with it.
        if deadlines.isDiscarding { context.read() }
    }

    func read(context: ChannelHandlerContext) {
        if deadlines.readsOn { context.read() }
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        noteOutput(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is GiveWay:
            context.close(promise: nil)
        case ChannelEvent.inputClosed where deadlines.isDiscarding:
            context.close(promise: nil)
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    private func noteOutput(_ context: ChannelHandlerContext) {
        let waiting = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
        deadlines.outputWaits(waiting ?? 0, at: now())
    }

    /// Looks whether a deadline has passed; several times a second.
    func look() {
        guard let context else { return }
        if deadlines.hasOutput { noteOutput(context) }
        if deadlines.due(at: now()) != nil { context.close(promise: nil) }
    }

    // What the exchange above reports.

    func headArrived() {
        deadlines.headArrived()
        if let context { connections.requestBegan(context.channel) }
    }

    func bodyEnded() {
        deadlines.bodyEnded()
    }

    func responseBegan(isStream: Bool) {
        deadlines.responseBegan(isStream: isStream, at: now())
    }

    func responseEnded() {
        deadlines.responseEnded(at: now())
        if let context { connections.requestEnded(context.channel) }
    }

    /// Ends the connection once its last response is out.
    ///
    /// - Parameter exchange: behind TLS, so that the other end sees an orderly end.
    func finish(_ exchange: ChannelHandlerContext) {
        switch deadlines.finish(at: now()) {
        case .close: exchange.close(promise: nil)
        case .discard:
            exchange.close(mode: .output, promise: nil)
            context?.read()
        }
    }
}
