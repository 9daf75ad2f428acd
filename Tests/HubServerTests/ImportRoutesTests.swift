import Foundation
import HubProtocol
import TestKit
import Testing

@testable import HubServer

/// Master data from a back office's program.
@Suite("Imports over HTTP")
struct ImportRoutesTests {
    private static let products = """
        sku,barcode,name,price_minor,currency,tax_basis_points,unit,stock_milli
        tea,1,Tea,900,CNY,0,each,5000
        rice,2,Rice,500,CNY,0,each,
        """

    private func put(
        _ kind: String, _ text: String, on hub: HubInProcess, as role: String = "integrator"
    ) async throws -> LoopbackResponse {
        try await hub.request(
            "PUT", "/v1/imports/\(kind)", headers: try await hub.operatorHeaders(role), body: text)
    }

    @Test(
        "A whole file is imported, for one store what is its own; who did it is in the log",
        arguments: HubStoreKind.all)
    func stores(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        let (one, two) = (try await hub.enrol(), try await hub.enrol(store: "S2"))
        #expect(try await put("products", Self.products, on: hub).json()["new"] == 2)
        #expect(
            try await put("prices", "sku,price_minor,store_id\ntea,700,S1\nnone,1,S1\n", on: hub)
                .json()["warnings"]?.array?.count == 1)
        #expect(try await put("listings", "sku,listed,store_id\nrice,false,S2\n", on: hub).status == 200)
        #expect(try await put("stocks", "sku,stock_milli,store_id\ntea,3000,S1\n", on: hub).status == 200)
        func price(_ till: TillOverHTTP, _ barcode: String) async throws -> JSONValue? {
            let found = try await hub.request("GET", "/v1/products/\(barcode)", headers: till.headers)
            return found.status == 200 ? try found.json()["priceMinor"] : nil
        }
        #expect(try await price(one, "1") == 700)
        #expect(try await price(two, "1") == 900)
        #expect(try await price(one, "2") == 500)
        #expect(try await price(two, "2") == nil)
        let headers = try await hub.operatorHeaders("integrator")
        let first = try await hub.request("GET", "/v1/stock?limit=1", headers: headers).json()
        #expect(
            first["stock"] == [["sku": "tea", "storeId": .null, "stockMilli": 5_000, "countedAt": .null]])
        let cursor = try #require(first["cursor"]?.string)
        let next = try await hub.request("GET", "/v1/stock?cursor=\(cursor)", headers: headers).json()
        #expect(next["stock"]?.array?.map { $0["storeId"] } == ["S1"])
        #expect(next["stock"]?.array?.first?["countedAt"]?.string != nil)
        #expect(next["cursor"] == nil)
        let log = try await hub.perform(.operatorLog(limit: 100))
        #expect(log.canonicalText.contains(#""action":"import""#))
    }

    @Test("A compressed file is refused and not read as lines")
    func compressed() async throws {
        let hub = try await HubInProcess()
        for (encoding, status) in [("gzip", 415), ("br", 415), ("identity", 200)] {
            let headers = try await hub.operatorHeaders("integrator").merging(["Content-Encoding": encoding])
            {
                $1
            }
            let response = try await hub.request(
                "PUT", "/v1/imports/products", headers: headers, body: Self.products)
            #expect(response.status == status, "\(response.text)")
            #expect(response.problemCode == (status == 415 ? "body_encoded" : nil))
        }
    }

    @Test("A mistake is named with its line, and nothing of the file is imported")
    func mistakes() async throws {
        let hub = try await HubInProcess()
        let bad = Self.products + "\nbad,3,,1,CNY,0,each,\nworse,4,W,-1,CNY,0,each,\n"
        let refused = try await put("products", bad, on: hub)
        #expect(refused.status == 422 && refused.problemCode == "import_refused")
        #expect(try refused.json()["objections"]?.array?.map { $0["line"] } == [4, 5])
        _ = try await put("products", Self.products, on: hub)
        // What only the store can see has its line, too.
        let taken = try await put(
            "products",
            "sku,barcode,name,price_minor,currency,tax_basis_points,unit\n\nnew,9,N,1,CNY,0,each\nx,1,X,1,CNY,0,each\n",
            on: hub)
        #expect(try taken.json()["objections"]?.array?.map { $0["line"] } == [4])
        let till = try await hub.enrol()
        #expect(try await hub.request("GET", "/v1/products/9", headers: till.headers).status == 404)
    }

    @Test("Other roles, other kinds and a file that is too large are refused")
    func refused() async throws {
        let hub = try await HubInProcess()
        for role in ["viewer", "operator"] {
            #expect(try await put("products", Self.products, on: hub, as: role).status == 403)
        }
        #expect(try await put("prizes", Self.products, on: hub).status == 404)
        let large = String(repeating: "x", count: 33 << 20)
        #expect(try await put("products", large, on: hub).status == 413)
    }
}
