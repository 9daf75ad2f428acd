internal import Base
internal import Crypto
internal import CurlHTTP
internal import Foundation
internal import HubCore

/// Sends a signed body to a receiver.
struct WebhookSender: Sendable {
    let session: any HTTPSession
    /// For one complete exchange; the contract's.
    var timeout: Duration = .seconds(10)

    /// How many documents, and how many bytes of them, one delivery has at most; the contract's. A single
    /// document that is longer goes alone.
    static let (mostDocuments, mostBytes) = (100, 1 << 20)

    /// The longest response that is read. Any response of a status from 200 to 299 accepts; a receiver that
    /// sends more than this has not been understood.
    private static let longestResponse = 65_536

    /// - Parameter now: milliseconds since 1970.
    /// - Returns: nil when the receiver has accepted it, otherwise what is wrong, as text for a person.
    func send(_ body: [UInt8], to webhook: Webhook, at now: Int64) async -> String? {
        let address: WebhookAddress
        do throws(WebhookAddressFault) {
            address = try WebhookAddress(webhook.url)
        } catch {
            return "the address \(error.reason)"
        }
        var request = HTTPRequest(
            method: .post, url: webhook.url,
            headers: [
                HTTPHeader("Content-Type", "application/json"),
                HTTPHeader(
                    WebhookSignature.header, WebhookSignature.text(of: body, by: webhook.secret, at: now)),
            ], body: body, timeout: timeout, connectTimeout: min(timeout, .seconds(5)),
            maximumBodyBytes: Self.longestResponse)
        request.addresses = address.isLocal ? .loopback : .notOfLink
        switch await session.send(request).result {
        case .success(let response):
            return (200..<300).contains(response.status) ? nil : Self.words(status: response.status)
        case .failure(let failure): return words(failure)
        }
    }

    private static func words(status: Int) -> String {
        (300..<400).contains(status)
            ? "it redirected with status \(status); add the address that it redirects to"
            : "it responded with status \(status)"
    }

    private func words(_ failure: TransferFailure) -> String {
        switch failure {
        case .notSendable(let detail): "the request cannot be sent: \(detail)"
        case .cancelled, .sessionClosed: "the hub was stopped meanwhile"
        case .nameNotResolved: "its name has no address"
        case .notConnected: "nothing listens there, or its address is one that the hub does not send to"
        case .connectTimedOut: "no connection could be opened in time"
        case .deadlinePassed: "it did not respond within \(timeout.components.seconds) s"
        case .certificateRefused: "its certificate is not valid for its name, or of no known issuer"
        case .tlsFailed(let detail): "TLS failed: \(detail)"
        case .connectionBroken, .responseCutOff: "it closed the connection before its response was complete"
        case .responseTooLarge: "its response is longer than \(Self.longestResponse) bytes"
        case .responseMalformed: "its response is not HTTP"
        }
    }
}

/// How a receiver finds that a body is the hub's: `shop.md`.
enum WebhookSignature {
    static let header = "Pos-Webhook-Signature"

    /// `t=<seconds since 1970>,v1=<hexadecimal HMAC-SHA-256 of "<t>.<body>">`, by the bytes of the secret.
    static func text(of body: [UInt8], by secret: String, at now: Int64) -> String {
        let seconds = now / 1_000
        var code = HMAC<SHA256>(key: SymmetricKey(data: Array(secret.utf8)))
        code.update(data: Array("\(seconds).".utf8))
        code.update(data: body)
        let hexadecimal = code.finalize().map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return "t=\(seconds),v1=\(hexadecimal.joined())"
    }

    /// A new random secret.
    static func secret() -> String {
        "whsec_" + SymmetricKey(size: .bits256).withUnsafeBytes { Base64URL.text(Array($0)) }
    }
}
