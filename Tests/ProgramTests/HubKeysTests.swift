import Base
import Crypto
import Foundation
import HubProtocol
import TestKit
import Testing

@Suite("The hub's keys", .onStage)
struct HubKeysTests {
    private func hub(_ kind: HubStoreKind, _ arguments: [String] = []) throws -> HubUnderTest {
        let folder = try TemporaryFolder()
        return try HubUnderTest(arguments, in: folder, store: try kind.place(in: folder))
    }

    private func isSigned(_ signature: String, _ bytes: [UInt8], _ publicKey: String) -> Bool {
        guard let raw = Data(base64Encoded: publicKey), let signature = Data(base64Encoded: signature),
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: raw)
        else { return false }
        return key.isValidSignature(signature, for: bytes)
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test(
        "Enrolment and renewal name the keys; after a rotation the pinned key vouches for the new ones",
        arguments: HubStoreKind.all)
    func rotation(_ kind: HubStoreKind) throws {
        let hub = try hub(kind)
        var till = try SigningTill(on: hub)
        let pinned = try #require(till.grant.hubKeys)
        #expect(pinned.signing.count == 1)
        #expect(pinned.sealing.count == 1)
        let first = till.token
        let rotated = try hub.json("key", "rotate")["keys"]?.array ?? []
        #expect(rotated.count == 4)
        let client = try hub.client()
        #expect(try till.status(on: client) == 200)
        var after = pinned
        // Another process of a database reads them within three seconds.
        try until(10) {
            let response = try till.renew(on: client)
            #expect(response.status == 200)
            let offer = try #require(try HubKeyList(ofResponse: response.json()))
            after = after.trusting(offer, isSigned: isSigned)
            return after.signing.count == 2
        }
        #expect(after.signing.count == 2)
        #expect(after.sealing.count == 2)
        // The old token counts through the overlap, at a restarted hub too.
        try hub.killAndRestart()
        let again = try hub.client()
        #expect(try till.status(on: again) == 200)
        till.token = first
        #expect(try till.status(on: again) == 200)
        let keys = try hub.json("key", "list")["keys"]?.array ?? []
        #expect(keys.count == 8)
        #expect(keys.allSatisfy { $0["privateKey"] == nil })
    }

