import Foundation
import HubProtocol
import TestKit
import Testing

/// A hub whose store is put back to what it was before some terminals were enrolled.
@Suite("A restored hub", .onStage)
struct RestoredHubTests {
    /// A hub with one terminal, and what to put back later.
    private final class Stage {
        let folder: TemporaryFolder
        let kind: HubStoreKind
        let place: String
        private(set) var hub: HubUnderTest
        let old: SigningTill

        init(_ kind: HubStoreKind) throws {
            folder = try TemporaryFolder()
            self.kind = kind
            place = try kind.place(in: folder)
            hub = try HubUnderTest(in: folder, store: place)
            old = try SigningTill(on: hub)
        }

        /// Puts the store back to when it knew the first terminal alone; the keys and the list of revoked
        /// terminals stay.
        func restore() throws {
            hub.stop()
            let statements = [
                "DELETE FROM terminals WHERE id <> '\(old.grant.terminalId)'",
                "UPDATE terminals SET revoked_at = NULL", "UPDATE terminal_numbers SET highest = 1",
                "DELETE FROM enrolment_codes",
            ]
            for statement in statements {
                switch kind {
                case .sqlite: try Command.run(["sqlite3", folder.path("hub.sqlite"), statement])
                case .postgresql: try PostgresServer.shared.get().sql(statement, on: place)
                }
            }
            hub = try HubUnderTest(in: folder, store: place)
        }

        func terminal(_ till: SigningTill) throws -> JSONValue? {
            try hub.json("terminals", "list")["terminals"]?.array?.first {
                $0["terminalId"]?.string == till.grant.terminalId
            }
        }
    }

    private func until(_ seconds: Double, _ condition: () throws -> Bool) throws {
        let limit = Date(timeIntervalSinceNow: seconds)
        while try !condition() {
            guard Date() < limit else {
                Issue.record("not within \(seconds) s")
                return
            }
            usleep(50_000)
        }
    }

    private func entities(_ till: SigningTill, on client: LoopbackClient) throws -> [String] {
        let response = try client.request("GET", Routes.changes, headers: till.headers)
        try #require(response.status == 200, "\(response.text)")
        return try response.json()["changes"]?.array?.compactMap { $0["entity"]?.string } ?? []
    }

    @Test(
        "A terminal enrolled after the backup is unknown, comes back unconfirmed, and goes on once confirmed",
        arguments: HubStoreKind.all)
    func comesBack(_ kind: HubStoreKind) throws {
        let stage = try Stage(kind)
        var till = try SigningTill(on: stage.hub)
        #expect(till.grant.terminalNumber == 2)
        try stage.restore()
        let products = stage.folder.path("products.csv")
        try Article.csv(Array(Article.assortment.prefix(2))).write(
            toFile: products, atomically: true, encoding: .utf8)
        let members = stage.folder.path("members.csv")
        try "id,phone,name\nM1,123,Li\n".write(toFile: members, atomically: true, encoding: .utf8)
        _ = try stage.hub.json("import", "products", products)
        _ = try stage.hub.json("import", "members", members)
        let client = try stage.hub.client()
        let refused = try client.request("GET", Routes.changes, headers: till.headers)
        #expect(refused.status == 401)
        #expect(refused.problemCode == "terminal_unknown")
        #expect(try till.renew(on: client).problemCode == "terminal_unknown")
        #expect(try stage.terminal(till) == nil)

        let response = try till.comeBack(on: client)
        #expect(response.status == 200, "\(response.text)")
        #expect(try response.json()["terminalNumber"] == 2)
        #expect(try stage.terminal(till)?["state"] == "unconfirmed")
        #expect(Set(try entities(till, on: client)) == ["product"])
        let lookUp = try client.request("GET", Routes.members + "?phone=123", headers: till.headers)
        #expect(lookUp.status == 403)
        #expect(lookUp.problemCode == "terminal_unconfirmed")
        for path in [Routes.sessions, Routes.promotionEvaluation] {
            #expect(try client.request("POST", path, headers: till.headers, body: "{}").status == 403)
        }
        var journal = TillOverHTTP(till.grant)
        let sale = journal.sale()
        let key = [HeaderNames.idempotencyKey: "\"\(sale.id)\""]
        let pushed = try client.request(
            "POST", Routes.mutation, headers: till.headers.merging(key) { $1 }, body: sale.json.canonicalText)
        #expect(pushed.status == 201, "\(pushed.text)")

        // What was paused is sent after the confirmation: the cursor of before starts again.
        let page = try client.request("GET", Routes.changes, headers: till.headers).json()
        let cursor = try #require(page["cursor"]?.string)
        #expect(try stage.hub.json("terminals", "confirm", till.grant.terminalId)["state"] == "confirmed")
        // Other processes of a database read it within three seconds.
        try until(10) {
            let after = try client.request("GET", Routes.changes + "?cursor=\(cursor)", headers: till.headers)
            return after.status == 410
        }
        #expect(Set(try entities(till, on: client)) == ["product", "member"])
        #expect(try client.request("GET", Routes.members + "?phone=123", headers: till.headers).status == 200)
        #expect(try till.renew(on: client).status == 200)
        #expect(try stage.hub.run("terminals", "confirm", "nobody").exitCode == 4)
        #expect(try stage.hub.json("terminals", "revoke", till.grant.terminalId)["state"] == "revoked")
        #expect(try till.renew(on: client).problemCode == "terminal_revoked")
    }

