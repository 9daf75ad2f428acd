import Base
import Crypto
import Foundation
import Glibc
import LinuxRuntime
import MachineRuntime
import PinnedTLS
import Synchronization
import TestKit
import Testing

/// TLS between two ends that know each other's keys, over loopback.
@Suite("TLS with pinned keys")
struct PinnedTLSTests {
    private let thread: EventLoopThread
    private var loop: EventLoop { thread.loop }
    private var end: Instant { LinuxSystemTime(loop: loop).now() + .seconds(20) }

    init() throws { thread = try EventLoopThread(named: "tls") }

    private static func identity(_ name: String, proof: UInt8 = 7) throws -> (TLSIdentity, TLSClaim) {
        let key = Curve25519.Signing.PrivateKey()
        let proof = [UInt8](repeating: proof, count: 64)
        let identity = try #require(
            TLSIdentity(seed: Array(key.rawRepresentation), name: name, proof: proof))
        return (identity, TLSClaim(name: name, key: Array(key.publicKey.rawRepresentation), proof: proof))
    }

    private func listener() throws -> TCPListener {
        try TCPListener(try #require(SocketAddress("127.0.0.1", defaultPort: 0)), on: loop)
    }

    /// Connects a client to a server, each with whom it accepts.
    private func connected(
        _ client: TLSIdentity, to server: TLSIdentity, clientAccepts: @escaping @Sendable (TLSClaim) -> Bool,
        serverAccepts: @escaping @Sendable (TLSClaim) -> Bool
    ) async throws -> (
        client: Result<TLSStream, TLSStreamFailure>, server: Result<TLSStream, TLSStreamFailure>
    ) {
        let (listener, end, loop) = (try listener(), end, loop)
        async let served: Result<TLSStream, TLSStreamFailure> = {
            do throws(TLSStreamFailure) {
                guard let (socket, _) = try await listener.accept() else { return .failure(.broken) }
                return .success(
                    try await TLSStream.accepted(
                        socket, as: server, on: loop, until: end, accepts: serverAccepts))
            } catch {
                return .failure(error)
            }
        }()
        let made: Result<TLSStream, TLSStreamFailure>
        do throws(TLSStreamFailure) {
            made = .success(
                try await TLSStream.connect(
                    to: listener.address, as: client, on: loop, until: end, accepts: clientAccepts))
        } catch {
            made = .failure(error)
        }
        return (made, await served)
    }

    @Test(
        "Both ends see the other one's name, key and proof, and what is sent arrives whole in both directions"
    )
    func exchange() async throws {
        let (one, oneClaim) = try Self.identity("one")
        let (two, twoClaim) = try Self.identity("two", proof: 9)
        let (client, server) = try await connected(
            one, to: two, clientAccepts: { $0 == twoClaim }, serverAccepts: { $0 == oneClaim })
        let (here, there) = (try client.get(), try server.get())
        #expect(await here.peer == twoClaim)
        #expect(await there.peer == oneClaim)
        // More than the kernel's buffers take, so that both directions wait for the other end.
        let large = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) }
        async let sent: Void = here.send(large, until: end)
        var received: [UInt8] = []
        while received.count < large.count { received += try await there.receive(until: end) }
        try await sent
        #expect(received == large)
        try await there.send([1, 2, 3], until: end)
        #expect(try await here.receive(until: end) == [1, 2, 3])
        await there.close()
        #expect(try await here.receive(until: end) == [])
    }

    @Test("A server that is not the expected one gets nothing of the client")
    func wrongServer() async throws {
        let (one, _) = try Self.identity("one")
        let (two, _) = try Self.identity("two")
        let (client, server) = try await connected(
            one, to: two, clientAccepts: { _ in false }, serverAccepts: { _ in true })
        #expect(throws: TLSStreamFailure.handshakeFailed) { try client.get() }
        #expect(throws: TLSStreamFailure.self) { try server.get() }
    }

    @Test("A client that is not accepted ends with the handshake")
    func wrongClient() async throws {
        let (one, _) = try Self.identity("one")
        let (two, twoClaim) = try Self.identity("two")
        let (client, server) = try await connected(
            one, to: two, clientAccepts: { $0 == twoClaim }, serverAccepts: { _ in false })
        #expect(throws: TLSStreamFailure.handshakeFailed) { try server.get() }
        // TLS 1.3: the client's side of the handshake is over before the server has seen its certificate.
        if let stream = try? client.get() { #expect(try await stream.receive(until: end) == []) }
    }

    @Test(
        "A certificate with another till's name and proof is of no use without the key that the proof is for")
    func stolenProof() async throws {
        let (_, ownerClaim) = try Self.identity("owner")
        let (thief, _) = try Self.identity("owner")
        let (two, _) = try Self.identity("two")
        let (_, server) = try await connected(
            thief, to: two, clientAccepts: { _ in true }, serverAccepts: { $0 == ownerClaim })
        #expect(throws: TLSStreamFailure.handshakeFailed) { try server.get() }
    }

    @Test("A stranger without a certificate, one of an older TLS and one without TLS end with the handshake")
    func strangers() async throws {
        let (two, _) = try Self.identity("two")
        let options: [[String]?] = [["-tls1_3"], ["-tls1_2"], nil]
        for option in options {
            let (listener, end, loop) = (try listener(), end, loop)
            let wasQueried = Mutex(false)
            async let served: TLSStreamFailure? = {
                do throws(TLSStreamFailure) {
                    guard let (socket, _) = try await listener.accept() else { return .broken }
                    _ = try await TLSStream.accepted(socket, as: two, on: loop, until: end) { _ in
                        wasQueried.withLock { $0 = true }
                        return true
                    }
                    return nil
                } catch {
                    return error
                }
            }()
            let address = "\(listener.address)"
            if let option {
                _ = try Command.finish(["openssl", "s_client", "-connect", address] + option)
            } else {
                let port = listener.address.port
                _ = try Command.finish(["bash", "-c", "echo 'GET / HTTP/1.0' > /dev/tcp/127.0.0.1/\(port)"])
            }
            #expect(await served == .handshakeFailed, "\(option ?? [])")
            #expect(!wasQueried.withLock { $0 })
        }
    }

    @Test("An end that accepts and says nothing is left at the deadline, and a closed port says so")
    func silence() async throws {
        let (one, _) = try Self.identity("one")
        let silent = try listener()
        let soon = LinuxSystemTime(loop: loop).now() + .milliseconds(200)
        #expect(await failure(at: silent.address, as: one, until: soon) == .timedOut)
        let closed = try listener().address
        #expect(await failure(at: closed, as: one, until: end) == .notConnected(code: ECONNREFUSED))
    }

    private func failure(
        at address: SocketAddress, as identity: TLSIdentity, until end: Instant
    ) async -> TLSStreamFailure? {
        do throws(TLSStreamFailure) {
            _ = try await TLSStream.connect(to: address, as: identity, on: loop, until: end) { _ in true }
            return nil
        } catch {
            return error
        }
    }

    @Test("Seed, name and proof of another size make no identity")
    func sizes() {
        let (seed, proof) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 64))
        #expect(TLSIdentity(seed: seed, name: "till", proof: proof) != nil)
        #expect(TLSIdentity(seed: Array(seed.dropLast()), name: "till", proof: proof) == nil)
        #expect(TLSIdentity(seed: seed, name: "", proof: proof) == nil)
        #expect(TLSIdentity(seed: seed, name: String(repeating: "n", count: 65), proof: proof) == nil)
        #expect(TLSIdentity(seed: seed, name: "ti ll", proof: proof) == nil)
        #expect(TLSIdentity(seed: seed, name: "till", proof: Array(proof.dropLast())) == nil)
    }
}

