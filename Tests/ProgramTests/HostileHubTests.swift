import Foundation
import HubProtocol
import TestKit
import Testing

/// Whatever responds in place of the hub, and however absurd its numbers: the till sells on.
@Suite("A till and a hostile hub", .onStage)
struct HostileHubTests {
    private static let json = ["Content-Type": "application/json"]
    private static let problem = ["Content-Type": "application/problem+json"]

    private static func fork(_ number: String) -> HubFront.Reply {
        .response(
            status: 409, headers: problem,
            body: #"{"type":"urn:pos:problem:journal_forked","title":"f","status":409,"detail":"","#
                + #""code":"journal_forked","epoch":2,"head":{"sequence":9,"hash":"ab","#
                + #""orderNumber":"\#(number)"}}"#)
    }

    @Test(
        "An absurd order number of a fork is not taken over: the till sells on with today's date, and reports it",
        arguments: ["S1-1-99991231-9223372036854775807", "S1-1-99991231-0001"])
    func absurdHead(number: String) throws {
        let shop = try ShopUnderTest(.front)
        let first = try shop.document("sell", "--line", Article.assortment[0].barcode)
        let day = try #require(first["orderNumber"]?.string?.split(separator: "-")[2])
        shop.front?.reply { $0.isPush ? Self.fork(number) : .pass }
        _ = try shop.document("sell", "--line", Article.assortment[0].barcode)
        _ = try shop.pos("sync", "now")
        try shop.startAgent()
        for _ in 0..<3 {
            let sale = try shop.document("sell", "--line", Article.assortment[0].barcode)
            #expect(sale["orderNumber"]?.string?.split(separator: "-")[2] == day)
        }
        #expect(try shop.status()["orderNumbers"]?["leap"]?["number"]?.string == number)
        #expect(try shop.doctorDetail(on: "order numbers")?.contains(number) == true)
        #expect(shop.agent?.errors.lines.contains { $0.contains("sales go on") } == true)
        shop.front?.reply { _ in .pass }
        #expect(try shop.document("sync", "now")["pending"] == 0)
        #expect(try shop.audit().orders == 5)
    }

    @Test("A row that is too large, or cannot be read, is passed over and named, and the feed goes on")
    func largeRow() throws {
        let shop = try ShopUnderTest(.front)
        let deep = String(repeating: "[", count: 63) + String(repeating: "]", count: 63)
        for value in ["\"" + String(repeating: "x", count: 5 << 20) + "\"", deep] {
            shop.front?.reply { request in
                guard request.path == "/v1/changes" else { return .pass }
                guard !request.target.contains("cursor=behind") else {
                    return .response(
                        status: 200, headers: Self.json,
                        body: #"{"changes":[],"cursor":"end","hasMore":false}"#)
                }
                return .response(
                    status: 200, headers: Self.json,
                    body: #"{"changes":[{"deleted":false,"entity":"member","entityId":"M-666","hlc":"1-1","#
                        + #""value":\#(value),"version":1}],"cursor":"behind","hasMore":true}"#)
            }
            let now = try shop.document("sync", "now")
            #expect(now["catalogue"]?["failed"] == false)
            #expect(now["catalogue"]?["skipped"]?.array?.map { $0["entityId"] } == ["M-666"])
            #expect(try shop.doctorDetail(on: "pull")?.contains("member M-666") == true)
            #expect(try shop.document("status")["catalogue"]?["ageMs"]?.integer ?? .max < 60_000)
        }
        #expect(shop.front?.requests.contains { $0.target.contains("cursor=behind") } == true)
    }

    @Test("A feed that stops, does not end or always starts again is left, reported and tried again later")
    func endlessFeed() throws {
        let shop = try ShopUnderTest(.front)
        let count = Counter()
        let feeds: [(String, Int, HubFront.Rule)] = [
            (
                "same cursor", 3,
                { _ in
                    .response(
                        status: 200, headers: Self.json,
                        body: #"{"changes":[],"cursor":"same","hasMore":true}"#)
                }
            ),
            (
                "same cursor", 3,
                { request in
                    let next = request.target.contains("cursor=even") ? "odd" : "even"
                    return .response(
                        status: 200, headers: Self.json,
                        body: #"{"changes":[],"cursor":"\#(next)","hasMore":true}"#)
                }
            ),
            (
                "do not end", 200,
                { _ in
                    .response(
                        status: 200, headers: Self.json,
                        body: #"{"changes":[],"cursor":"c\#(count.next())","hasMore":true}"#)
                }
            ),
            (
                "just given", 3,
                { request in
                    guard request.target.contains("cursor=") else {
                        return .response(
                            status: 200, headers: Self.json,
                            body: #"{"changes":[],"cursor":"c","hasMore":true}"#)
                    }
                    return .response(
                        status: 410, headers: Self.problem,
                        body: #"{"type":"urn:pos:problem:cursor_expired","title":"c","status":410,"#
                            + #""detail":"","code":"cursor_expired"}"#)
                }
            ),
        ]
        for (words, most, feed) in feeds {
            let before = shop.pulls
            shop.front?.reply { $0.path == "/v1/changes" ? feed($0) : .pass }
            let now = try shop.pos("sync", "now", "--json")
            #expect(now.exitCode == 75)
            #expect(now.errors.joined().contains(words), "\(now.errors)")
            // A command that is its own agent may pull at its start as well.
            #expect(shop.pulls - before <= 2 * most, "\(words)")
        }
        #expect(try shop.doctorDetail(on: "pull")?.contains("failed") == true)
        shop.front?.reply { _ in .pass }
        let catalogue = try shop.document("sync", "now")["catalogue"]
        #expect(catalogue?["failed"] == false)
        #expect(catalogue?["problem"] == nil)
        _ = try shop.document("sell", "--line", Article.assortment[0].barcode)
    }
}

private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var value = 0

    func next() -> Int {
        lock.withLock {
            value += 1
            return value
        }
    }
}

extension ShopUnderTest {
    /// Requests for changes so far.
    fileprivate var pulls: Int { front?.requests.count { $0.path == "/v1/changes" } ?? 0 }
}