    @Test(
        "Without an overlap the tokens of before end at once, and the device's key gets a new one",
        arguments: HubStoreKind.all)
    func hardRotation(_ kind: HubStoreKind) throws {
        let hub = try hub(kind)
        var till = try SigningTill(on: hub)
        let client = try hub.client()
        _ = try hub.json("key", "rotate", "--kind", "token", "--overlap", "0")
        // Another process of a database reads it within three seconds.
        try until(10) { try till.status(on: client) == 401 }
        #expect(try till.renew(on: client).status == 200)
        #expect(try till.status(on: client) == 200)
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

    @Test("A rotation while terminals renew refuses none of them", arguments: HubStoreKind.all)
    func rotationUnderWork(_ kind: HubStoreKind) async throws {
        let folder = try TemporaryFolder()
        let store = try kind.place(in: folder)
        let hub = try HubUnderTest(in: folder, store: store)
        let other = kind == .sqlite ? hub : try HubUnderTest(in: folder, store: store)
        let tills = try (0..<4).map { _ in try SigningTill(on: hub) }
        let urls = [hub.url, other.url]
        let refused = try await withThrowingTaskGroup(of: [Int].self) { group in
            for (number, till) in tills.enumerated() {
                group.addTask {
                    var till = till
                    var statuses: [Int] = []
                    for round in 0..<40 {
                        let client = try LoopbackClient(url: urls[(number + round) % 2], timeout: 20)
                        statuses.append(try till.renew(on: client).status)
                        let next = try LoopbackClient(url: urls[(number + round + 1) % 2], timeout: 20)
                        statuses.append(try till.status(on: next))
                    }
                    return statuses.filter { $0 != 200 }
                }
            }
            for _ in 0..<3 { _ = try hub.json("key", "rotate") }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(refused == [])
    }

    @Test("A hub whose key file is lost or foreign does not start beside its terminals, and names the remedy")
    func lost() throws {
        let folder = try TemporaryFolder()
        let hub = try HubUnderTest(in: folder)
        var till = try SigningTill(on: hub)
        let file = folder.path("hub.sqlite-key")
        #expect(try mode(file) == 0o600)
        let backup = folder.path("backup.json")
        #expect(try hub.run("key", "export", "all", "--output", backup).exitCode == 0)
        #expect(try mode(backup) == 0o600)
        #expect(try hub.run("key", "export", "all", "--output", backup).exitCode == 3)
        hub.stop()
        let kept = try Data(contentsOf: URL(fileURLWithPath: file))
        try FileManager.default.removeItem(atPath: file)
        let without = try hub.run("serve")
        #expect(without.exitCode == 3)
        #expect(without.errors.joined().contains("pos-hub key import"))
        // Another hub's file.
        let foreign = try HubUnderTest()
        foreign.stop()
        try FileManager.default.copyItem(atPath: foreign.folder.path("hub.sqlite-key"), toPath: file)
        #expect(try hub.run("serve").exitCode == 3)
        // One way out: the export, beside whatever lies there.
        #expect(try hub.run("key", "import", backup).exitCode == 0)
        let healed = try HubUnderTest(in: folder)
        #expect(try till.status(on: try healed.client()) == 200)
        healed.stop()
        // The other: new keys; the device's own key gets a token.
        try FileManager.default.removeItem(atPath: file)
        #expect(try hub.run("key", "rotate", "--lost").exitCode == 0)
        let renewed = try HubUnderTest(in: folder)
        #expect(try till.status(on: try renewed.client()) == 401)
        #expect(try till.renew(on: try renewed.client()).status == 200)
        renewed.stop()
        // What was there is taken as it is.
        try kept.write(to: URL(fileURLWithPath: file))
        #expect(try hub.run("serve").exitCode == 3)
    }

    @Test("A damaged key file is refused, and stays as it is")
    func damaged() throws {
        let folder = try TemporaryFolder()
        let hub = try HubUnderTest(in: folder)
        hub.stop()
        let file = folder.path("hub.sqlite-key")
        for text in ["{}", "short", #"{"keys":[{"id":"token-1","kind":"token"}]}"#] {
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            let end = try hub.run("serve")
            #expect(end.exitCode == 3)
            #expect(end.errors.count == 1)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
        }
    }

    @Test(
        "A process for the QoS role alone has no private key, and does not start before the lists are there"
    )
    func publicHalves() throws {
        let folder = try TemporaryFolder()
        let early = try ProgramUnderTest.run(
            "pos-hub",
            ["serve", "--roles", "qos", "--listen", "127.0.0.1:0", "--store", HubUnderTest.store(in: folder)])
        #expect(early.exitCode == 3)
        #expect(early.errors.joined().contains("sync"))
        let sync = try HubUnderTest(["--roles", "sync"], in: folder)
        var till = try SigningTill(on: sync)
        sync.stop()
        // Neither is the private file needed, nor is anything private in the public one.
        let file = folder.path("hub.sqlite-key")
        let kept = folder.path("elsewhere")
        try FileManager.default.moveItem(atPath: file, toPath: kept)
        let qos = try HubUnderTest(["--roles", "qos"], in: folder)
        #expect(
            try qos.client().request("GET", Routes.qosDecisions, headers: till.headers).status == 200)
        let text = try String(contentsOfFile: folder.path("hub.sqlite-public-keys"), encoding: .utf8)
        #expect(!text.contains("privateKey"))
        qos.stop()
        try FileManager.default.removeItem(atPath: folder.path("hub.sqlite-revoked"))
        let late = try qos.run("serve", "--roles", "qos")
        #expect(late.exitCode == 3)
        #expect(late.errors.joined().contains("hub.sqlite-revoked"))
        try FileManager.default.moveItem(atPath: kept, toPath: file)
        // A rotation reaches a running QoS process before any token is signed with the new key.
        let again = try HubUnderTest(["--roles", "sync"], in: folder)
        let beside = try HubUnderTest(["--roles", "qos"], in: folder)
        _ = try again.json("key", "rotate", "--kind", "token")
        let before = till.token.split(separator: ".").dropLast().last
        try until(30) {
            try till.renew(on: try again.client())
            let response = try beside.client().request("GET", Routes.qosDecisions, headers: till.headers)
            #expect(response.status == 200)
            return till.token.split(separator: ".").dropLast().last != before
        }
    }

    @Test(
        "Keys in a folder leave the database, and its processes share them",
        .enabled(if: PostgresServer.isAvailable, "\(PostgresServer.obstacle ?? "")"))
    func folder() throws {
        let folder = try TemporaryFolder()
        let store = try HubStoreKind.postgresql.place(in: folder)
        let plain = try HubUnderTest(in: folder, store: store)
        let till = try SigningTill(on: plain)
        plain.stop()
        let keys = folder.path("keys")
        let hub = try HubUnderTest(["--keys", keys], in: folder, store: store)
        #expect(try mode(keys + "/hub-keys.json") == 0o600)
        #expect(try till.status(on: try hub.client()) == 200)
        let rows = try PostgresServer.shared.get().sql("SELECT key, value FROM meta", on: store)
        #expect(!rows.contains("privateKey"))
        let second = try HubUnderTest(["--keys", keys], in: folder, store: store)
        #expect(try till.status(on: try second.client()) == 200)
        // A process without the folder in its configuration makes no other keys.
        let stray = try plain.run("serve")
        #expect(stray.exitCode == 3)
        #expect(stray.errors.joined().contains("the database"))
        let ids = try hub.run("key", "rotate", "--keys", keys)
        #expect(ids.exitCode == 0)
        try until(10) { try till.status(on: try second.client()) == 200 }
    }
}
