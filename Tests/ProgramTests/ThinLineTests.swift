import Foundation
import HubProtocol
import TestKit
import Testing

/// A line whose rate `tc` limits.
enum ThinLine {
    /// Whether the kernel and `tc` can make one.
    static let isPossible: Bool = {
        guard NetworkNamespace.isAvailable, let trial = try? NetworkNamespace("thin") else { return false }
        return (try? trial.run(thin(device: "lo"))) != nil
    }()

    /// The command that limits what leaves by `device` to 32 kbit/s, with room for all that waits.
    static func thin(device: String) -> [String] {
        ["tc", "qdisc", "add", "dev", device, "root"]
            + ["tbf", "rate", "32kbit", "burst", "1600", "limit", "200000"]
    }
}

@Suite(
    "A thin line, in namespaces", .onStage, .serialized,
    .enabled(if: ThinLine.isPossible, "namespaces, and `tc` with tbf, are needed for a thin line"))
struct ThinLineTests {
    @Test("An entry that needs longer than a request may take is sent, and the till stays online meanwhile")
    func large() throws {
        let lab = try NamespacedShop()
        try lab.till.connect("till0", "10.77.1.2/24", to: lab.hub, "hub0", "10.77.1.1/24")
        try lab.open(hubHost: "10.77.1.1")
        let shop = lab.shop
        _ = try shop.document("sell", "--line", Article.assortment[0].barcode)
        try shop.waitUntilDrained()
        try lab.till.run(ThinLine.thin(device: "till0"))
        let lines = (0..<300).flatMap { ["--line", Article.assortment[$0 % 2].barcode] }
        #expect(try shop.pos(["sell"] + lines).exitCode == 0)
        for _ in 0..<3 { _ = try shop.document("sell", "--line", Article.assortment[0].barcode) }
        try shop.waitUntilDrained(within: 120)
        #expect(try shop.document("history")["periods"]?.array == [])
        let audit = try shop.audit()
        #expect(audit.orders == 5)
        #expect(audit.isComplete)
    }
}
