internal import Base
internal import Crypto

/// What only the hub's own processes can sign and read: cursors, upload URLs, digests of enrolment codes.
struct HubSecret: Sendable {
    /// What a signature is for; one for another purpose does not verify.
    enum Purpose: String {
        case cursor = "change-cursor"
        case upload = "attachment-upload"
        case enrolmentCode = "enrolment-code"
        case operatorSession = "operator-session"
        case operatorForm = "operator-form"
        case operatorBrowser = "operator-browser"
    }

    @Secret private var key: SymmetricKey

    init(bytes: [UInt8]) {
        _key = Secret(wrappedValue: SymmetricKey(data: bytes))
    }

    /// `text` with its signature behind a dot.
    func signed(_ text: String, for purpose: Purpose) -> String {
        text + "." + Base64URL.text(code(of: text, for: purpose))
    }

    /// The text of what ``signed(_:for:)`` made with this key; nil for anything else.
    func opened(_ signed: String, for purpose: Purpose) -> String? {
        guard let dot = signed.lastIndex(of: "."),
            let code = Base64URL.bytes(String(signed[signed.index(after: dot)...]))
        else { return nil }
        let text = String(signed[..<dot])
        let isValid = HMAC<SHA256>.isValidAuthenticationCode(
            code, authenticating: message(text, purpose), using: key)
        return isValid ? text : nil
    }

    /// HMAC-SHA-256 of `text`, 32 bytes.
    func code(of text: String, for purpose: Purpose) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message(text, purpose), using: key))
    }

    private func message(_ text: String, _ purpose: Purpose) -> [UInt8] {
        Array("\(purpose.rawValue)\n\(text)".utf8)
    }
}
