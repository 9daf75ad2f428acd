import Crypto
import Foundation
import HubCore
import HubProtocol
import TestKit
import Testing

@testable import HubServer

/// The journal feed as a receiver gets it, over sockets of this machine.
@Suite("Webhooks", .timeLimit(.minutes(2)))
struct WebhookTests {
    private let receiver: ScriptedServer

    init() throws {
        receiver = try ScriptedServer()
    }

    private func added(
        to hub: HubInProcess, path: String = "/in", types: String? = nil, from: String? = nil
    ) async throws -> (id: String, secret: String) {
        let response = try await hub.perform(
            .webhook(.add(url: receiver.url + path, types: types, from: from)))
        return (try #require(response["webhookId"]?.string), try #require(response["secret"]?.string))
    }

    private func listed(_ id: String, _ hub: HubInProcess) async throws -> JSONValue {
        let rows = try await hub.perform(.webhook(.list))["webhooks"]?.array
        return try #require(rows?.first { $0["webhookId"]?.string == id })
    }

    /// The documents of the deliveries that a path got, one after another.
    private func documents(at path: String = "/in", from first: Int = 0) throws -> [JSONValue] {
        try receiver.requests.filter { $0.path == path }.dropFirst(first).flatMap { request in
            try JSONParser.parse(request.body)["documents"]?.array ?? []
        }
    }

    private func journal(_ hub: HubInProcess, types: String? = nil) async throws -> [JSONValue] {
        let page = try await hub.perform(.readJournal(after: nil, storeId: nil, types: types))
        return try (page["documents"]?.array ?? []).compactMap(\.string).map { try JSONParser.parse($0.utf8) }
    }

    @Test(
        "A receiver gets what the feed has, signed, in order and once, from the beginning, from a cursor or from now",
        arguments: HubStoreKind.all)
    func delivered(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var till = try await hub.enrol()
        for path in ["/in", "/all", "/refunds"] { receiver.on(path, .json(200, "{}")) }
        for _ in 0..<3 { #expect(try await till.push(till.sale(), on: hub).status == 201) }
        let (id, secret) = try await added(to: hub)
        _ = try await added(to: hub, path: "/all", from: "start")
        _ = try await added(to: hub, path: "/refunds", types: "refund,void", from: "start")
        var sales: [Mutation] = []
        for _ in 0..<210 { sales.append(till.sale()) }
        for part in [sales[..<110], sales[110...]] {
            #expect(try await till.push(Array(part), on: hub).status == 200)
        }
        await hub.deliverWebhooks()
        let all = try await journal(hub)
        #expect(all.count == 213)
        #expect(try documents() == Array(all.dropFirst(3)))
        #expect(try documents(at: "/all") == all)
        #expect(try documents(at: "/refunds").isEmpty)
        let requests = receiver.requests.filter { $0.path == "/in" }
        #expect(requests.count == 3)
        for request in requests {
            let signature = try #require(request.headers["pos-webhook-signature"])
            let seconds = try #require(signature.dropFirst(2).split(separator: ",").first)
            let code = HMAC<SHA256>.authenticationCode(
                for: Array("\(seconds).".utf8) + request.body, using: SymmetricKey(data: Array(secret.utf8)))
            #expect(signature == "t=\(seconds),v1=" + code.map { String(format: "%02x", $0) }.joined())
        }
        await hub.deliverWebhooks()
        #expect(receiver.requests.count == 3 + 3)
        let row = try await listed(id, hub)
        #expect(row["failures"] == 0 && row["secret"] == nil && row["deliveredAt"]?.string != nil)
        let end = try await hub.perform(.readJournal(after: nil, storeId: nil, types: nil))["cursor"]
        #expect(row["cursor"] == end)
    }

    @Test(
        "What a receiver responds to wrongly, late, partly or not at all is sent again, until it accepts it",
        arguments: HubStoreKind.all)
    func faults(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var till = try await hub.enrol()
        let elsewhere = "http://127.0.0.1:\(receiver.port)/elsewhere"
        receiver.on("/elsewhere", .json(200, "{}"))
        let faults: [(response: ScriptedResponse, words: String)] = [
            (.json(500, "{}"), "status 500"), (.json(404, "{}"), "status 404"),
            (
                .whole(302, type: nil, headers: ["Location": elsewhere], body: ""),
                "redirected with status 302"
            ),
            (.cut(200, "{}", after: 30), "closed the connection"), (.reset, "closed the connection"),
            (.close, "closed the connection"), (.stall, "did not respond within"),
            (ScriptedResponse([.send(Array("SSH-2.0-x\r\n\r\n".utf8)), .close]), "not HTTP"),
            (.json(200, String(repeating: "x", count: 100_000)), "longer than"),
            (
                ScriptedResponse([.send(Array("HTTP/1.1 200 OK\r\nX: ".utf8)), .stall]),
                "did not respond within"
            ),
        ]
        let (id, _) = try await added(to: hub)
        #expect(try await till.push(till.sale(), on: hub).status == 201)
        for (number, fault) in faults.enumerated() {
            receiver.on("/in", fault.response)
            await hub.deliverWebhooks()
            let row = try await listed(id, hub)
            #expect(row["failures"]?.integer == Int64(number + 1))
            #expect(row["problem"]?.string?.contains(fault.words) == true, "\(row["problem"]?.string ?? "")")
            // Not before its time.
            let count = receiver.requests.count
            await hub.deliverWebhooks()
            #expect(receiver.requests.count == count)
            hub.clock.advance(by: .seconds(3_600))
        }
        #expect(receiver.requests.allSatisfy { $0.path == "/in" })
        let alarms = try await hub.perform(.backOffice(.listAlarms(.init(SalesFilter()), all: true)))[
            "alarms"]
        let alarm = try #require(alarms?.array?.first { $0["kind"] == "webhook_failing" })
        #expect(alarm["terminalId"]?.string == id)
        // Garbage with the right status accepts all the same.
        receiver.on("/in", .whole(204, type: "text/plain", body: "\u{0}\u{1}garbage"))
        let before = receiver.requests.count
        await hub.deliverWebhooks()
        #expect(try documents(from: before) == (try await journal(hub)))
        #expect(try await listed(id, hub)["failures"] == 0)
    }

    @Test(
        "What the hub's own store fails with is listed and raises the alarm, and nothing is left out behind it",
        arguments: HubStoreKind.all)
    func store(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var till = try await hub.enrol()
        receiver.on("/in", .json(200, "{}"))
        let (id, _) = try await added(to: hub)
        #expect(try await till.push(till.sale(), on: hub).status == 201)
        func execute(_ sql: String) throws {
            switch kind {
            case .sqlite: try Command.run(["sqlite3", hub.folder.path("hub.sqlite"), sql])
            case .postgresql: _ = try PostgresServer.shared.get().sql(sql, on: hub.place)
            }
        }
        // The feed cannot be read, neither its end nor a page.
        try execute("ALTER TABLE documents RENAME TO elsewhere")
        for _ in 0..<2 {
            await hub.deliverWebhooks()
            hub.clock.advance(by: .seconds(3_600))
        }
        try execute("ALTER TABLE elsewhere RENAME TO documents")
        #expect(receiver.requests.isEmpty)
        let row = try await listed(id, hub)
        #expect(row["failures"] == 2 && row["nextTry"]?.string != nil)
        #expect(
            row["problem"]?.string?.hasPrefix("the hub's own store: ") == true,
            "\(row["problem"]?.string ?? "")")
        let alarms = try await hub.perform(.backOffice(.listAlarms(.init(SalesFilter()), all: true)))[
            "alarms"]
        #expect(
            alarms?.array?.contains { $0["kind"] == "webhook_failing" && $0["terminalId"]?.string == id }
                == true)
        await hub.deliverWebhooks()
        #expect(try documents() == (try await journal(hub)))
        #expect(try await listed(id, hub)["failures"] == 0)
    }

