import Foundation
import GRDB
import Glibc
import HubProtocol
import TestKit
import Testing

/// Tills of one store see each other, and nobody else.
@Suite("Tills that see each other", .onStage)
struct SeeingTillsTests {
    private func turn(_ word: String, in shop: ShopUnderTest, store: String = "S1") throws {
        try shop.posHub("store-config", "set", "--store-id", store, "neighbours.enabled=\(word)")
    }

    private func shop() throws -> ShopUnderTest {
        let shop = try ShopUnderTest(unstarted: .hurried)
        try shop.startHub()
        try shop.importCatalogue(Article.assortment)
        return shop
    }

    /// The one other till in the picture.
    private func other(_ picture: JSONValue) -> JSONValue? {
        picture["neighbours"]?.array?.first { $0["state"]?.string != "unknown" }
    }

    /// Another till of the store, and how the first one sees it.
    private func second(
        beside one: SeeingTill, in shop: ShopUnderTest
    ) throws -> (till: SeeingTill, seen: JSONValue) {
        let two = try SeeingTill(shop, "two", greeting: [try one.address()])
        _ = try two.address()
        // Whoever was there first gets the new till's key with its next pull.
        _ = try one.document("sync", "now")
        return (two, try one.sees("the second till") { other($0) != nil })
    }

    @Test("Off, a till listens nowhere and makes no key, whatever its own file wants")
    func off() throws {
        let shop = try shop()
        shop.settings["POS_NEIGHBOURS_ENABLED"] = "on"
        let till = try SeeingTill(shop, "one")
        _ = try till.document("sync", "now")
        let picture = try till.document("neighbours")
        #expect(picture["enabled"]?.bool == false && picture["listening"]?.array == [])
        #expect(!FileManager.default.fileExists(atPath: till.home + "/neighbour.key"))
        #expect(try till.document("status")["neighbours"] == nil)
        #expect(try till.run("neighbours", "try", "127.0.0.1:9").exitCode == 1)
        // And the file of one till keeps it out of what its store wants.
        try turn("on", in: shop)
        shop.settings["POS_NEIGHBOURS_ENABLED"] = "off"
        let out = try SeeingTill(shop, "two")
        _ = try out.document("sync", "now")
        #expect(try out.document("neighbours")["enabled"]?.bool == false)
    }

    @Test("Two tills see each other, also what waits while the hub is away, and the store's word ends it")
    func both() throws {
        let shop = try shop()
        try turn("on", in: shop)
        let one = try SeeingTill(shop, "one")
        let address = try one.address()
        let two = try SeeingTill(shop, "two", greeting: [address])
        _ = try two.address()
        // Whoever was there first gets the new till's key with its next pull.
        _ = try one.document("sync", "now")
        let picture = try two.sees("the first till") { other($0)?["state"]?.string == "reachable" }
        #expect(other(picture)?["number"]?.integer == 1 && other(picture)?["address"]?.string == address)
        #expect(other(picture)?["mode"]?.string == "online" && other(picture)?["pending"]?.integer == 0)
        #expect((other(picture)?["clockOffMs"]?.integer ?? .max).magnitude < 2_000)
        try one.sees("the second till") { other($0)?["number"]?.integer == 2 }
        #expect(try one.document("status")["neighbours"] == ["reachable": 1, "silent": 0])
        let tried = try one.document("neighbours", "try", try two.address())
        #expect(
            tried["steps"]?.array == ["connect", "handshake", "key", "version"] && tried["failedAt"] == nil)
        let port = try FileManager.default.attributesOfItem(atPath: one.home + "/neighbour.key")
        #expect(port[.posixPermissions] as? Int == 0o600)

        shop.killHub()
        _ = try two.document("sell", "--line", Article.assortment[0].barcode)
        try one.sees("what waits at the second till", within: 30) { picture in
            other(picture)?["mode"]?.string == "offline" && other(picture)?["pending"]?.integer == 1
        }

