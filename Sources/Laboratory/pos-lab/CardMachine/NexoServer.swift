internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// The machine's port: HTTP/1.1, inside TLS where it has a certificate. Each connection carries one request.
struct NexoServer {
    let port: UInt16
    /// PEM files; nil: without TLS.
    let certificate: (chain: String, key: String)?

    func run(_ terminal: NexoTerminal) async throws {
        let tls = try certificate.map { certificate in
            try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: NIOSSLCertificate.fromPEMFile(certificate.chain)
                        .map { .certificate($0) },
                    privateKey: .privateKey(NIOSSLPrivateKey(file: certificate.key, format: .pem))))
        }
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup(numberOfThreads: 1))
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(NexoRequestHandler(terminal))
                }
            }.bind(host: "127.0.0.1", port: Int(port)).get()
        let bound = channel.localAddress?.port ?? 0
        FileHandle.standardOutput.write(Data("listening on 127.0.0.1:\(bound)\n".utf8))
        try await channel.closeFuture.get()
    }
}

/// One connection.
private final class NexoRequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let terminal: NexoTerminal
    private var body: [UInt8] = []

    init(_ terminal: NexoTerminal) { self.terminal = terminal }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: body = []
        case .body(let buffer): body += buffer.readableBytesView
        case .end:
            let (channel, bytes, terminal) = (context.channel, body, self.terminal)
            Task { await terminal.serve(bytes, over: channel) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

extension NexoTerminal {
    fileprivate nonisolated func serve(_ bytes: [UInt8], over channel: any Channel) async {
        switch await response(to: bytes) {
        case .silence: break
        case .cut: try? await channel.close()
        case .body(let bytes): try? await Self.respond(bytes, over: channel)
        }
    }

    private nonisolated static func respond(_ bytes: [UInt8], over channel: any Channel) async throws {
        let head = HTTPResponseHead(
            version: .http1_1, status: .ok,
            headers: ["Content-Type": "application/json", "Content-Length": "\(bytes.count)"])
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: bytes))), promise: nil)
        try await channel.writeAndFlush(HTTPServerResponsePart.end(nil)).get()
        try await channel.close()
    }
}
