import Base
package import Crypto
import Foundation
package import HubProtocol

/// A terminal over HTTP with a device key of its own, which it renews by.
package struct SigningTill: Sendable {
    package let key: Curve25519.Signing.PrivateKey
    package let grant: EnrolmentGrant
    package var token: String

    /// - Parameter key: what it was enrolled with.
    package init(key: Curve25519.Signing.PrivateKey, grant: EnrolmentGrant) {
        self.key = key
        self.grant = grant
        token = grant.token
    }

    package var publicKey: String { key.publicKey.rawRepresentation.base64EncodedString() }

    package var headers: [String: String] { ["Authorization": "Bearer \(token)", HeaderNames.schema: "1"] }

    /// A renewal that signs neither host nor terminal.
    package func renewal(at date: String, body: String = "") throws -> [String: String] {
        let bytes = SignedRequest.signedBytes(
            method: "POST", path: Routes.tokenRenewal, date: date, body: Array(body.utf8))
        return [
            HeaderNames.terminal: grant.terminalId, HeaderNames.date: date,
            HeaderNames.signature: try key.signature(for: bytes).base64EncodedString(),
        ]
    }

    /// A renewal for a host, with what a hub without the terminal is shown.
    package func boundRenewal(
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
    package static func now(plus milliseconds: Int64 = 0) -> String {
        Timestamp.text(milliseconds: Int64(Date().timeIntervalSince1970 * 1000) + milliseconds)
    }
}

/// Which store a hub of a test keeps its orders in.
package enum HubStoreKind: String, CaseIterable, Sendable, CustomStringConvertible {
    case sqlite = "SQLite"
    case postgresql = "PostgreSQL"

    /// PostgreSQL only where a server could be started.
    package static let all: [HubStoreKind] = PostgresServer.isAvailable ? allCases : [.sqlite]

    package var description: String { rawValue }

    /// What `--store` takes.
    package func place(in folder: TemporaryFolder) throws -> String {
        switch self {
        case .sqlite: "sqlite:" + folder.path("hub.sqlite")
        case .postgresql: try PostgresServer.shared.get().freshSchema()
        }
    }
}
