internal import Crypto
internal import Foundation
internal import HubStore

/// The hub's secret: 32 bytes in a file beside the store, shared by the processes of one hub, so that each
/// can verify a token without asking another.
struct HubKey: Sendable {
    /// What a signature is for; one for another purpose does not verify.
    enum Purpose: String {
        case deviceToken = "device-token"
        case cursor = "change-cursor"
        case upload = "attachment-upload"
    }

    private let key: SymmetricKey

    init(bytes: [UInt8]) {
        key = SymmetricKey(data: bytes)
    }

    /// Loads the key at `path`, or makes it. Two processes that start together end up with the same one.
    static func load(path: String) throws(LedgerError) -> HubKey {
        let url = URL(fileURLWithPath: path)
        do {
            if let key = try existing(url) { return key }
            let fresh = url.appendingPathExtension("\(ProcessInfo.processInfo.processIdentifier)")
            let bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
            try? FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            let isMade = FileManager.default.createFile(
                atPath: fresh.path, contents: bytes, attributes: [.posixPermissions: 0o600])
            guard isMade else {
                throw LedgerError.notOpened(path: path, reason: "the folder is not writable")
            }
            defer { try? FileManager.default.removeItem(at: fresh) }
            // A link, unlike a rename, leaves the key that another process has put there.
            try? FileManager.default.linkItem(at: fresh, to: url)
            guard let key = try existing(url) else {
                throw LedgerError.notOpened(path: path, reason: "the key file cannot be made")
            }
            return key
        } catch let error as LedgerError {
            throw error
        } catch {
            throw LedgerError.notOpened(path: path, reason: "\(error.localizedDescription)")
        }
    }

    /// The bytes of the key at `path`, made when there is none; for a hub that moves.
    static func bytes(path: String) throws(LedgerError) -> [UInt8] {
        try load(path: path).key.withUnsafeBytes { Array($0) }
    }

    private static func existing(_ url: URL) throws -> HubKey? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        let bytes = try Data(contentsOf: url)
        guard bytes.count == 32 else {
            throw LedgerError.notOpened(path: url.path, reason: "the key file does not hold 32 bytes")
        }
        return HubKey(bytes: Array(bytes))
    }

    /// `text` with its signature behind a dot.
    func signed(_ text: String, for purpose: Purpose) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: message(text, purpose), using: key)
        return text + "." + Base64URL.text(Array(code))
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

    private func message(_ text: String, _ purpose: Purpose) -> [UInt8] {
        Array("\(purpose.rawValue)\n\(text)".utf8)
    }
}
