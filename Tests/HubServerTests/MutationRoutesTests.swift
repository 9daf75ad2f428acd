import Foundation
import HubProtocol
import HubServer
import TestKit
import Testing

@Suite("The hub accepts mutations")
struct MutationRoutesTests {
    private let hub: HubInProcess

    init() async throws {
        hub = try await HubInProcess()
    }

    @Test("The response to a single push follows the contract, the first time and again")
    func single() async throws {
        var till = try await hub.enrol()
        let sale = till.sale()
        let bare = try await hub.request(
            "POST", Routes.mutation, headers: till.headers, body: sale.json.canonicalText)
        #expect(bare.status == 400)
        #expect(bare.problemCode == "idempotency_key_missing")
        let first = try await till.push(sale, on: hub)
        #expect(first.status == 201)
        #expect(try first.json()["outcome"] == "applied")
        #expect(try first.json()["flags"] == [])
        let again = try await till.push(sale, on: hub)
        #expect(again.status == 200)
        #expect(again.headers["idempotent-replayed"] == "true")
        // What is said of the journal as a whole is of each response's own time.
        var result = try #require(try first.json().object)
        #expect(result["acknowledgedThrough"] == 1)
        #expect(result["missing"] == [])
        (result["acknowledgedThrough"], result["missing"]) = (nil, nil)
        #expect(try again.json()["result"] == .object(result))
        #expect(try again.json()["acknowledgedThrough"] == 1)
    }

    @Test("Sixteen requests that race one key, alone and in batches, make one effect")
    func race() async throws {
        var till = try await hub.enrol()
        let sale = till.sale()
        let racer = till
        let responses = try await withThrowingTaskGroup(of: LoopbackResponse.self) { group in
            for number in 0..<16 {
                group.addTask { [hub] in
                    number % 2 == 0
                        ? try await racer.push(sale, on: hub) : try await racer.push([sale], on: hub)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let outcomes = try responses.compactMap { response -> String? in
            let json = try response.json()
            return (json["results"]?.array?.first ?? json)["outcome"]?.string
        }
        #expect(outcomes.filter { $0 == "applied" }.count == 1)
        #expect(outcomes.allSatisfy { ["applied", "duplicate"].contains($0) })
        // Two are worked on and eight wait; a terminal that opens more is refused the rest.
        #expect(responses.allSatisfy { [200, 201, 409, 429].contains($0.status) })
        let audit = try await hub.audit()
        #expect(audit["orders"] == 1)
        #expect(audit["chain"] == "intact")
    }

    @Test("A reused key, a forked journal and what is no sale are named with their status")
    func refusals() async throws {
        var till = try await hub.enrol()
        let sale = till.sale()
        var clone = till
        _ = try await till.push(sale, on: hub)
        var members = try #require(sale.json.object)
        members["entityId"] = "another"
        let reused = try await hub.request(
            "POST", Routes.mutation,
            headers: till.headers.merging([HeaderNames.idempotencyKey: sale.id]) { $1 },
            body: JSONValue.object(members).canonicalText)
        #expect(reused.status == 422)
        #expect(reused.problemCode == "idempotency_key_reused")
        let noSale = till.sale(total: -1)
        let rejected = try await till.push(noSale, on: hub)
        #expect(rejected.status == 422)
        #expect(rejected.problemCode == "invalid_mutation")
        #expect(try rejected.json()["outcome"] == "rejected")
        #expect(try rejected.json()["id"] == .string(noSale.id))
        let fork = try await till.push(clone.sale(), on: hub)
        #expect(fork.status == 409)
        #expect(fork.problemCode == "journal_forked")
        #expect(try fork.json()["epoch"] == 2)
        #expect(try fork.json()["head"]?["sequence"] == 2)
    }

    @Test("Products go out by the feed and by barcode; a cursor that the hub did not sign is refused")
    func catalogue() async throws {
        let till = try await hub.enrol()
        let header = "sku,barcode,name,department,price_minor,currency,tax_basis_points,unit,stock_milli\n"
        let rows = "t1,690 1,\"Tea, green\",d,1250,CNY,1300,each,\nt2,6902,B,d,1,CNY,0,milli,500\n"
        #expect(try await hub.imported(.products, header + rows)["new"] == 2)
        // The first row is the till's own key, which this schema does not get.
        let page = try ChangePage(json: try await till.get(Routes.changes + "?limit=2", on: hub).json())
        #expect(page.changes.map(\.entityId) == ["t1"])
        #expect(page.hasMore)
        let rest = try await till.get(Routes.changes + "?cursor=\(page.cursor)", on: hub)
        #expect(try ChangePage(json: rest.json()).changes.map(\.entityId) == ["t2"])
        let forged = try await till.get(Routes.changes + "?cursor=x\(page.cursor)", on: hub)
        #expect(forged.status == 410)
        #expect(forged.headers["cache-control"] == "no-store")
        let product = try await till.get("/v1/products/690%201", on: hub)
        #expect(try product.json()["name"] == "Tea, green")
        #expect(try await till.get("/v1/products/1", on: hub).status == 404)
    }
}
