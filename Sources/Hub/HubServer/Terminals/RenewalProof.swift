import Base

internal import Crypto
internal import Foundation
internal import HubProtocol

/// The headers by which a renewal is authorised.
struct RenewalProof {
    let terminalId: String
    /// Whom the terminal takes this hub for; nil from a terminal of the version before.
    let host: String?
    private let dateText: String
    private let signature: Data
    private let signed: [UInt8]

    /// Nil where a header is missing.
    init?(_ request: HubRequest, body: [UInt8]) {
        guard let id = request.header(HeaderNames.terminal), let date = request.header(HeaderNames.date),
            let signature = request.header(HeaderNames.signature).flatMap({ Data(base64Encoded: $0) })
        else { return nil }
        terminalId = id
        dateText = date
        self.signature = signature
        host = request.header(HeaderNames.host)?.lowercased()
        signed =
            host.map {
                SignedRequest.signedBytes(
                    method: "POST", path: request.path, date: date, body: body, host: $0, terminalId: id)
            } ?? SignedRequest.signedBytes(method: "POST", path: request.path, date: date, body: body)
    }

    /// - Parameter publicKey: Ed25519, in base64.
    func isSigned(by publicKey: String) -> Bool {
        guard let raw = Data(base64Encoded: publicKey),
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: raw)
        else { return false }
        return key.isValidSignature(signature, for: signed)
    }

    /// The date that was signed, in milliseconds since 1970.
    ///
    /// - Parameter last: that of the terminal's last renewal; each counts once.
    /// - Throws: `clock_skew` with a time that would do.
    func date(at now: Int64, after last: Int64?) throws(Problem) -> Int64 {
        guard let date = Timestamp.milliseconds(of: dateText),
            abs(date - now) <= SignedRequest.maximumSkewMilliseconds, last.map({ date > $0 }) ?? true
        else { throw .clockSkew(hubTime: max(now, last.map { $0 + 1 } ?? now)) }
        return date
    }
}

extension Problem {
    static func clockSkew(hubTime: Int64) -> Problem {
        Problem(
            status: 401, code: .clockSkew, title: "The clocks disagree",
            detail: "Pos-Date is more than 5 minutes off, or not later than that of the last renewal. "
                + "Sign again with hubTime.",
            extensions: ["hubTime": .string(Timestamp.text(milliseconds: hubTime))])
    }
}
