import Base
internal import Foundation
internal import Glibc
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
internal import Logging
internal import NIOCore
internal import OfflineCore
internal import ServiceLifecycle

/// One socket that the hub serves.
struct Listener: Sendable {
    enum Place: Sendable {
        case network(ListenAddress, TLSFiles?)
        case local(path: String)
    }

    let place: Place
    let routes: RouteTable
    let connections: Connections
    /// A clock that does not step back, for the deadlines of connections.
    let now: @Sendable () -> Instant
    let logger: Logger
    /// Called with the address once the socket accepts connections.
    let onListening: @Sendable (String) async -> Void

    /// The server, to be run by a service group.
    ///
    /// - Throws: when the certificate or its key cannot be used.
    func service() throws -> any Service {
        let plain = guarded
        switch place {
        case .local(let path):
            unlink(path)
            return Application(
                responder: routes, server: plain,
                configuration: .init(
                    address: .unixDomainSocket(path: path), serverName: nil,
                    availableConnectionsDelegate: connections),
                onServerRunning: { _ in
                    chmod(path, 0o600)
                    await onListening(path)
                }, logger: logger)
        case .network(let address, let tls):
            return Application(
                responder: routes, server: try tls.map { try secured(plain, by: $0) } ?? plain,
                configuration: .init(
                    address: .hostname(address.host, port: address.port), serverName: nil, backlog: 1024,
                    availableConnectionsDelegate: connections),
                onServerRunning: { channel in
                    let port = channel.localAddress?.port ?? address.port
                    let scheme = tls == nil ? "http" : "https"
                    await onListening("\(scheme)://" + ListenAddress.text(host: address.host, port: port))
                }, logger: logger)
        }
    }

    /// Serves by itself, until the task is cancelled.
    func run() async throws { try await service().run() }

    /// HTTP/1.1 with deadlines and limits of our own: the server's idle timer is put off by every byte.
    private var guarded: HTTPServerBuilder {
        let limits = HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: 8_192, maxHeaderListSize: 16_384, maxHeaderFieldCount: 64)
        let isPlain = if case .network(_, .some) = place { false } else { true }
        return HTTPServerBuilder { [connections, now] responder in
            GuardedChannel(
                base: HTTP1Channel(
                    responder: responder, configuration: .init(httpDecoderConfiguration: limits)),
                connections: connections, isPlain: isPlain, now: now)
        }
    }

    /// TLS with HTTP/1.1 alone: a connection of the server's HTTP/2 that never sends its first frame is never
    /// closed.
    private func secured(_ plain: HTTPServerBuilder, by files: TLSFiles) throws -> HTTPServerBuilder {
        try .tls(plain, tlsConfiguration: CertificateFiles(files, logger: logger).configuration())
    }
}

/// Announces the public address once every listener accepts requests, so that its reader can use them all.
actor Readiness {
    private var awaited: Int
    private var address: String?
    private let announce: @Sendable (String) -> Void

    init(awaited: Int, announce: @escaping @Sendable (String) -> Void) {
        self.awaited = awaited
        self.announce = announce
    }

    func listens(_ address: String, isPublic: Bool) {
        if isPublic { self.address = address }
        awaited -= 1
        if awaited == 0, let address = self.address { announce(address) }
    }
}
