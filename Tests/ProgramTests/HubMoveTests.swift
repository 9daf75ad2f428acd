import Foundation
import HubProtocol
import TestKit
import Testing

/// The hub's name gets another address while tills work.
@Suite("A hub that moves", .onStage, .enabled(if: PrivateRoots.isPossible, PrivateRoots.need))
struct HubMoveTests {
    @Test("The name is resolved again after a failure, and the sale of the move drains at the new address")
    func moves() throws {
        let shop = try ShopUnderTest(unstarted: .hurried)
        shop.hubHost = "127.0.0.2"
        try shop.startHub()
        try shop.importCatalogue(Article.assortment)
        _ = try shop.initialiseTill()
        // Written in place below: a mount shows the file, not its name.
        let hosts = shop.folder.path("hosts")
        try "127.0.0.1 localhost\n127.0.0.2 hub.test\n".write(
            toFile: hosts, atomically: false, encoding: .utf8)
        shop.tillWrapper = [
            "unshare", "-m", "--propagation", "private", "/bin/sh", "-c",
            "mount --bind '\(hosts)' /etc/hosts && exec \"$0\" \"$@\"",
        ]
        let name = "http://hub.test:\(shop.hubPort)"
        try shop.startAgent(with: ["POS_HUB_URL": name, "POS_HUB_ALLOW_INSECURE": "true"])
        try shop.waitUntilReachable()
        let sales = try shop.openSales()
        #expect(try sales.sell(SaleRequests.piece())["sync"] == "acknowledged")
        shop.killHub()
        shop.hubHost = "127.0.0.3"
        try shop.startHub()
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: hosts))
        try handle.write(contentsOf: Data("127.0.0.1 localhost\n127.0.0.3 hub.test\n".utf8))
        try handle.close()
        #expect(try sales.sell(SaleRequests.piece())["orderId"] != nil)
        // libcurl keeps an address for 60 s; a terminal that went on with it would need longer than this.
        try shop.waitUntilDrained(within: 40)
        #expect(sales.close() == 0)
        #expect(try shop.audit().orders == 2)
    }
}