    @Test(
        "A number that was given to another meanwhile is replaced, and none is given twice",
        arguments: HubStoreKind.all)
    func numbers(_ kind: HubStoreKind) throws {
        let stage = try Stage(kind)
        var second = try SigningTill(on: stage.hub)
        var fifth = try (0..<3).map { _ in try SigningTill(on: stage.hub) }[2]
        #expect(fifth.grant.terminalNumber == 5)
        try stage.restore()
        let client = try stage.hub.client()
        #expect(try fifth.comeBack(on: client).json()["terminalNumber"] == 5)
        #expect(try SigningTill(on: stage.hub).grant.terminalNumber == 6)
        try stage.restore()
        let again = try stage.hub.client()
        #expect(try SigningTill(on: stage.hub).grant.terminalNumber == 2)
        #expect(try second.comeBack(on: again).json()["terminalNumber"] == 3)
        // A lost response: the number is sent again.
        #expect(try second.renew(on: again).json()["terminalNumber"] == 3)
    }

    @Test(
        "No terminal comes back with the key of another, a forged token, or after a revocation that the backup lacks",
        arguments: [HubStoreKind.sqlite])
    func refused(_ kind: HubStoreKind) throws {
        let stage = try Stage(kind)
        var till = try SigningTill(on: stage.hub)
        var stolen = try SigningTill(on: stage.hub)
        _ = try stage.hub.json("terminals", "revoke", stolen.grant.terminalId)
        _ = try stage.hub.json("terminals", "revoke", stage.old.grant.terminalId)
        try stage.restore()
        let client = try stage.hub.client()
        #expect(try stolen.comeBack(on: client).problemCode == "terminal_revoked")
        // The backup knew this one as welcome.
        #expect(try stage.old.status(on: client) == 401)
        #expect(try stage.terminal(stage.old)?["state"] == "revoked")
        let thief = try SigningTill(on: stage.hub)
        let body = ReadmissionRequest(token: till.token, publicKey: thief.publicKey, name: "t").json
            .canonicalText
        let queried = try client.request(
            "POST", Routes.tokenRenewal,
            headers: try thief.boundRenewal(
                at: SigningTill.now(), body: body, terminal: till.grant.terminalId),
            body: body)
        #expect(queried.problemCode == "token_invalid")
        let good = till.token
        till.token = String(good.dropLast(4)) + "AAAA"
        #expect(try till.comeBack(on: client).problemCode == "token_invalid")
        till.token = good
        let request = try till.boundRenewal(at: SigningTill.now(), body: "{}")
        #expect(
            try client.request("POST", Routes.tokenRenewal, headers: request, body: "{}").problemCode
                == "malformed_request")
        #expect(try till.comeBack(on: client).status == 200)
    }

    @Test(
        "A real terminal comes back by itself, keeps its outbox, and sells on under the number it is given",
        arguments: HubStoreKind.all)
    func realTerminal(_ kind: HubStoreKind) throws {
        let folder = try TemporaryFolder()
        let store = try kind.place(in: folder)
        let shop = try ShopUnderTest(store: store)
        let first = try shop.document("sell", "--line", Article.assortment[0].barcode)
        #expect(first["orderNumber"]?.string?.hasPrefix("S1-1-") == true)
        shop.killHub()
        let statements = [
            "DELETE FROM terminals", "DELETE FROM terminal_numbers", "DELETE FROM enrolment_codes",
            "DELETE FROM mutations", "DELETE FROM journal", "DELETE FROM epochs", "DELETE FROM orders",
        ]
        for statement in statements {
            switch kind {
            case .sqlite: try Command.run(["sqlite3", folder.path("hub.sqlite"), statement])
            case .postgresql: try PostgresServer.shared.get().sql(statement, on: store)
            }
        }
        let offline = try shop.document("sell", "--line", Article.assortment[1].barcode)
        #expect(offline["sync"]?.string == "pending")
        try shop.startHub()
        // Another terminal got its number meanwhile.
        _ = try shop.scriptedTill()
        try shop.startAgent()
        try shop.waitUntilDrained(within: 30)
        let terminals = try shop.posHub("terminals", "list")["terminals"]?.array ?? []
        let back = try #require(terminals.first { $0["state"] == "unconfirmed" })
        #expect(back["terminalNumber"] == 2)
        #expect(back["name"] == "till under test")
        let sale = try shop.document("sell", "--line", Article.assortment[0].barcode)
        #expect(sale["orderNumber"]?.string?.hasPrefix("S1-2-") == true)
        #expect(sale["sync"]?.string == "acknowledged")
        // Nothing that the hub lost is missing.
        let id = try #require(back["terminalId"]?.string)
        let audit = HubAudit(try #require(shop.posHub("audit", "--terminal", id)["terminals"]?.array?.first))
        #expect(audit.orders == 3)
        #expect(audit.isComplete)
    }
}
