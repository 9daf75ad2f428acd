import Base
import Crypto
import Foundation
import HubProtocol
import TestKit
import Testing

extension SigningTill {
    init(on hub: HubUnderTest, store: String = "S1", key: Curve25519.Signing.PrivateKey = .init()) throws {
        let code = try #require(try hub.json("enrol-code", "--store-id", store)["code"]?.string)
        let enrolment = try SignedEnrolment(code: code, key: key)
        let response = try hub.client().request(
            "POST", Routes.terminals, headers: enrolment.headers, body: enrolment.body)
        try #require(response.status == 201, "\(response.text)")
        self.init(key: enrolment.key, grant: try EnrolmentGrant(json: response.json()))
    }

    /// Requests a hub without the terminal to register it again, and keeps the new token.
    @discardableResult
    mutating func comeBack(on client: LoopbackClient, publicKey: String? = nil) throws -> LoopbackResponse {
        let body = ReadmissionRequest(token: token, publicKey: publicKey ?? self.publicKey, name: "till").json
            .canonicalText
        let response = try client.request(
            "POST", Routes.tokenRenewal, headers: try boundRenewal(at: Self.now(), body: body), body: body)
        if response.status == 200 { token = try #require(try response.json()["token"]?.string) }
        return response
    }

    /// Renews and takes the new token over.
    @discardableResult
    mutating func renew(on client: LoopbackClient) throws -> LoopbackResponse {
        let response = try client.request(
            "POST", Routes.tokenRenewal, headers: try renewal(at: Self.now()), body: "")
        if response.status == 200 { token = try #require(try response.json()["token"]?.string) }
        return response
    }

    /// The status of a call that any token may make.
    func status(on client: LoopbackClient) throws -> Int {
        try client.request("GET", Routes.changes, headers: headers).status
    }
}
