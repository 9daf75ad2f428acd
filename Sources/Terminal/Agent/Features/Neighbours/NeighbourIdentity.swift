internal import Base
internal import Crypto
internal import Foundation
internal import HubProtocol
package import PinnedTLS
internal import TerminalStore

/// What this till shows other tills: a key of its own for connections, and the device key's signature of it.
package struct NeighbourIdentity: Sendable {
    /// What others learn of it.
    package let claim: TLSClaim
    let certificate: TLSIdentity

    /// Reads the key of `home`, or makes one; a lost one is nobody's loss, since the device key binds the
    /// next.
    ///
    /// - Throws: kind `unusable` where it cannot be written, or the device key does not sign.
    init(
        in home: TerminalHome, terminalId: String, key device: DeviceKey
    ) throws(TerminalError) {
        let stored = try HomeFile.read(home.neighbourKey).flatMap(Self.raw)
        let seed: [UInt8]
        if let stored { seed = stored } else { seed = try Self.fresh(home) }
        guard let own = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed),
            let proof = device.sign(
                NeighbourKey.signedBytes(terminalId: terminalId, key: Array(own.publicKey.rawRepresentation))
            ).flatMap(Base64.bytes),
            let certificate = TLSIdentity(seed: seed, name: terminalId, proof: proof)
        else {
            throw TerminalError(.unusable, code: "neighbour_key_unusable") {
                $0.neighbourKeyUnusable(home.neighbourKey)
            }
        }
        self.certificate = certificate
        claim = TLSClaim(name: terminalId, key: Array(own.publicKey.rawRepresentation), proof: proof)
    }

    init(_ claim: TLSClaim, _ certificate: TLSIdentity) {
        (self.claim, self.certificate) = (claim, certificate)
    }

    private static func raw(_ text: [UInt8]) -> [UInt8]? {
        let line = String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return Base64.bytes(line).flatMap { $0.count == 32 ? $0 : nil }
    }

    private static func fresh(_ home: TerminalHome) throws(TerminalError) -> [UInt8] {
        let seed = Array(Curve25519.Signing.PrivateKey().rawRepresentation)
        do throws(FileError) {
            try DurableFile.replace(
                home.neighbourKey, with: Array((Base64.text(seed) + "\n").utf8),
                temporaryName: "neighbour.key.new")
        } catch {
            throw TerminalError(.unusable, code: "home_not_writable") { $0.deviceKeyNotWritten("\(error)") }
        }
        return seed
    }
}
