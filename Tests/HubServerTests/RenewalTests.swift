import Base
import Foundation
import HubCore
import HubProtocol
import HubServer
import TestKit
import Testing

@Suite("Renewal of device tokens, at the hub")
struct RenewalTests {
    private func query(_ hub: HubInProcess, _ headers: [String: String]) async throws -> LoopbackResponse {
        try await hub.request("POST", Routes.tokenRenewal, headers: headers, body: "")
    }

    private func till(on hub: HubInProcess) async throws -> SigningTill { try await hub.enrolSigning() }

    @Test("A signature for another host, terminal or date does not renew", arguments: HubStoreKind.all)
    func bound(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind) { $0.renewalHosts = ["hub.example", "127.0.0.1"] }
        let till = try await till(on: hub)
        let other = try await self.till(on: hub)
        let now = hub.clock.text
        let foreign = try await query(hub, till.boundRenewal(at: now, host: "evil.example"))
        #expect(foreign.status == 401)
        #expect(foreign.problemCode == "host_mismatch")
        var moved = try till.boundRenewal(at: now, host: "evil.example")
        moved[HeaderNames.host] = "hub.example"
        #expect(try await query(hub, moved).problemCode == "token_invalid")
        var stripped = try till.boundRenewal(at: now)
        stripped[HeaderNames.host] = nil
        #expect(try await query(hub, stripped).problemCode == "token_invalid")
        var borrowed = try till.boundRenewal(at: now)
        borrowed[HeaderNames.terminal] = other.grant.terminalId
        #expect(try await query(hub, borrowed).problemCode == "token_invalid")
        var later = try till.boundRenewal(at: now)
        later[HeaderNames.date] = Timestamp.text(milliseconds: hub.clock.now + 1_000)
        #expect(try await query(hub, later).problemCode == "token_invalid")
        #expect(try await query(hub, try till.boundRenewal(at: now, host: "hub.example")).status == 200)
    }

    @Test("A renewal that signs neither host nor terminal is accepted", arguments: HubStoreKind.all)
    func unbound(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var till = try await till(on: hub)
        for _ in 0..<3 {
            hub.clock.advance(by: .seconds(1))
            let response = try await query(hub, try till.renewal(at: hub.clock.text))
            #expect(response.status == 200)
            till.token = try #require(try response.json()["token"]?.string)
        }
        #expect(try await hub.request("GET", Routes.changes, headers: till.headers).status == 200)
    }

    @Test("A token ends with its time; for 400 days after it its terminal renews it, and then no more")
    func expiry() async throws {
        let hub = try await HubInProcess { $0.tokenLifetime = .seconds(60) }
        let (early, late) = (try await till(on: hub), try await till(on: hub))
        func refusal() async throws -> String? {
            try await hub.request("GET", Routes.changes, headers: late.headers).problemCode
        }
        hub.clock.advance(by: .milliseconds(59_999))
        #expect(try await refusal() == nil)
        hub.clock.advance(by: .milliseconds(1))
        #expect(try await refusal() == "token_expired")
        hub.clock.advance(by: .milliseconds(TerminalRecord.renewalGraceMilliseconds - 1))
        #expect(try await query(hub, try early.boundRenewal(at: hub.clock.text)).status == 200)
        hub.clock.advance(by: .milliseconds(1))
        #expect(
            try await query(hub, try late.boundRenewal(at: hub.clock.text)).problemCode == "token_expired")
    }

    @Test("A date five minutes from the hub's renews, a millisecond more does not, and none renews twice")
    func skew() async throws {
        let hub = try await HubInProcess()
        let till = try await till(on: hub)
        func renewed(_ offset: Int64) async throws -> LoopbackResponse {
            try await query(
                hub, try till.boundRenewal(at: Timestamp.text(milliseconds: hub.clock.now + offset)))
        }
        let most = SignedRequest.maximumSkewMilliseconds
        for offset in [-most - 1, most + 1] {
            let refused = try await renewed(offset)
            #expect(refused.problemCode == "clock_skew")
            #expect(try refused.json()["hubTime"]?.string == hub.clock.text)
        }
        #expect(try await renewed(-most).status == 200)
        #expect(try await renewed(most).status == 200)
        let again = try await renewed(most)
        #expect(again.problemCode == "clock_skew")
        let offered = Timestamp.text(milliseconds: hub.clock.now + most + 1)
        #expect(try again.json()["hubTime"]?.string == offered)
    }

    @Test(
        "A code's digest is keyed, codes are listed by id, and a revoked or expired one enrols no terminal",
        arguments: HubStoreKind.all)
    func codes(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        let made = try await hub.perform(.mintCode(storeId: "S1", lifetime: 60_000))
        let code = try #require(made["code"]?.string)
        let id = try #require(made["id"]?.string)
        let listed = try await hub.perform(.listCodes)["codes"]?.array ?? []
        #expect(listed.map { $0["id"]?.string } == [id])
        #expect(listed.first?["state"] == "open")
        #expect(!Digest.sha256Hex(Array(code.filter { $0 != "-" }.utf8)).hasPrefix(id))
        #expect(try await hub.perform(.revokeCode(id: id))["state"] == "revoked")
        #expect(try await hub.refusal(.revokeCode(id: id)) != nil)
        func enrol(_ code: String) async throws -> LoopbackResponse {
            try await hub.enrol(code: code)
        }
        #expect(try await enrol(code).problemCode == "enrolment_refused")
        let late = try await hub.enrolmentCode()
        hub.clock.advance(by: .seconds(3_600))
        #expect(try await enrol(late).problemCode == "enrolment_refused")
        // A code lives over a rotation of what its digest is keyed with.
        let other = try await hub.enrolmentCode()
        try await hub.perform(.rotateKeys([.secret], overlap: 3_600_000))
        #expect(try await enrol(other).status == 201)
    }
}
