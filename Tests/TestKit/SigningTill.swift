import Base
public import Crypto
import Foundation
public import HubProtocol

/// A terminal over HTTP with a device key of its own, which it renews by.
public struct SigningTill: Sendable {
    public let key: Curve25519.Signing.PrivateKey
    public let grant: EnrolmentGrant
    public var token: String

    /// - Parameter key: what it was enrolled with.
    public init(key: Curve25519.Signing.PrivateKey, grant: EnrolmentGrant) {
        self.key = key
        self.grant = grant
        token = grant.token
    }

    public var publicKey: String { key.publicKey.rawRepresentation.base64EncodedString() }

    public var headers: [String: String] { ["Authorization": "Bearer \(token)", HeaderNames.schema: "1"] }

    /// A renewal as the version before signs it.
    public func renewal(at date: String, body: String = "") throws -> [String: String] {
        let bytes = SignedRequest.signedBytes(
            method: "POST", path: Routes.tokenRenewal, date: date, body: Array(body.utf8))
        return [
            HeaderNames.terminal: grant.terminalId, HeaderNames.date: date,
            HeaderNames.signature: try key.signature(for: bytes).base64EncodedString(),
        ]
    }

    /// A renewal for a host, with what a hub without the terminal is shown.
    public func boundRenewal(
        at date: String, body: String = "", host: String = "127.0.0.1", terminal: String? = nil
    ) throws -> [String: String] {
        let terminal = terminal ?? grant.terminalId
        let bytes = SignedRequest.signedBytes(
            method: "POST", path: Routes.tokenRenewal, date: date, body: Array(body.utf8), host: host,
            terminalId: terminal)
        return [
            HeaderNames.terminal: terminal, HeaderNames.date: date, HeaderNames.host: host,
            HeaderNames.signature: try key.signature(for: bytes).base64EncodedString(),
        ]
    }

    /// The time by this machine's clock, as headers write it.
    public static func now(plus milliseconds: Int64 = 0) -> String {
        Timestamp.text(milliseconds: Int64(Date().timeIntervalSince1970 * 1000) + milliseconds)
    }
}

/// Which store a hub of a test keeps its orders in.
public enum HubStoreKind: String, CaseIterable, Sendable, CustomStringConvertible {
    case sqlite = "SQLite"
    case postgresql = "PostgreSQL"

    /// PostgreSQL only where a server could be started.
    public static let all: [HubStoreKind] = PostgresServer.isAvailable ? allCases : [.sqlite]

    public var description: String { rawValue }

    /// What `--store` takes.
    public func place(in folder: TemporaryFolder) throws -> String {
        switch self {
        case .sqlite: "sqlite:" + folder.path("hub.sqlite")
        case .postgresql: try PostgresServer.shared.get().freshSchema()
        }
    }
}