    @Test("A receiver that is slow or down keeps no other waiting")
    func apart() async throws {
        let hub = try await HubInProcess(webhookTimeout: .seconds(30))
        var till = try await hub.enrol()
        let quick = try ScriptedServer()
        quick.on("/in", .json(200, "{}"))
        receiver.on("/in", .stall)
        let (slow, _) = try await added(to: hub)
        _ = try await hub.perform(.webhook(.add(url: quick.url + "/in", types: nil, from: nil)))
        #expect(try await till.push(till.sale(), on: hub).status == 201)
        let round = Task { await hub.deliverWebhooks() }
        #expect(await receiver.waitForRequests(1))
        #expect(await quick.waitForRequests(1))
        receiver.stop()
        await round.value
        let rows = try #require(try await hub.perform(.webhook(.list))["webhooks"]?.array)
        for row in rows { #expect(row["failures"] == (row["webhookId"]?.string == slow ? 1 : 0)) }
    }

    @Test(
        "A person tests, rotates, skips and removes; what is no place or no address is refused",
        arguments: HubStoreKind.all)
    func administered(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var till = try await hub.enrol()
        receiver.on("/in", .json(400, "{}"))
        let (id, first) = try await added(to: hub)
        for _ in 0..<2 { #expect(try await till.push(till.sale(), on: hub).status == 201) }
        await hub.deliverWebhooks()
        let failed = try await hub.perform(.webhook(.test(id: id)))
        #expect(failed["accepted"] == false && failed["problem"]?.string?.contains("400") == true)
        receiver.on("/in", .json(200, "{}"))
        #expect(try await hub.perform(.webhook(.test(id: id)))["accepted"] == true)
        #expect(try await listed(id, hub)["failures"] == 1)
        let second = try await hub.perform(.webhook(.rotate(id: id)))["secret"]?.string
        #expect(second != nil && second != first)
        let end = try #require(
            try await hub.perform(.readJournal(after: nil, storeId: nil, types: nil))["cursor"]?.string)
        let life = try #require(JournalCursor(end)).life
        for wrong in ["x", "\(life).99", "other.1", "\(life).0"] {
            let code = try await hub.refusal(.webhook(.skip(id: id, through: wrong, reason: "r")))
            #expect(code == .malformedRequest, "\(wrong)")
        }
        let skipped = try await hub.perform(
            .webhook(.skip(id: id, through: "\(life).1", reason: "broken sale")))
        #expect(skipped["cursor"]?.string == "\(life).1" && skipped["failures"] == 0)
        let count = receiver.requests.count
        await hub.deliverWebhooks()
        #expect(try documents(from: count) == Array(try await journal(hub).dropFirst(1)))
        for url in ["http://erp.example/", "https://169.254.169.254/latest", "nothing"] {
            #expect(
                try await hub.refusal(.webhook(.add(url: url, types: nil, from: nil))) == .malformedRequest)
        }
        #expect(
            try await hub.refusal(.webhook(.add(url: receiver.url, types: "orders", from: nil)))
                == .malformedRequest)
        #expect(try await hub.perform(.webhook(.remove(id: id)))["removed"] == true)
        #expect(try await hub.refusal(.webhook(.remove(id: id))) == .notFound)
        #expect(try await till.push(till.sale(), on: hub).status == 201)
        let last = receiver.requests.count
        await hub.deliverWebhooks()
        #expect(receiver.requests.count == last)
        let log = try await hub.perform(.operatorLog(limit: 20))["entries"]?.array ?? []
        let actions = log.compactMap { $0["action"]?.string }.filter { $0.hasSuffix("-webhook") }
        #expect(actions == ["add-webhook", "rotate-webhook", "skip-webhook", "remove-webhook"])
    }

    @Test("A delivery has one MiB of documents at most, however many wait")
    func bytes() async throws {
        let hub = try await HubInProcess()
        var till = try await hub.enrol()
        receiver.on("/in", .json(200, "{}"))
        _ = try await added(to: hub)
        for _ in 0..<60 {
            let response = try await till.push(till.sale(bags: 199), on: hub)
            #expect(response.status == 201, "\(response.text)")
        }
        await hub.deliverWebhooks()
        let sent = try await journal(hub)
        #expect(sent.count == 60)
        #expect(try documents() == sent)
        let sizes = receiver.requests.map(\.body.count)
        #expect(sizes.count > 1 && sizes.allSatisfy { $0 <= WebhookSender.mostBytes + 200 }, "\(sizes)")
    }

    @Test("A hub has twenty webhooks at most")
    func many() async throws {
        let hub = try await HubInProcess()
        for _ in 0..<20 { _ = try await added(to: hub) }
        #expect(
            try await hub.refusal(.webhook(.add(url: receiver.url, types: nil, from: nil)))
                == .malformedRequest)
    }

    @Test("Of two hubs on one database one delivers at a time, and nothing is left out")
    func severalHubs() async throws {
        let first = try await HubInProcess(on: .postgresql)
        let second = try await HubInProcess(
            in: first.folder, on: .postgresql, at: first.place, clock: first.clock)
        var till = try await first.enrol()
        _ = try await added(to: first)
        var sales: [Mutation] = []
        for _ in 0..<150 { sales.append(till.sale()) }
        #expect(try await till.push(sales, on: first).status == 200)
        receiver.on(
            "/in",
            ScriptedResponse([
                .pause(0.05), .send(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)),
            ]))
        async let one: Void = first.deliverWebhooks()
        async let other: Void = second.deliverWebhooks()
        _ = await (one, other)
        // What ended with the one goes on with the other when its time is over.
        first.clock.advance(by: .seconds(31))
        await second.deliverWebhooks()
        #expect(try documents() == (try await journal(first)))
    }

    @Test("A restored hub goes on where both lives are the same, and says so until that is accepted")
    func restored() async throws {
        let hub = try await HubInProcess()
        var till = try await hub.enrol()
        receiver.on("/in", .json(200, "{}"))
        _ = try await added(to: hub)
        let (kept, lost) = (till.sale(), till.sale())
        #expect(try await till.push(kept, on: hub).status == 201)
        await hub.deliverWebhooks()
        let configuration = HubConfiguration(store: .sqlite(path: hub.folder.path("hub.sqlite")))
        let file = hub.folder.path("hub.backup")
        _ = try StoreBackup.write(configuration, to: file)
        #expect(try await till.push(lost, on: hub).status == 201)
        await hub.deliverWebhooks()
        let folder = try TemporaryFolder()
        _ = try await StoreBackup.restore(
            file, to: HubConfiguration(store: .sqlite(path: folder.path("hub.sqlite"))))
        let again = try await HubInProcess(in: folder, clock: hub.clock)
        // The copy has it that the hub before delivers.
        hub.clock.advance(by: .seconds(31))
        let before = receiver.requests.count
        await again.deliverWebhooks()
        #expect(receiver.requests.count == before)
        #expect(try await till.push(lost, on: again).status == 201)
        receiver.on("/in", .json(500, "{}"), .json(200, "{}"))
        await again.deliverWebhooks()
        again.clock.advance(by: .seconds(10))
        #expect(try await till.push(till.sale(), on: again).status == 201)
        await again.deliverWebhooks()
        let bodies = try receiver.requests.dropFirst(before).map { try JSONParser.parse($0.body) }
        #expect(bodies.count == 2)
        #expect(bodies.allSatisfy { $0["restored"]?["sameThrough"] == 1 })
        #expect(bodies.map { $0["documents"]?.array?.count } == [1, 2])
        #expect(try await till.push(till.sale(), on: again).status == 201)
        await again.deliverWebhooks()
        let last = try JSONParser.parse(try #require(receiver.requests.last).body)
        #expect(last["restored"] == nil && last["documents"]?.array?.count == 1)
    }

    @Test("A receiver that lacked documents of before the backup gets them from the restored hub")
    func restoredBehind() async throws {
        let hub = try await HubInProcess()
        var till = try await hub.enrol()
        receiver.on("/in", .json(500, "{}"))
        _ = try await added(to: hub)
        _ = try await till.push([till.sale(), till.sale()], on: hub)
        await hub.deliverWebhooks()
        let file = hub.folder.path("hub.backup")
        _ = try StoreBackup.write(
            HubConfiguration(store: .sqlite(path: hub.folder.path("hub.sqlite"))), to: file)
        let folder = try TemporaryFolder()
        _ = try await StoreBackup.restore(
            file, to: HubConfiguration(store: .sqlite(path: folder.path("hub.sqlite"))))
        let again = try await HubInProcess(in: folder, clock: hub.clock)
        hub.clock.advance(by: .seconds(31))
        _ = try await till.push([till.sale()], on: again)
        receiver.on("/in", .json(200, "{}"))
        await again.deliverWebhooks()
        let body = try JSONParser.parse(try #require(receiver.requests.last).body)
        #expect(body["restored"]?["sameThrough"] == 0)
        #expect(body["documents"]?.array?.count == 3)
    }

    @Test("Https anywhere but on the link, plain http on this machine alone")
    func addresses() {
        func isUsable(_ text: String) -> Bool { (try? WebhookAddress(text)) != nil }
        for text in [
            "https://erp.example/journal", "https://10.0.0.7:8443/j?shop=1", "http://127.0.0.1:9/",
            "http://localhost/x",
            "http://[::1]:80/", "HTTPS://ERP.example/",
        ] { #expect(isUsable(text), "\(text)") }
        for text in [
            "", "erp.example/journal", "http://erp.example/", "http://127.0.0.1.example/",
            "ftp://erp.example/",
            "https://", "https://user:secret@erp.example/", "https://erp.example/#x",
            "https://169.254.169.254/",
            "https://[fe80::1]/", "https://erp.example/a b", "https://erp.example/\n",
            "https://erp.example/" + String(repeating: "x", count: 2_048), "file:///etc/passwd",
            "http://10.0.0.7/",
        ] { #expect(!isUsable(text), "\(text)") }
    }
}
