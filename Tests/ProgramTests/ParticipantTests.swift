import Foundation
import HubProtocol
import TestKit
import Testing

/// The modules that are notified before the terminal goes offline and after it is back.
@Suite("Participants", .onStage)
struct ParticipantTests {
    @Test("A pull ends when the terminal goes offline, which is no failure, and begins anew when it is back")
    func catalogue() throws {
        let shop = try ShopUnderTest(.front)
        try shop.startAgent()
        try shop.waitUntilReachable()
        try shop.waitUntilDrained()
        func pulls() -> Int { shop.front?.requests.count { $0.path == "/v1/changes" } ?? 0 }
        _ = try shop.document("offline", "on")
        shop.front?.reply { $0.path == "/v1/changes" ? .silence(seconds: 20) : .pass }
        let before = pulls()
        _ = try shop.document("offline", "off")
        try shop.waitUntil("a pull hangs", within: 20) { _ in pulls() > before }
        _ = try shop.document("offline", "on")
        let hung = pulls()
        shop.front?.reply { _ in .pass }
        #expect(try shop.status()["catalogue"]?["problem"]?.string == nil)
        _ = try shop.document("offline", "off")
        try shop.waitUntil("the next pull", within: 20) { _ in pulls() > hung }
        #expect(try shop.status()["catalogue"]?["problem"]?.string == nil)
    }
}
