import Foundation
import HubProtocol
import Pricing
import TestKit
import Testing

/// Cashiers, members and offers from a file to a till's query, through the built program.
@Suite("pos-hub people and offers", .onStage, .serialized)
struct HubPeopleTests {
    private let hub: HubUnderTest

    init() throws {
        hub = try HubUnderTest()
    }

    private func imported(_ kind: String, _ text: String) throws -> FinishedProgram {
        try hub.imported(kind, text)
    }

    /// A hub on the store of a test.
    private func hub(on store: HubStoreKind) throws -> HubUnderTest {
        let folder = try TemporaryFolder()
        return try HubUnderTest(in: folder, store: store.place(in: folder))
    }

    @Test("Look-ups of members are limited for each terminal and counted, by phone and id alike")
    func memberReads() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("hub.json")
        try #"{"limits":{"memberReadsPerMinute":3}}"#.write(toFile: file, atomically: true, encoding: .utf8)
        let hub = try HubUnderTest(["--config", file], in: folder)
        let (till, other) = (try hub.enrol(), try hub.enrol())
        let client = try hub.client()
        func read(_ path: String, by till: TillOverHTTP) throws -> LoopbackResponse {
            try client.request("GET", path, headers: till.headers)
        }
        for path in ["/v1/members/a", "/v1/members?phone=1", "/v1/members/b"] {
            #expect([200, 404].contains(try read(path, by: till).status))
        }
        let refused = try read("/v1/members?phone=2", by: till)
        #expect(refused.status == 429 && refused.problemCode == "rate_limited")
        #expect(refused.headers["retry-after"] != nil)
        #expect(try read("/v1/members?phone=2", by: other).status == 200)
        hub.stop()
        let listed = try hub.json("terminals", "list")["terminals"]?.array ?? []
        #expect(listed.map { $0["memberReadsToday"] } == [3, 1])
    }

    @Test("An erased member is gone from the hub's responses and its store", arguments: HubStoreKind.all)
    func erased(_ store: HubStoreKind) throws {
        let hub = try hub(on: store)
        let members = "id,phone,name,points,tier\nm1,+86 138-0013 8000,Li,120,gold\nm2,,Wang,,\n"
        #expect(try hub.imported("members", members).exitCode == 0)
        var till = try hub.enrol()
        let client = try hub.client()
        _ = try till.push(till.minted("member.updated", "m1", ["name": "Li Xiaolong"]), on: client)
        let end = try hub.run("erase", "member", "m1")
        #expect(end.exitCode == 0 && end.text.contains("1 entries"), "\(end.errors)")
        #expect(try client.request("GET", "/v1/members/m1", headers: till.headers).status == 404)
        #expect(try client.request("GET", "/v1/members/m2", headers: till.headers).status == 200)
        #expect(try hub.run("erase", "member", "m1").exitCode == 4)
        hub.stop()
        let bytes = try hub.storedBytes()
        for word in ["Li Xiaolong", "138-0013"] {
            #expect(bytes.range(of: Data(word.utf8)) == nil, "\(word)")
        }
    }
}

extension HubUnderTest {
    /// Imports a file of that text.
    fileprivate func imported(_ kind: String, _ text: String) throws -> FinishedProgram {
        let file = folder.path(kind + ".csv")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return try run("import", kind, file)
    }

    /// Everything that is in the store: the database's file, or every row of PostgreSQL's tables.
    fileprivate func storedBytes() throws -> Data {
        guard store.hasPrefix("postgresql") else {
            return try Data(contentsOf: URL(fileURLWithPath: folder.path("hub.sqlite")))
        }
        let schema = store.components(separatedBy: "%3D").last ?? ""
        let rows = try Command.run(["pg_dump", "--data-only", "--inserts", "--schema", schema, store])
        #expect(rows.contains("Wang"))
        return Data(rows.utf8)
    }
}
