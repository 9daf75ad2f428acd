import Foundation
import HubCore
import HubProtocol
import TestKit
import Testing

@testable import HubServer

/// Backups of a hub that works, and the hub that is made of one.
@Suite("Backup and restore")
struct StoreBackupTests {
    private func configuration(_ folder: TemporaryFolder) -> HubConfiguration {
        HubConfiguration(store: .sqlite(path: folder.path("hub.sqlite")))
    }

    private func issuer(_ till: TillOverHTTP, _ hub: HubInProcess) async throws -> String? {
        try await hub.request("GET", Routes.qosDecisions, headers: till.headers).json()["issuer"]?.string
    }

    /// The files of a store are the order database with its companions; the others stay.
    private func loseStore(_ folder: TemporaryFolder) throws {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: folder.path("hub.sqlite" + suffix))
        }
    }

    @Test("A restored hub has every sale, token and person, and other cursors, decisions' issuer and codes")
    func restored() async throws {
        let hub = try await HubInProcess()
        var till = try await hub.enrol()
        let sale = till.sale()
        #expect(try await till.push(sale, on: hub).status == 201)
        let open = try await hub.enrolmentCode()
        let page = try await hub.request("GET", Routes.changes, headers: till.headers).json()
        let cursor = try #require(page["cursor"]?.string)
        let integrator = try await hub.operatorHeaders("integrator")
        let journal = try await hub.request("GET", Routes.journal, headers: integrator).json()
        #expect(journal["documents"]?.array?.count == 1)
        let before = try await hub.audit()
        let oldIssuer = try await issuer(till, hub)
        let file = hub.folder.path("hub.backup")
        let written = try StoreBackup.write(configuration(hub.folder), to: file)
        #expect(written["terminals"] == 1 && written["entries"] == 1)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let left = try FileManager.default.contentsOfDirectory(atPath: hub.folder.url.path)
            .filter { $0.hasPrefix("hub.backup") }
        #expect(left == ["hub.backup"])
        // The hub works on meanwhile.
        #expect(try await till.push(till.sale(), on: hub).status == 201)

        let folder = try TemporaryFolder()
        let response = try await StoreBackup.restore(file, to: configuration(folder))
        #expect(response["entries"] == 1 && response["next"]?.array?.isEmpty == false)
        let again = try await HubInProcess(in: folder, clock: hub.clock)
        #expect(try await again.audit() == before)
        // The token is known by the keys, the sale by its id.
        #expect(try await till.push(sale, on: again).status == 200)
        let stale = try await again.request(
            "GET", Routes.changes + "?cursor=\(cursor)", headers: till.headers)
        #expect(stale.status == 410)
        let after = "?after=\(try #require(journal["cursor"]?.string))"
        let expired = try await again.request("GET", Routes.journal + after, headers: integrator)
        #expect(try expired.status == 410 && expired.json()["sameThrough"] == 1)
        let life = try #require(try expired.json()["journal"]?.string)
        let goneOn = try await again.request("GET", Routes.journal + "?after=\(life).1", headers: integrator)
        #expect(try goneOn.json()["documents"] == [])
        #expect(try await issuer(till, again) != oldIssuer)
        let refused = try await again.enrol(code: open)
        #expect(refused.status == 401 || refused.status == 403 || refused.status == 404, "\(refused.text)")
    }

    @Test("Keys and revocations since the backup stay, and the hub's terminals with them")
    func newerFiles() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("hub.backup")
        var rotated = ""
        var (till, stolen): (TillOverHTTP?, TillOverHTTP?)
        do {
            let hub = try await HubInProcess(in: folder)
            till = try await hub.enrol()
            stolen = try await hub.enrol()
            _ = try StoreBackup.write(configuration(folder), to: file)
            let keys = try await hub.perform(.rotateKeys([.sealing], overlap: 86_400_000))
            rotated = try #require(keys["keys"]?.array?.first?["id"]?.string)
            try await hub.perform(.revokeTerminal(id: try #require(stolen).grant.terminalId))
        }
        try loseStore(folder)
        _ = try await StoreBackup.restore(file, to: configuration(folder))
        let hub = try await HubInProcess(in: folder)
        let ids = try await hub.perform(.listKeys)["keys"]?.array?.compactMap { $0["id"]?.string } ?? []
        #expect(ids.contains(rotated) && Set(ids).count == ids.count)
        func status(_ till: TillOverHTTP?) async throws -> Int {
            try await hub.request("GET", Routes.changes, headers: try #require(till).headers).status
        }
        #expect(try await status(till) == 200)
        #expect(try await status(stolen) == 401)
        let terminals = try await hub.perform(.listTerminals)["terminals"]?.array ?? []
        #expect(terminals.filter { $0["revokedAt"]?.string != nil }.count == 1)
    }

    @Test("A store with rows, of a running hub, or beside another hub's keys is left as it is")
    func refused() async throws {
        let hub = try await HubInProcess()
        _ = try await hub.enrol()
        let file = hub.folder.path("hub.backup")
        _ = try StoreBackup.write(configuration(hub.folder), to: file)
        await #expect(throws: HubStartError.storeOwned(path: hub.folder.path("hub.sqlite"))) {
            try await StoreBackup.restore(file, to: configuration(hub.folder))
        }
        let full = try TemporaryFolder()
        do { _ = try await HubInProcess(in: full).enrol() }
        let path = full.path("hub.sqlite")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        await #expect(throws: StoreBackupError.notEmpty(path: path)) {
            try await StoreBackup.restore(file, to: configuration(full))
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        try loseStore(full)
        await #expect(throws: StoreBackupError.foreignKeys(path: path + "-key")) {
            try await StoreBackup.restore(file, to: configuration(full))
        }
        // A hub that has only started once is empty, and its own keys give way.
        let fresh = try TemporaryFolder()
        do { _ = try await HubInProcess(in: fresh) }
        _ = try await StoreBackup.restore(file, to: configuration(fresh))
        let restored = try await HubInProcess(in: fresh)
        #expect(try await restored.perform(.listTerminals)["terminals"]?.array?.count == 1)
        #expect(try await restored.perform(.listKeys) == hub.perform(.listKeys))
    }
}
