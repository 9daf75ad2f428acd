import Foundation
import HubProtocol
import HubServer
import TestKit
import Testing

/// How the hub merges what two tills wrote, over HTTP.
@Suite("The hub merges")
struct MergingTests {
    private let hub: HubInProcess

    init() async throws {
        hub = try await HubInProcess()
    }

    @Test("Complaint 3, over HTTP: two tills give a sale back; what is too much is a conflict with the state")
    func refunds() async throws {
        var (till, other) = (try await hub.enrol(), try await hub.enrol())
        let sale = till.sale()
        let orderId = sale.payload["orderId"] ?? .null
        func refund(_ total: Int64, _ milli: Int64) -> JSONValue {
            [
                "orderId": orderId, "total": .integer(total),
                "lines": [["sku": "tea", "quantityMilli": .integer(milli)]],
            ]
        }
        #expect(try await till.push(sale, on: hub).status == 201)
        let half = till.minted("refund.completed", "R1", dependsOn: [sale.id], refund(800, 500))
        #expect(try await till.push(half, on: hub).status == 201)
        let tooMuch = try await other.push(
            other.minted("refund.completed", "R2", refund(451, 500)), on: hub)
        #expect(tooMuch.status == 409)
        #expect(tooMuch.problemCode == "conflict")
        #expect(try tooMuch.json()["policy"] == "escalate")
        #expect(
            try tooMuch.json()["serverState"]
                == ["orderId": orderId, "state": "completed", "total": 1250, "refunded": 800])
        let tooMany = other.minted("refund.completed", "R3", refund(1, 501))
        let rest = other.minted("refund.completed", "R4", refund(450, 500))
        let copy = other.minted("refund.completed", "R4", refund(450, 500))
        let response = try await MutationBatchResponse(
            json: other.push([tooMany, rest, copy], on: hub).json())
        #expect(response.results.map(\.outcome) == [.conflict, .applied, .conflict])
        #expect(response.results.last?.json["policy"] == "append_only")
        #expect(response.acknowledgedThrough == 4)
    }

    @Test(
        "Members and their points come out of the feed of every store; names and phones as the store may see them"
    )
    func members() async throws {
        var (till, other) = (try await hub.enrol(), try await hub.enrol(store: "S2"))
        let early = other.minted("points.adjusted", "M1", ["delta": 20])
        #expect(try await other.push(early, on: hub).json()["flags"] == ["member_unknown"])
        let created = till.minted("member.created", "M1", ["name": "Li", "phone": "139"])
        let earned = till.minted("points.adjusted", "M1", ["delta": 5])
        _ = try await till.push([created, earned], on: hub)
        let updated = other.minted("member.updated", "M1", ["name": "Li Na", "points": 0])
        #expect(try await other.push(updated, on: hub).json()["flags"] == ["points_ignored"])
        let bad = try await till.push(till.minted("points.adjusted", "M1", ["points": 5]), on: hub)
        #expect(bad.status == 422)
        #expect(bad.problemCode == "invalid_mutation")
        func member(_ reader: TillOverHTTP, schema: String) async throws -> JSONValue? {
            let headers = reader.headers.merging([HeaderNames.schema: schema]) { $1 }
            let feed = try await hub.request("GET", Routes.changes, headers: headers)
            let change = try #require(
                try ChangePage(json: feed.json()).changes.first { $0.entity == "member" })
            #expect(change.origin?["terminalId"] == .string(other.grant.terminalId))
            // The mutation is named to its own store alone.
            let isOwn = reader.grant.storeId == "S2"
            #expect(change.origin?["mutationId"] == (isOwn ? .string(updated.id) : nil))
            return change.value
        }
        try await hub.perform(.changeStoreSettings(storeId: "S2", ["members.names": "on"]))
        #expect(try await member(till, schema: "1") == ["points": 25])
        let atTill = try await member(till, schema: "2")
        #expect(atTill?["points"] == 25)
        #expect(atTill?["name"] == nil)
        let atOther = try await member(other, schema: "2")
        #expect(atOther?["points"] == 25)
        #expect(atOther?["name"] == "Li Na")
        // A keyed digest, of each store its own.
        let digests = [atTill, atOther].map { $0?["phone"]?.string ?? "" }
        #expect(digests.allSatisfy { $0.count == 26 })
        #expect(digests[0] != digests[1])
    }
}
