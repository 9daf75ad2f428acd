package import Base
internal import Glibc
internal import HubProtocol
internal import LinuxNetwork
internal import LinuxRuntime
package import PinnedTLS

/// What connects the tills of a store with each other: in a shop TLS over its network (``ShopNetwork``), in a
/// simulated one something that a world delays and cuts.
package protocol NeighbourNetwork: Sendable {
    /// Where other tills reach this machine, with the usual port: at the private addresses of Ethernet and
    /// Wi-Fi, and at all of the interfaces that are named.
    func addresses(of interfaces: Set<String>) -> [SocketAddress]

    /// Listens at once.
    ///
    /// - Throws: ``TLSStreamFailure/notConnected(code:)`` with the error number.
    func listen(at address: SocketAddress) throws(TLSStreamFailure) -> any NeighbourListener

    /// Connects to another till and shows it who this one is.
    ///
    /// - Parameter accepts: whether the other side is one whose key is known.
    func connect(
        to address: SocketAddress, as identity: NeighbourIdentity, until end: Instant,
        accepts: @escaping @Sendable (TLSClaim) -> Bool
    ) async throws(TLSStreamFailure) -> any NeighbourStream
}

/// Where other tills connect to.
package protocol NeighbourListener: Sendable {
    var address: SocketAddress { get }

    /// The next connection; nil where none can be accepted any more.
    ///
    /// - Throws: where the system has no room for one just now.
    func next() async throws(TLSStreamFailure) -> (any NeighbourVisitor)?
}

/// Somebody who has connected and proven nothing yet.
package protocol NeighbourVisitor: Sendable {
    var from: SocketAddress { get }

    /// Shows who this till is, and has the other side prove who it is.
    ///
    /// - Throws: where one of the two does not accept the other; the connection is gone then.
    func enter(
        as identity: NeighbourIdentity, until end: Instant,
        accepts: @escaping @Sendable (TLSClaim) -> Bool
    ) async throws(TLSStreamFailure) -> any NeighbourStream

    /// Ends the connection.
    func turnAway()
}

/// Bytes from and to a till that has proven its key. One task uses it at a time; another one may end it.
package protocol NeighbourStream: Sendable {
    /// Who the other side is.
    var peer: TLSClaim? { get async }
    /// Sends all of `bytes`.
    func send(_ bytes: [UInt8], until end: Instant) async throws(TLSStreamFailure)
    /// What has arrived, at least one byte; empty at the connection's end.
    func receive(until end: Instant?) async throws(TLSStreamFailure) -> [UInt8]
    func close() async
}

extension TLSStream: NeighbourStream {}

/// The shop's network.
struct ShopNetwork: NeighbourNetwork {
    let loop: EventLoop

    func addresses(of interfaces: Set<String>) -> [SocketAddress] {
        SocketAddress.ofInterfaces().filter { of in
            interfaces.contains(of.interface)
                || of.address.isPrivate && LinkHardware.isOfShop(interface: of.interface)
        }.map { $0.address.with(port: NeighbourLimits.port) }
    }

    func listen(at address: SocketAddress) throws(TLSStreamFailure) -> any NeighbourListener {
        ShopListener(socket: try TCPListener(address, on: loop), loop: loop)
    }

    func connect(
        to address: SocketAddress, as identity: NeighbourIdentity, until end: Instant,
        accepts: @escaping @Sendable (TLSClaim) -> Bool
    ) async throws(TLSStreamFailure) -> any NeighbourStream {
        try await TLSStream.connect(
            to: address, as: identity.certificate, on: loop, until: end, accepts: accepts)
    }
}

private struct ShopListener: NeighbourListener {
    let socket: TCPListener
    let loop: EventLoop

    var address: SocketAddress { socket.address }

    func next() async throws(TLSStreamFailure) -> (any NeighbourVisitor)? {
        try await socket.accept().map { ShopVisitor(descriptor: $0.descriptor, from: $0.from, loop: loop) }
    }
}

private struct ShopVisitor: NeighbourVisitor {
    let descriptor: Int32
    let from: SocketAddress
    let loop: EventLoop

    func enter(
        as identity: NeighbourIdentity, until end: Instant,
        accepts: @escaping @Sendable (TLSClaim) -> Bool
    ) async throws(TLSStreamFailure) -> any NeighbourStream {
        try await TLSStream.accepted(
            descriptor, as: identity.certificate, on: loop, until: end, accepts: accepts)
    }

    func turnAway() { close(descriptor) }
}
