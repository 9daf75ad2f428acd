import Base
import Crypto
import Foundation
import HubProtocol
import HubServer
import TestKit
import Testing

@Suite("Enrolment proves the key that it brings, at the hub")
struct EnrolmentTests {
    @Test(
        "A neighbour's public key without its private key is refused, and the code stays unused",
        arguments: HubStoreKind.all)
    func neighboursKey(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        let neighbour = try await hub.enrolSigning()
        let code = try await hub.enrolmentCode()
        let date = hub.clock.text
        let own = Curve25519.Signing.PrivateKey()
        let borrowed = try SignedEnrolment(
            code: code, key: own, publicKey: neighbour.publicKey, at: date)
        #expect(try await hub.send(borrowed).problemCode == "enrolment_refused")
        #expect(try await hub.request("POST", Routes.terminals, body: borrowed.body).status == 401)
        // Neither a signature nor a date alone is a proof.
        for missing in [HeaderNames.signature, HeaderNames.date] {
            var enrolment = try SignedEnrolment(code: code, at: date)
            #expect(try await hub.send(enrolment.without(missing)).problemCode == "enrolment_refused")
            enrolment = try SignedEnrolment(code: code, at: date)
            #expect(
                try await hub.send(enrolment, headers: [missing: "AAAA"]).problemCode == "enrolment_refused")
        }
        #expect(try await hub.enrol(code: code).status == 201)
    }

    @Test(
        "A proof is good for its code, its key, its host and five minutes", arguments: HubStoreKind.all)
    func bound(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind) { $0.renewalHosts = ["hub.example", "127.0.0.1"] }
        let (code, other) = (try await hub.enrolmentCode(), try await hub.enrolmentCode())
        let key = Curve25519.Signing.PrivateKey()
        let seen = try SignedEnrolment(code: code, key: key, at: hub.clock.text)
        func replayed(_ enrolment: SignedEnrolment) async throws -> String? {
            try await hub.request(
                "POST", Routes.terminals, headers: seen.headers, body: enrolment.body
            ).problemCode
        }
        // With another code, and with another key.
        #expect(try await replayed(SignedEnrolment(code: other, key: key)) == "enrolment_refused")
        #expect(try await replayed(SignedEnrolment(code: code)) == "enrolment_refused")
        let foreign = try SignedEnrolment(code: code, key: key, at: hub.clock.text, host: "evil.example")
        #expect(try await hub.send(foreign).problemCode == "enrolment_refused")
        #expect(
            try await hub.send(foreign, headers: [HeaderNames.host: "hub.example"]).problemCode
                == "enrolment_refused")
        for offset: Int64 in [-300_001, 300_001] {
            let late = try SignedEnrolment(
                code: code, key: key, at: Timestamp.text(milliseconds: hub.clock.now + offset))
            let refused = try await hub.send(late)
            #expect(refused.problemCode == "clock_skew" && refused.status == 401)
            #expect(try refused.json()["hubTime"]?.string == hub.clock.text)
        }
        #expect(try await hub.send(seen).status == 201)
        #expect(try await hub.send(seen).problemCode == "enrolment_refused")
    }

    @Test(
        "A key is the same device in its own store, and refused in another one until it is revoked",
        arguments: HubStoreKind.all)
    func otherStore(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        let first = try await hub.enrolSigning()
        let again = try await hub.enrolSigning(key: first.key)
        #expect(again.grant.terminalId != first.grant.terminalId)
        let code = try await hub.enrolmentCode(store: "S2")
        #expect(try await hub.enrol(code: code, key: first.key).problemCode == "enrolment_refused")
        for till in [first, again] { try await hub.perform(.revokeTerminal(id: till.grant.terminalId)) }
        #expect(try await hub.enrol(code: code, key: first.key).status == 201)
    }

    @Test(
        "A manager's program makes codes of a store, all or none, and each enrols one till",
        arguments: HubStoreKind.all)
    func codesInBulk(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        func send(_ body: String, as role: String = "manager") async throws -> LoopbackResponse {
            let token = try await hub.perform(.addOperator(name: role, role: role, lifetime: 3_600_000))[
                "token"]
            return try await hub.request(
                "POST", Routes.enrolmentCodes,
                headers: ["Authorization": "Bearer \(token?.string ?? "")"], body: body)
        }
        let made = try await send(#"{"storeId":"S2","count":3}"#)
        #expect(made.status == 201 && made.headers["cache-control"] == "no-store")
        let codes = try #require(try made.json()["codes"]?.array)
        #expect(Set(codes.compactMap { $0["code"]?.string }).count == 3)
        #expect(codes.allSatisfy { $0["storeId"] == "S2" })
        for text in codes.compactMap({ $0["code"]?.string }) {
            let enrolled = try await hub.enrol(code: text)
            #expect(enrolled.status == 201)
            #expect(try enrolled.json()["storeId"] == "S2")
        }
        let used = try #require(codes[0]["code"]?.string)
        #expect(try await hub.enrol(code: used).status == 401)
        for wrong in [
            #"{"storeId":"S2","count":0}"#, #"{"storeId":"S2","count":1001}"#,
            #"{"storeId":"S2","count":"3"}"#,
            #"{"storeId":"S 2","count":3}"#, #"{"storeId":"S2","coun":3}"#,
            #"{"storeId":"S2","count":3,"lifetimeMs":999}"#,
        ] { #expect(try await send(wrong).status == 400, "\(wrong)") }
        for role in ["viewer", "operator", "integrator"] {
            let refused = try await send(#"{"storeId":"S2","count":3}"#, as: role)
            #expect(refused.problemCode == "operator_forbidden")
        }
        #expect(try await hub.perform(.listCodes)["codes"]?.array?.count == 3)
        let log = try await hub.perform(.operatorLog(limit: 100))["entries"]?.array ?? []
        #expect(log.count { $0["action"] == "mint-codes" && $0["detail"] == "3 codes for terminals" } == 1)
        // The command for a script.
        let bulk = try await hub.perform(.mintCodes(storeId: "S3", lifetime: 60_000, count: 1_000))
        #expect(bulk["codes"]?.array?.count == 1_000)
        #expect(try await hub.refusal(.mintCodes(storeId: "S3", lifetime: 60_000, count: 1_001)) != nil)
    }
}

extension SignedEnrolment {
    /// The same without a header.
    fileprivate func without(_ header: String) -> SignedEnrolment {
        var copy = self
        copy.headers[header] = nil
        return copy
    }
}
