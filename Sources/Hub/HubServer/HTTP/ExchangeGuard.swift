internal import HTTPTypes
internal import HubCore
internal import HubProtocol
internal import NIOCore
internal import NIOHTTP1

/// Keeps requests and responses of one connection in order where the server would let them run on: the last
/// response announces that it is the last, nothing is read behind it but what ``SocketGuard`` throws away,
/// and what cannot be parsed gets its response from a problem document.
///
/// Stands behind the parser. It belongs to its channel's event loop.
final class ExchangeGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Sent at the first read of a body whose sender expects `100 Continue` (RFC 9110, section 10.1.1).
    struct ReadsBody: Sendable {}

    private struct Exchange {
        let isKeptAlive: Bool
        let isOld: Bool
        var awaitsContinue: Bool
        var isBodyOpen = true
    }

    private let socket: SocketGuard
    /// Requests whose response has not ended, in order.
    private var exchanges: [Exchange] = []
    /// Why nothing more can be parsed.
    private var refusal: Problem?
    /// Whether the response that is being written is the last one.
    private var isLast = false
    /// Whether the last response was written.
    private var isFinished = false

    init(socket: SocketGuard) {
        self.socket = socket
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isFinished, refusal == nil else { return }
        switch Self.unwrapInboundIn(data) {
        case .head(let head):
            socket.headArrived()
            if let problem = Self.fault(of: head) {
                refuse(problem, context)
                return
            }
            exchanges.append(
                Exchange(
                    isKeptAlive: head.isKeepAlive, isOld: head.isOld,
                    awaitsContinue: !head.isOld
                        && head.headers[canonicalForm: "expect"].contains {
                            $0.lowercased() == "100-continue"
                        }))
        case .body: break
        case .end:
            socket.bodyEnded()
            if !exchanges.isEmpty { exchanges[exchanges.count - 1].isBodyOpen = false }
        }
        context.fireChannelRead(data)
    }

    /// What the parser lets through and no route could handle.
    private static func fault(of head: HTTPRequestHead) -> Problem? {
        guard HTTPRequest.Method(head.method.rawValue) != nil else {
            return .malformed("The method is not a token.")
        }
        let hosts = head.headers["host"].count
        // RFC 9112, section 3.2.
        guard hosts == 1 || (hosts == 0 && head.isOld) else {
            return .malformed("A request has one header Host.")
        }
        return nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else {
            context.fireErrorCaught(error)
            return
        }
        guard !isFinished, refusal == nil else { return }
        // Behind a whole request it is the next one that is wrong, in the middle of one that one.
        if !socket.deadlines.isBodyOpen { socket.headArrived() }
        refuse(
            error == .headerOverflow ? .headersTooLarge : .malformed("The request is not HTTP/1.1."), context)
    }

    /// The server's own loop gets it after the requests before, and responds with an empty
    /// 400, in whose place ``write(context:data:promise:)`` puts the problem.
    private func refuse(_ problem: Problem, _ context: ChannelHandlerContext) {
        refusal = problem
        context.fireErrorCaught(HTTPParserError.unknown)
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard event is ReadsBody else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        if exchanges.first?.awaitsContinue == true, exchanges.count == 1, !isLast {
            exchanges[0].awaitsContinue = false
            let head = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(Self.wrapOutboundOut(.head(head)), promise: nil)
        }
        promise?.succeed()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isFinished else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        switch Self.unwrapOutboundIn(data) {
        case .head(let head) where head.status.code < 200:
            context.write(data, promise: promise)
        case .head(let head):
            begin(head, context, promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            end(data, context, promise)
        }
    }

    private func begin(
        _ response: HTTPResponseHead, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
    ) {
        var head = response
        var body: [UInt8]?
        if exchanges.isEmpty, let refusal {
            let response = HubResponse.problem(refusal)
            head.status = HTTPResponseStatus(statusCode: response.status)
            head.headers.replaceOrAdd(name: "content-length", value: String(response.body.count))
            head.headers.replaceOrAdd(name: "content-type", value: Problem.contentType)
            body = response.body
        }
        let exchange = exchanges.first
        isLast = exchange.map { !$0.isKeptAlive || $0.isBodyOpen } ?? true
        if isLast {
            head.headers.remove(name: "connection")
            // What has to be spoken instead stays named (RFC 9110, section 15.5.22).
            if head.headers.contains(name: "upgrade") {
                head.headers.add(name: "connection", value: "Upgrade")
            }
            head.headers.add(name: "connection", value: "close")
        } else if let exchange, exchange.isOld {
            head.headers.replaceOrAdd(name: "connection", value: "keep-alive")
        }
        socket.responseBegan(
            isStream: head.headers["content-type"].contains { $0.hasPrefix("text/event-stream") })
        context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
        if let body {
            context.write(
                Self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        }
    }

    private func end(_ data: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        if !exchanges.isEmpty { exchanges.removeFirst() }
        guard isLast else {
            context.write(data, promise: promise)
            socket.responseEnded()
            return
        }
        isFinished = true
        let written = promise ?? context.eventLoop.makePromise()
        context.write(data, promise: written)
        socket.responseEnded()
        written.futureResult.assumeIsolated().whenComplete { _ in self.socket.finish(context) }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output else {
            context.close(mode: mode, promise: promise)
            return
        }
        // The server is done with the connection: both halves go once everything is out.
        guard !isFinished else {
            promise?.succeed()
            return
        }
        isFinished = true
        let closed = promise ?? context.eventLoop.makePromise()
        context.close(mode: .output, promise: closed)
        closed.futureResult.assumeIsolated().whenComplete { _ in self.socket.finish(context) }
    }
}

extension HTTPRequestHead {
    /// Whether it is of HTTP/1.0, which has neither `Host` nor interim responses and closes by default.
    fileprivate var isOld: Bool { version.major < 1 || (version.major == 1 && version.minor == 0) }
}