/// Addresses as people and files write them.
@Suite("Numeric addresses")
struct SocketAddressTests {
    @Test(
        "Address and port are read, and written in one way",
        arguments: [
            ("192.168.1.7", "192.168.1.7:7710"), ("10.0.0.1:80", "10.0.0.1:80"),
            ("fd00::1", "[fd00::1]:7710"),
            ("[fd00:0::1]:80", "[fd00::1]:80"), ("fe80::1%lo", "[fe80::1%lo]:7710"),
        ])
    func read(_ text: String, _ written: String) throws {
        let address = try #require(SocketAddress(text, defaultPort: 7_710))
        #expect(address.description == written)
        #expect(SocketAddress(written, defaultPort: 1) == address)
    }

    @Test(
        "Everything else is none",
        arguments: [
            "", "localhost", "till-2.local:7710", "10.0.0", "0x7f.0.0.1", "10.0.0.1:", "10.0.0.1:70000",
            "10.0.0.1:-1", "[10.0.0.1]:80", "[fd00::1]80", "fd00::1]:80", "10.0.0.1:80:80", "10.0.0.1 ",
            "1.2.3.4.5",
        ])
    func refused(_ text: String) {
        #expect(SocketAddress(text, defaultPort: 7_710) == nil)
    }

    @Test("The ranges of a shop's own network are known")
    func ranges() throws {
        func isPrivate(_ text: String) throws -> Bool {
            try #require(SocketAddress(text, defaultPort: 1)).isPrivate
        }
        for text in [
            "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.1.1", "fc00::1", "fdff::1",
            "fe80::1",
        ] {
            #expect(try isPrivate(text), "\(text)")
        }
        for text in [
            "8.8.8.8", "172.32.0.1", "172.15.0.1", "192.169.0.1", "127.0.0.1", "2001:db8::1", "::1",
            "::ffff:10.0.0.1",
        ] {
            #expect(try !isPrivate(text), "\(text)")
        }
        #expect(try #require(SocketAddress("127.0.0.9", defaultPort: 1)).isLoopback)
        #expect(try #require(SocketAddress("::1", defaultPort: 1)).isLoopback)
    }
}
