import Foundation
import Glibc
import HubProtocol
import TestKit
import Testing

@Suite("pos-hub takes mutations in", .onStage, .serialized)
struct HubMutationTests {
    private let hub: HubUnderTest

    init() throws {
        hub = try HubUnderTest()
    }

    @Test("The response to a single push follows the contract, the first time and again")
    func single() throws {
        var till = try hub.enrol()
        let client = try hub.client()
        let sale = till.sale()
        let bare = try client.request(
            "POST", Routes.mutation, headers: till.headers, body: sale.json.canonicalText)
        #expect(bare.status == 400)
        #expect(bare.problemCode == "idempotency_key_missing")
        let first = try till.push(sale, on: client)
        #expect(first.status == 201)
        #expect(try first.json()["outcome"] == "applied")
        #expect(try first.json()["flags"] == [])
        let again = try till.push(sale, on: client)
        #expect(again.status == 200)
        #expect(again.headers["idempotent-replayed"] == "true")
        #expect(try again.json()["result"] == first.json())
    }

    @Test("Sixteen clients that race one key, alone and in batches, make one effect")
    func race() async throws {
        var till = try hub.enrol()
        let sale = till.sale()
        let (url, asking) = (hub.url, till)
        let answers = try await withThrowingTaskGroup(of: LoopbackAnswer.self) { group in
            for client in 0..<16 {
                group.addTask {
                    let racer = try LoopbackClient(url: url, timeout: 20)
                    return client % 2 == 0
                        ? try asking.push(sale, on: racer) : try asking.push([sale], on: racer)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let outcomes = try answers.compactMap { answer -> String? in
            let json = try answer.json()
            return (json["results"]?.array?.first ?? json)["outcome"]?.string
        }
        #expect(outcomes.filter { $0 == "applied" }.count == 1)
        #expect(outcomes.allSatisfy { ["applied", "duplicate"].contains($0) })
        #expect(answers.allSatisfy { [200, 201, 409].contains($0.status) })
        let audit = HubAudit(try #require(hub.json("audit")["terminals"]?.array?.first))
        #expect(audit.orders == 1)
        #expect(audit.isWhole)
    }

    @Test("A reused key, a forked journal and what is no sale are named with their status")
    func refusals() throws {
        var till = try hub.enrol()
        let client = try hub.client()
        let sale = till.sale()
        var clone = till
        _ = try till.push(sale, on: client)
        var members = try #require(sale.json.object)
        members["entityId"] = "another"
        let reused = try client.request(
            "POST", Routes.mutation,
            headers: till.headers.merging([HeaderNames.idempotencyKey: sale.id]) { $1 },
            body: JSONValue.object(members).canonicalText)
        #expect(reused.status == 422)
        #expect(reused.problemCode == "idempotency_key_reused")
        let noSale = till.sale(total: -1)
        let rejected = try till.push(noSale, on: client)
        #expect(rejected.status == 422)
        #expect(rejected.problemCode == "invalid_mutation")
        #expect(try rejected.json()["outcome"] == "rejected")
        #expect(try rejected.json()["id"] == .string(noSale.id))
        let fork = try till.push(clone.sale(), on: client)
        #expect(fork.status == 409)
        #expect(fork.problemCode == "journal_forked")
        #expect(try fork.json()["epoch"] == 2)
        #expect(try fork.json()["head"]?["sequence"] == 2)
    }

    @Test("What was acknowledged survives a kill, once, and the audit finds it complete")
    func killed() throws {
        var till = try hub.enrol()
        let batch = (0..<150).map { _ in till.sale() }
        let answer = try till.push(batch, on: try hub.client())
        #expect(try answer.json()["acknowledgedThrough"] == 150)
        try hub.killAndRestart()
        let again = try MutationBatchAnswer(json: till.push(batch, on: try hub.client()).json())
        #expect(again.results.allSatisfy { $0.outcome == .duplicate })
        let audit = try #require(try hub.json("audit")["terminals"]?.array?.first)
        #expect(audit["received"] == 150)
        #expect(audit["orders"] == 150)
        #expect(audit["chain"] == "intact")
        #expect(audit["missing"] == [])
        #expect(audit["total"] == ["amount": 187_500, "currency": "CNY"])
    }

    @Test("While another process locks the store, pushes and readiness are refused, the rest goes on")
    func heldStore() throws {
        var till = try hub.enrol()
        let sale = till.sale()
        let held = try HeldStore(folder: hub.folder)
        let client = try hub.client()
        let start = Date()
        let refused = try till.push(sale, on: client)
        #expect(refused.status == 503)
        #expect(refused.problemCode == "store_unavailable")
        #expect(refused.headers["retry-after"] != nil)
        #expect(try client.request("GET", Routes.ready).status == 503)
        #expect(Date().timeIntervalSince(start) < 6)
        #expect(try client.request("GET", Routes.health).status == 200)
        #expect(try client.request("GET", Routes.qosDecisions, headers: till.headers).status == 200)
        held.release()
        #expect(try till.push(sale, on: client).status == 201)
        // What was found out is kept for a second.
        let end = Date() + 5
        while try client.request("GET", Routes.ready).status != 200, Date() < end { usleep(50_000) }
        #expect(try client.request("GET", Routes.ready).status == 200)
    }

    @Test("Products come in by file, beside the running hub, and go out by the feed and by barcode")
    func catalogue() throws {
        let till = try hub.enrol()
        let client = try hub.client()
        let header = "sku,barcode,name,department,price_minor,currency,tax_basis_points,unit,stock_milli\n"
        let file = hub.folder.path("products.csv")
        try (header + "t1,690 1,\"Tea, green\",d,1250,CNY,1300,each,\nt2,6902,B,d,1,CNY,0,milli,500\n")
            .write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try hub.json("import", "products", file)["new"] == 2)
        let feed = try client.request("GET", Routes.changes + "?limit=1", headers: till.headers)
        let page = try ChangePage(json: feed.json())
        #expect(page.changes.map(\.entityId) == ["t1"])
        #expect(page.hasMore)
        let rest = try client.request(
            "GET", Routes.changes + "?cursor=\(page.cursor)", headers: till.headers)
        #expect(try ChangePage(json: rest.json()).changes.map(\.entityId) == ["t2"])
        let forged = try client.request(
            "GET", Routes.changes + "?cursor=x\(page.cursor)", headers: till.headers)
        #expect(forged.status == 410)
        #expect(forged.headers["cache-control"] == "no-store")
        let product = try client.request("GET", "/v1/products/690%201", headers: till.headers)
        #expect(try product.json()["name"] == "Tea, green")
        try (header + "t3,1,A,d,5,CNY,0,each,\nt4,2,B,d,x,CNY,0,each,\n")
            .write(toFile: file, atomically: true, encoding: .utf8)
        let wrong = try hub.run("import", "products", file)
        #expect(wrong.exitCode == 4)
        #expect(wrong.errors.first?.contains("line 3") == true)
        #expect(try client.request("GET", "/v1/products/1", headers: till.headers).status == 404)
    }
}

/// Keeps the write lock of a hub's order store, as another process with an open transaction would: byte 120
/// of the write-ahead log's index (sqlite.org/walformat.html, section 2.3).
final class HeldStore {
    private var descriptor: Int32

    init(folder: TemporaryFolder) throws {
        descriptor = open(folder.path("hub.sqlite-shm"), O_RDWR | O_CLOEXEC)
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 120
        lock.l_len = 1
        try #require(descriptor >= 0 && fcntl(descriptor, F_SETLKW, &lock) == 0)
    }

    deinit { release() }

    func release() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }
}
