import Foundation
import HubProtocol
import TestKit
import Testing

@Suite(
    "The dashboard beside a database that goes away", .onStage,
    .enabled(if: PostgresServer.isAvailable, "\(PostgresServer.obstacle ?? "")"))
struct DashboardOutageTests {
    @Test("Pages say so, show what was there, and say nothing once it is back")
    func away() throws {
        let server = try PostgresServer()
        let hub = try HubUnderTest(store: server.freshSchema())
        let till = try hub.enrol(store: "S9")
        let token = try #require(try hub.json("operator", "add", "vic", "--role", "viewer")["token"]?.string)
        let headers = ["Authorization": "Bearer \(token)"]
        func page(_ path: String, until isThere: (LoopbackResponse) -> Bool) throws -> LoopbackResponse {
            let end = ContinuousClock.now + .seconds(60)
            while true {
                let page = try hub.client().request("GET", path, headers: headers)
                if isThere(page) || ContinuousClock.now > end { return page }
                usleep(100_000)
            }
        }
        let words = "database does not respond"
        let before = try page("/terminals") { $0.text.contains("S9-1") }
        #expect(before.text.contains("S9-1"))
        #expect(!before.text.contains(words))
        server.stop(crashing: true)
        for path in ["/", "/terminals", "/stores", "/services", "/terminals/\(till.grant.terminalId)"] {
            let page = try page(path) { $0.text.contains(words) }
            #expect(page.status == 200, "\(path)")
            #expect(page.text.contains(words), "\(path)")
        }
        #expect(try page("/terminals") { _ in true }.text.contains("S9-1"))
        try server.start()
        let after = try page("/") { !$0.text.contains(words) }
        #expect(after.status == 200)
        #expect(!after.text.contains(words))
    }
}
