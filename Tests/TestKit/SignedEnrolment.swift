package import Crypto
import Foundation
import HubProtocol

/// The request by which a device enrols, with the headers that prove its key.
package struct SignedEnrolment: Sendable {
    package let key: Curve25519.Signing.PrivateKey
    package let body: String
    package var headers: [String: String]

    /// - Parameters:
    ///   - key: a fresh one by default: the hub takes terminals of one store with one key for one device.
    ///   - publicKey: another key than the one that signs.
    ///   - date: when it was signed, RFC 3339; now by default.
    ///   - host: whom it is meant for.
    package init(
        code: String, name: String = "till", key: Curve25519.Signing.PrivateKey = .init(),
        publicKey: String? = nil, at date: String = SigningTill.now(), host: String = "127.0.0.1"
    ) throws {
        self.key = key
        let request = EnrolmentRequest(
            enrolmentCode: code, name: name,
            publicKey: publicKey ?? key.publicKey.rawRepresentation.base64EncodedString())
        body = request.json.canonicalText
        let bytes = SignedRequest.signedBytes(
            method: "POST", path: "/v1/terminals", date: date, body: Array(body.utf8), host: host)
        headers = [
            HeaderNames.date: date, HeaderNames.host: host,
            HeaderNames.signature: try key.signature(for: bytes).base64EncodedString(),
        ]
    }
}
