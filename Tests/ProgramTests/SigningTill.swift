import Base
import Crypto
import Foundation
import HubProtocol
import TestKit
import Testing

extension SigningTill {
    init(on hub: HubUnderTest, store: String = "S1") throws {
        let key = Curve25519.Signing.PrivateKey()
        let code = try #require(try hub.json("enrol-code", "--store-id", store)["code"]?.string)
        let request = EnrolmentRequest(
            enrolmentCode: code, name: "till",
            publicKey: key.publicKey.rawRepresentation.base64EncodedString())
        let answer = try hub.client().request("POST", Routes.terminals, body: request.json.canonicalText)
        try #require(answer.status == 201, "\(answer.text)")
        self.init(key: key, grant: try EnrolmentGrant(json: answer.json()))
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
