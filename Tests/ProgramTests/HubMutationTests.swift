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

    @Test("What was acknowledged survives a kill, once, and the audit finds it complete")
    func killed() throws {
        var till = try hub.enrol()
        let batch = (0..<150).map { _ in till.sale() }
        let response = try till.push(batch, on: try hub.client())
        #expect(try response.json()["acknowledgedThrough"] == 150)
        try hub.killAndRestart()
        let again = try MutationBatchResponse(json: till.push(batch, on: try hub.client()).json())
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
