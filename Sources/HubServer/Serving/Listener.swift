internal import Foundation
internal import Glibc
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
internal import Logging
internal import NIOCore
internal import ServiceLifecycle

/// One socket that the hub answers on.
struct Listener: Sendable {
    enum Place: Sendable {
        case network(ListenAddress, TLSFiles?)
        case local(path: String)
    }

    let place: Place
    let routes: RouteTable
    let logger: Logger
    /// Told the address once the socket answers.
    let onListening: @Sendable (String) async -> Void

    /// A connection without a byte for so long is closed; a keep-alive terminal opens another.
    private static let idleTimeout: TimeAmount = .seconds(75)

    /// The server, to be run by a service group.
    ///
    /// - Throws: when the certificate or its key cannot be used.
    func service() throws -> any Service {
        let limits = HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: 8_192, maxHeaderListSize: 16_384, maxHeaderFieldCount: 64)
        let plain = HTTPServerBuilder.http1(
            configuration: .init(idleTimeout: Self.idleTimeout, httpDecoderConfiguration: limits))
        switch place {
        case .local(let path):
            unlink(path)
            return Application(
                responder: routes, server: plain,
                configuration: .init(address: .unixDomainSocket(path: path), serverName: nil),
                onServerRunning: { _ in
                    chmod(path, 0o600)
                    await onListening(path)
                }, logger: logger)
        case .network(let address, let tls):
            return Application(
                responder: routes, server: try tls.map { try Self.secured(plain, by: $0) } ?? plain,
                configuration: .init(
                    address: .hostname(address.host, port: address.port), serverName: nil, backlog: 1024),
                onServerRunning: { channel in
                    let port = channel.localAddress?.port ?? address.port
                    let scheme = tls == nil ? "http" : "https"
                    await onListening("\(scheme)://" + ListenAddress.text(host: address.host, port: port))
                }, logger: logger)
        }
    }

    /// TLS with HTTP/1.1 alone: a connection of the server's HTTP/2 that never says hello is never closed.
    private static func secured(_ plain: HTTPServerBuilder, by files: TLSFiles) throws -> HTTPServerBuilder {
        try .tls(plain, tlsConfiguration: CertificateFiles(files).configuration())
    }
}