        try shop.startHub()
        try turn("off", in: shop)
        try one.sees("the store's word", within: 30) { picture in
            if picture["enabled"]?.bool == true { _ = try? one.document("sync", "now") }
            return picture["enabled"]?.bool == false && picture["listening"]?.array == []
        }
    }

    @Test("A till of another store, a stranger and a till that was withdrawn end with the handshake")
    func strangers() throws {
        let shop = try shop()
        try turn("on", in: shop)
        try turn("on", in: shop, store: "S2")
        let one = try SeeingTill(shop, "one")
        let address = try one.address()
        let foreign = try SeeingTill(shop, "foreign", of: "S2")
        _ = try foreign.address()
        let tried = try foreign.document("neighbours", "try", address)
        #expect(tried["failedAt"]?.string == "key" && tried["reason"]?.string == "other_store")
        #expect(try foreign.run("neighbours", "try", address).exitCode == 4)
        let stranger = try Command.finish(
            ["openssl", "s_client", "-connect", address, "-tls1_3"])
        #expect(!stranger.output.contains("HTTP/1.1"))
        #expect(try foreign.run("neighbours", "try", "8.8.8.8").exitCode == 2)

        let (two, seen) = try second(beside: one, in: shop)
        try shop.posHub("terminals", "revoke", other(seen)?["terminalId"]?.string ?? "")
        _ = try one.document("sync", "now")
        let left = try one.sees("nobody") { $0["neighbours"]?.array == [] }
        let refused = left["refused"]?.integer ?? 0
        let withdrawn = try two.document("neighbours", "try", address)
        #expect(withdrawn["reason"]?.string == "not_taken", "\(withdrawn)")
        try one.sees("its attempt") { ($0["refused"]?.integer ?? 0) > refused }
    }

    @Test(
        "A certificate with the name of a till of the store is refused where that till did not sign its key"
    )
    func impostor() throws {
        let shop = try shop()
        try turn("on", in: shop)
        let one = try SeeingTill(shop, "one")
        let two = try second(beside: one, in: shop)
        // Of the second till itself, before its key had come.
        let before = two.seen["refused"]?.integer ?? 0
        let name = try #require(other(two.seen)?["terminalId"]?.string)
        let (key, certificate) = (shop.folder.path("impostor.key"), shop.folder.path("impostor.pem"))
        let proof = String(repeating: "5a", count: 64)
        _ = try Command.finish([
            "openssl", "req", "-x509", "-newkey", "ed25519", "-nodes", "-keyout", key, "-out", certificate,
            "-subj", "/CN=\(name)", "-addext", "2.25.226406290853107325948274413049813294106=DER:\(proof)",
        ])
        _ = try Command.finish([
            "openssl", "s_client", "-connect", try one.address(), "-tls1_3", "-cert", certificate, "-key",
            key,
        ])
        try one.sees("the refusal") { ($0["refused"]?.integer ?? 0) > before && other($0) != nil }
    }

    @Test("A till that runs from an old copy of its disk learns from another one that it was further")
    func oldDisk() throws {
        let shop = try shop()
        try turn("on", in: shop)
        let one = try SeeingTill(shop, "one")
        let (two, _) = try second(beside: one, in: shop)
        shop.killHub()
        two.kill()
        let copy = shop.folder.path("copy")
        try? FileManager.default.removeItem(atPath: two.home + "/agent.sock")
        try FileManager.default.copyItem(atPath: two.home, toPath: copy)
        try two.start()
        _ = try two.document("sell", "--line", Article.assortment[0].barcode)
        try one.sees("the sale of the second till", within: 40) { other($0)?["pending"]?.integer == 1 }
        two.kill()
        try FileManager.default.removeItem(atPath: two.home)
        try FileManager.default.moveItem(atPath: copy, toPath: two.home)
        try two.start()
        try two.sees("the witness", within: 40) { $0["behind"]?.bool == true }
        let checks = try two.document("doctor")["checks"]?.array ?? []
        #expect(checks.contains { $0["name"]?.string == "other tills' witness" && $0["ok"]?.bool == false })
        // It sells on.
        #expect(try two.document("sell", "--line", Article.assortment[0].barcode)["orderNumber"] != nil)
    }

    @Test("A cart that is parked at one till is seen at the other until it is gone, without the hub")
    func carts() throws {
        let shop = try shop()
        try turn("on", in: shop)
        let places = try SeeingTill.freePlaces(2)
        let one = try SeeingTill(shop, "one", greeting: places, listening: places[0])
        let two = try SeeingTill(shop, "two", greeting: places, listening: places[1])
        _ = try one.address()
        _ = try two.address()
        _ = try one.document("sync", "now")
        try one.sees("the second till") { other($0) != nil }
        shop.killHub()
        let tea = Article.assortment[0]
        let parked = try two.document("cart", "park", "--name", "red hat", "--line", tea.barcode)
        let id = try #require(parked["cartId"]?.string)
        let picture = try one.sees("the parked cart", within: 40) { other($0)?["carts"]?.array?.count == 1 }
        let cart = other(picture)?["carts"]?.array?.first
        #expect(cart?["id"]?.string == id && cart?["name"]?.string == "red hat")
        #expect(cart?["total"]?.integer == tea.price && cart?["count"]?.integer == 1)
        // It is there after a start, from this till's own disk.
        two.kill()
        one.kill()
        try one.start()
        try one.sees("the cart of a till that is away") { picture in
            picture["neighbours"]?.array?.contains { $0["carts"]?.array?.count == 1 } == true
        }
        try two.start()
        _ = try two.document("cart", "drop", id, "--reason", "the customer left")
        try one.sees("that it is gone", within: 60) { picture in
            picture["neighbours"]?.array?.allSatisfy { $0["carts"] == [] } == true
        }
    }

    @Test(
        "The hub passes on where a till listens, and another one finds it without a list",
        .enabled(if: NetworkNamespace.isAvailable, "\(NetworkNamespace.obstacle ?? "")"))
    func passedOn() throws {
        let network = try NetworkNamespace("tills")
        _ = try network.ip("link", "set", "lo", "up")
        for number in 1...2 { _ = try network.ip("address", "add", "10.217.70.\(number)/32", "dev", "lo") }
        let shop = try ShopUnderTest(unstarted: .hurried)
        shop.hubWrapper = network.argumentsToRun([])
        shop.tillWrapper = shop.hubWrapper
        try shop.startHub()
        try turn("on", in: shop)
        let one = try SeeingTill(shop, "one", listening: "10.217.70.1:7710")
        let two = try SeeingTill(shop, "two", listening: "10.217.70.2:7710")
        for till in [one, two, one, two] { _ = try till.address() }
        let picture = try two.sees("the first till") { other($0)?["state"]?.string == "reachable" }
        #expect(other(picture)?["number"]?.integer == 1 && other(picture)?["name"]?.string == "one")
    }

    @Test(
        "A till listens at private addresses of the shop's own interfaces alone, and follows them",
        .enabled(if: NetworkNamespace.isAvailable, "\(NetworkNamespace.obstacle ?? "")"))
    func interfaces() throws {
        let network = try SwitchedShop()
        try network.open()
        let place = try network.place()
        // A container's, a modem's, and one with a public address.
        for (name, address) in [
            ("docker0", "172.17.0.1/16"), ("wwan0", "10.9.0.2/24"), ("eth7", "198.51.100.7/24"),
        ] {
            try place.namespace.ip("link", "add", name, "type", "veth", "peer", "name", "far-" + name)
            try place.namespace.ip("link", "set", name, "addrgenmode", "none")
            try place.namespace.ip("address", "add", address, "dev", name)
            for end in [name, "far-" + name] { try place.namespace.ip("link", "set", end, "up") }
        }
        let till = try SeeingTill(
            network.shop, "till", listening: nil, behind: place.namespace.argumentsToRun([]))
        let own = "\(place.address):7710"
        #expect(try till.address() == own)
        func listens(_ places: String...) throws {
            try till.sees("\(places)", within: 30) { picture in
                Set((picture["listening"]?.array ?? []).compactMap(\.string)) == Set(places)
            }
        }
        try listens(own)
        try place.namespace.ip("address", "add", "192.168.44.7/24", "dev", "lan0")
        try listens(own, "192.168.44.7:7710")
        try place.namespace.ip("address", "delete", "192.168.44.7/24", "dev", "lan0")
        try listens(own)
    }

    @Test(
        "A connection ends when the hub passes on that its till listens somewhere else",
        .enabled(if: NetworkNamespace.isAvailable, "\(NetworkNamespace.obstacle ?? "")"))
    func moved() throws {
        let network = try SwitchedShop()
        let shop = network.shop
        try network.open()
        let (_, till) = try network.till()
        let played = try PlayedTill(shop, at: { try network.atHub($0) })
        let (before, after) = (try network.place(), try network.place())
        let (connected, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let listener = try NeighbourListener("\(before.address):7710", in: before.namespace) { guest in
            guard let wire = try? NeighbourWire(accepted: guest, as: played.identity) else { return }
            let hello = NeighbourWire.Message.bytes("HTTP/1.1 200 OK", played.hello().json.canonicalBytes)
            while (try? wire.next()) != nil, (try? wire.send(hello)) != nil { connected.signal() }
            // At the connection's end, and not after a silence.
            var byte: UInt8 = 0
            if recv(guest, &byte, 1, 0) == 0 { ended.signal() }
            withExtendedLifetime(wire) {}
        }
        defer { listener.stop() }
        _ = try till.address()
        try network.report(played, at: before.address)
        _ = try till.document("sync", "now")
        #expect(connected.wait(timeout: .now() + 20) == .success)
        #expect(ended.wait(timeout: .now()) == .timedOut)
        // A hub passes on one move in ten minutes: the first one was long ago.
        shop.killHub()
        try DatabaseQueue(path: shop.folder.path("hub.sqlite")).write {
            try $0.execute(
                sql: "UPDATE changes SET hlc = '1000000000000-000001' WHERE entity = 'terminalKey'")
        }
        try shop.startHub()
        try network.report(played, at: after.address)
        _ = try till.document("sync", "now")
        #expect(ended.wait(timeout: .now() + 20) == .success)
    }
}
