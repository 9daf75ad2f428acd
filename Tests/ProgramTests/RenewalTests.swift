import Base
import Foundation
import HubProtocol
import TestKit
import Testing

@Suite("Renewal of device tokens", .onStage)
struct RenewalTests {
    private func hub(_ kind: HubStoreKind, _ arguments: [String] = []) throws -> HubUnderTest {
        let folder = try TemporaryFolder()
        return try HubUnderTest(arguments, in: folder, store: try kind.place(in: folder))
    }

    private func query(_ client: LoopbackClient, _ headers: [String: String]) throws -> LoopbackResponse {
        try client.request("POST", Routes.tokenRenewal, headers: headers, body: "")
    }

    @Test("The same request renews once; the hub offers a time that does", arguments: HubStoreKind.all)
    func replay(_ kind: HubStoreKind) throws {
        let hub = try hub(kind)
        let till = try SigningTill(on: hub)
        let client = try hub.client()
        // Ahead of the hub's clock, within the five minutes.
        let date = SigningTill.now(plus: 200_000)
        for request in [try till.renewal(at: date), try till.boundRenewal(at: date)] {
            _ = try query(client, request)
            let again = try query(client, request)
            #expect(again.status == 401)
            #expect(again.problemCode == "clock_skew")
            let offered = try #require(try again.json()["hubTime"]?.string)
            #expect(offered == Timestamp.text(milliseconds: Timestamp.milliseconds(of: date)! + 1))
        }
        let earlier = try query(client, till.boundRenewal(at: SigningTill.now()))
        #expect(earlier.problemCode == "clock_skew")
        let offered = try #require(try earlier.json()["hubTime"]?.string)
        #expect(try query(client, till.boundRenewal(at: offered)).status == 200)
        // A restart forgets none of it.
        try hub.killAndRestart()
        #expect(try query(try hub.client(), till.boundRenewal(at: offered)).problemCode == "clock_skew")
    }
}
