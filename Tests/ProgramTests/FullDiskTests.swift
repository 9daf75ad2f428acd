import Foundation
import Glibc
import HubProtocol
import TestKit
import Testing

/// A till whose disk fills up: nothing is half sold, and what was sold still leaves.
@Suite("A full disk", .onStage, .enabled(if: SmallDisk.isAvailable, SmallDisk.need))
struct FullDiskTests {
    @Test("A full disk sells nothing with 5, still drains, and sells again once there is room")
    func fullDisk() throws {
        let shop = try ShopUnderTest(unstarted: .hurried)
        let disk = try SmallDisk(at: shop.home)
        defer { disk.unmount() }
        try shop.startHub()
        try shop.importCatalogue(Article.assortment)
        try shop.initialiseTill()
        try shop.startAgent()
        _ = try shop.document("offline", "on")
        for _ in 0..<3 { _ = try shop.document("sell", "--line", Article.assortment[0].barcode) }

        try disk.fill()
        var refused = 0
        for _ in 0..<400 where refused == 0 {
            let end = try shop.pos("sell", "--line", Article.assortment[0].barcode, "--json")
            if end.exitCode == 0 { continue }
            #expect(end.exitCode == 5)
            #expect(end.errorCode == "disk_full")
            #expect(end.errors.count == 1)
            refused += 1
        }
        #expect(refused == 1)
        let sold = try shop.orders().count
        _ = try shop.document("offline", "off")
        try shop.waitUntilDrained(within: 30)
        #expect(try shop.audit().orders == Int64(sold))

        try disk.empty()
        #expect(try shop.document("sell", "--line", Article.assortment[0].barcode)["orderId"] != nil)
        try shop.waitUntilDrained()
        let audit = try shop.audit()
        #expect(audit.orders == Int64(sold + 1))
        #expect(audit.isComplete)
        shop.killAgent()
    }
}

/// A disk of 24 MiB in memory, mounted at the path that a test gives.
struct SmallDisk {
    static let need: Comment = "needs root that may mount a tmpfs"
    static let isAvailable: Bool = {
        guard geteuid() == 0, let folder = try? TemporaryFolder(),
            let disk = try? SmallDisk(at: folder.path("trial"))
        else { return false }
        disk.unmount()
        return true
    }()

    let path: String
    private var filler: String { path + "/filler" }

    init(at path: String) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Command.run(["mount", "-t", "tmpfs", "-o", "size=24m,mode=0700", "tmpfs", path])
    }

    /// Takes what is left, to the last page.
    func fill() throws {
        let descriptor = open(filler, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(.EIO) }
        defer { close(descriptor) }
        let page = [UInt8](repeating: 7, count: 4096)
        while write(descriptor, page, page.count) > 0 {}
    }

    func empty() throws {
        try FileManager.default.removeItem(atPath: filler)
    }

    func unmount() {
        _ = try? Command.run(["umount", "-l", path])
    }
}
