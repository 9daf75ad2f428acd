import Foundation
import HubProtocol
import TestKit
import Testing

/// How the hub merges what two tills wrote, over HTTP.
@Suite("pos-hub merges", .onStage, .serialized)
struct HubMergingTests {
    private let hub: HubUnderTest

    init() throws {
        hub = try HubUnderTest()
    }

    @Test("Complaint 3, over HTTP: two tills give a sale back; what is too much is a conflict with the state")
    func refunds() throws {
        var (till, other) = (try hub.enrol(), try hub.enrol())
        let client = try hub.client()
        let sale = till.sale()
        let orderId = sale.payload["orderId"] ?? .null
        func refund(_ total: Int64, _ milli: Int64) -> JSONValue {
            [
                "orderId": orderId, "total": .integer(total),
                "lines": [["sku": "tea", "quantityMilli": .integer(milli)]],
            ]
        }
        #expect(try till.push(sale, on: client).status == 201)
        let half = till.minted("refund.completed", "R1", dependsOn: [sale.id], refund(800, 500))
        #expect(try till.push(half, on: client).status == 201)
        let tooMuch = try other.push(
            other.minted("refund.completed", "R2", refund(451, 500)), on: client)
        #expect(tooMuch.status == 409)
        #expect(tooMuch.problemCode == "conflict")
        #expect(try tooMuch.json()["policy"] == "escalate")
        #expect(
            try tooMuch.json()["serverState"]
                == ["orderId": orderId, "state": "completed", "total": 1250, "refunded": 800])
        let tooMany = other.minted("refund.completed", "R3", refund(1, 501))
        let rest = other.minted("refund.completed", "R4", refund(450, 500))
        let copy = other.minted("refund.completed", "R4", refund(450, 500))
        let answer = try MutationBatchAnswer(
            json: other.push([tooMany, rest, copy], on: client).json())
        #expect(answer.results.map(\.outcome) == [.conflict, .applied, .conflict])
        #expect(answer.results.last?.json["policy"] == "append_only")
        #expect(answer.acknowledgedThrough == 4)
    }

    @Test(
        "Members and their points come out of the feed of every store; names and phones as the store may see them"
    )
    func members() throws {
        var (till, other) = (try hub.enrol(), try hub.enrol(store: "S2"))
        let client = try hub.client()
        let early = other.minted("points.adjusted", "M1", ["delta": 20])
        #expect(try other.push(early, on: client).json()["flags"] == ["member_unknown"])
        let created = till.minted("member.created", "M1", ["name": "Li", "phone": "139"])
        let earned = till.minted("points.adjusted", "M1", ["delta": 5])
        _ = try till.push([created, earned], on: client)
        let updated = other.minted("member.updated", "M1", ["name": "Li Na", "points": 0])
        #expect(try other.push(updated, on: client).json()["flags"] == ["points_ignored"])
        let bad = try till.push(till.minted("points.adjusted", "M1", ["points": 5]), on: client)
        #expect(bad.status == 422)
        #expect(bad.problemCode == "invalid_mutation")
        func member(_ reader: TillOverHTTP, schema: String) throws -> JSONValue? {
            let headers = reader.headers.merging([HeaderNames.schema: schema]) { $1 }
            let feed = try client.request("GET", Routes.changes, headers: headers)
            let change = try #require(
                try ChangePage(json: feed.json()).changes.first { $0.entity == "member" })
            #expect(change.origin?["mutationId"] == .string(updated.id))
            return change.value
        }
        _ = try hub.json("store-config", "set", "--store-id", "S2", "members.names=on")
        #expect(try member(till, schema: "1") == ["points": 25])
        let atTill = try member(till, schema: "2")
        #expect(atTill?["points"] == 25)
        #expect(atTill?["name"] == nil)
        let atOther = try member(other, schema: "2")
        #expect(atOther?["points"] == 25)
        #expect(atOther?["name"] == "Li Na")
        // A keyed digest, of each store its own.
        let digests = [atTill, atOther].map { $0?["phone"]?.string ?? "" }
        #expect(digests.allSatisfy { $0.count == 26 })
        #expect(digests[0] != digests[1])
    }
}
