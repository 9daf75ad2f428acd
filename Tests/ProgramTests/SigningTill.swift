import Crypto
import Foundation
import HubProtocol
import TestKit
import Testing

/// A terminal over HTTP with a device key of its own, which it renews by.
struct SigningTill {
    let key: Curve25519.Signing.PrivateKey
    let grant: EnrolmentGrant
    var token: String

    init(on hub: HubUnderTest, store: String = "S1") throws {
        let key = Curve25519.Signing.PrivateKey()
        let code = try #require(try hub.json("enrol-code", "--store-id", store)["code"]?.string)
        let request = EnrolmentRequest(
            enrolmentCode: code, name: "till",
            publicKey: key.publicKey.rawRepresentation.base64EncodedString())
        let answer = try hub.client().request("POST", Routes.terminals, body: request.json.canonicalText)
        try #require(answer.status == 201, "\(answer.text)")
        self.key = key
        grant = try EnrolmentGrant(json: answer.json())
        token = grant.token
    }

    var publicKey: String { key.publicKey.rawRepresentation.base64EncodedString() }

    var headers: [String: String] { ["Authorization": "Bearer \(token)", HeaderNames.schema: "1"] }

    /// A renewal as the version before signs it.
    func renewal(at date: String, body: String = "") throws -> [String: String] {
        let bytes = SignedRequest.signedBytes(
            method: "POST", path: Routes.tokenRenewal, date: date, body: Array(body.utf8))
        return [
            HeaderNames.terminal: grant.terminalId, HeaderNames.date: date,
            HeaderNames.signature: try key.signature(for: bytes).base64EncodedString(),
        ]
    }

    /// A renewal for a host, with what a hub without the terminal is shown.
    func boundRenewal(
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

    /// Requests a hub without the terminal to register it again, and keeps the new token.
    @discardableResult
    mutating func comeBack(on client: LoopbackClient, publicKey: String? = nil) throws -> LoopbackAnswer {
        let body = ReadmissionRequest(token: token, publicKey: publicKey ?? self.publicKey, name: "till").json
            .canonicalText
        let answer = try client.request(
            "POST", Routes.tokenRenewal, headers: try boundRenewal(at: Self.now(), body: body), body: body)
        if answer.status == 200 { token = try #require(try answer.json()["token"]?.string) }
        return answer
    }

    static func now(plus milliseconds: Int64 = 0) -> String {
        Timestamp.text(milliseconds: Int64(Date().timeIntervalSince1970 * 1000) + milliseconds)
    }

    /// Renews and takes the new token over.
    @discardableResult
    mutating func renew(on client: LoopbackClient) throws -> LoopbackAnswer {
        let answer = try client.request(
            "POST", Routes.tokenRenewal, headers: try renewal(at: Self.now()), body: "")
        if answer.status == 200 { token = try #require(try answer.json()["token"]?.string) }
        return answer
    }

    /// The status of a call that any token may make.
    func status(on client: LoopbackClient) throws -> Int {
        try client.request("GET", Routes.changes, headers: headers).status
    }
}

/// Which store a hub of a test keeps its orders in.
enum HubStoreKind: String, CaseIterable, CustomTestStringConvertible {
    case sqlite = "SQLite"
    case postgresql = "PostgreSQL"

    /// PostgreSQL only where a server could be started.
    static let all: [HubStoreKind] = PostgresServer.isAvailable ? allCases : [.sqlite]

    var testDescription: String { rawValue }

    /// What `--store` takes.
    func place(in folder: TemporaryFolder) throws -> String {
        switch self {
        case .sqlite: HubUnderTest.store(in: folder)
        case .postgresql: try PostgresServer.shared.get().freshSchema()
        }
    }
}
