internal import CTLS

/// What the certificate of a peer says, and what its handshake then proves: it has the private half of the
/// key.
package struct TLSClaim: Hashable, Sendable {
    /// The certificate's name, 1 to 64 characters as the peer wrote them.
    package let name: String
    /// Ed25519, 32 bytes.
    package let key: [UInt8]
    /// 64 bytes that bind ``key`` to ``name`` for whoever can check them.
    package let proof: [UInt8]

    /// Checks nothing.
    package init(name: String, key: [UInt8], proof: [UInt8]) {
        (self.name, self.key, self.proof) = (name, key, proof)
    }
}

/// An Ed25519 key with its self-signed certificate: what one machine shows others.
package final class TLSIdentity: @unchecked Sendable {
    // The library counts references of the context itself; nothing of it changes after it is made.
    let pointer: OpaquePointer

    /// Makes the certificate.
    ///
    /// - Parameters:
    ///   - seed: the private key, 32 bytes.
    ///   - name: 1 to 64 printable characters of ASCII.
    ///   - proof: 64 bytes.
    /// - Returns: nil for arguments of another size, and where the library has no memory.
    package init?(seed: [UInt8], name: String, proof: [UInt8]) {
        guard seed.count == CTLS_KEY_BYTES, proof.count == CTLS_PROOF_BYTES,
            (1...CTLS_NAME_BYTES).contains(name.utf8.count),
            name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let pointer = ctls_identity_make(seed, name, proof)
        else { return nil }
        self.pointer = pointer
    }

    deinit { ctls_identity_free(pointer) }
}

/// One end of a TLS connection as bytes in and bytes out. It belongs to one task at a time.
final class TLSSession: @unchecked Sendable {
    /// How far a call came.
    enum Step: Hashable {
        case done
        /// More of the peer's bytes are needed.
        case waits
        case failed
    }

    private let identity: TLSIdentity
    private let accepts: @Sendable (TLSClaim) -> Bool
    private var pointer: OpaquePointer?
    /// Who was accepted; nil before that.
    private(set) var peer: TLSClaim?

    /// - Parameter accepts: called during the handshake, at most once.
    /// - Returns: nil where there is no memory.
    init?(_ identity: TLSIdentity, isServer: Bool, accepts: @escaping @Sendable (TLSClaim) -> Bool) {
        self.identity = identity
        self.accepts = accepts
        let owner = Unmanaged.passUnretained(self).toOpaque()
        pointer = ctls_session_make(
            identity.pointer, isServer ? 1 : 0,
            { owner, name, key, proof in
                guard let owner, let name, let key, let proof else { return 0 }
                let session = Unmanaged<TLSSession>.fromOpaque(owner).takeUnretainedValue()
                let claim = TLSClaim(
                    name: String(cString: name),
                    key: Array(UnsafeBufferPointer(start: key, count: CTLS_KEY_BYTES)),
                    proof: Array(UnsafeBufferPointer(start: proof, count: CTLS_PROOF_BYTES)))
                return session.accept(claim) ? 1 : 0
            }, owner)
        guard pointer != nil else { return nil }
    }

    deinit { ctls_session_free(pointer) }

    private func accept(_ claim: TLSClaim) -> Bool {
        guard accepts(claim) else { return false }
        peer = claim
        return true
    }

    /// Takes what came from the peer.
    func feed(_ bytes: UnsafeRawBufferPointer) {
        _ = ctls_feed(pointer, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
    }

    /// What has to go to the peer.
    func drain() -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let chunk = [UInt8](unsafeUninitializedCapacity: 16 << 10) { buffer, count in
                count = ctls_drain(pointer, buffer.baseAddress, buffer.count)
            }
            guard !chunk.isEmpty else { return all }
            all += chunk
        }
    }

    func handshake() -> Step {
        switch ctls_handshake(pointer) {
        case 1: .done
        case 0: .waits
        default: .failed
        }
    }

    /// Adds what can be read to `bytes`.
    func read(into bytes: inout [UInt8]) -> Step {
        let chunk = withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
            let count = ctls_read(pointer, buffer.bindMemory(to: UInt8.self).baseAddress, buffer.count)
            if count > 0 { bytes.append(contentsOf: UnsafeRawBufferPointer(buffer)[..<count]) }
            return count
        }
        return chunk > 0 ? .done : chunk == 0 ? .waits : .failed
    }

    /// - Returns: whether all of it is on its way to ``drain()``.
    func write(_ bytes: [UInt8]) -> Bool { ctls_write(pointer, bytes, bytes.count) == bytes.count }
}
