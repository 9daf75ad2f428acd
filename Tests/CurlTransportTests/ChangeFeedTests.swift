import Base
import HubProtocol
import OfflineCore
import OfflineMode
import TestKit
import Testing

@testable import CurlTransport

@Suite("The change feed through libcurl", .timeLimit(.minutes(2)))
struct ChangeFeedTests {
    private static func row(_ id: String, value: String, after: String = "") -> String {
        #"{"changes":[{"deleted":false,"deletedAt":null,"entity":"member","entityId":"\#(id)","hlc":"1-1","#
            + #""origin":{"mutationId":"m","cursor":"no"},"value":\#(value),"version":1\#(after)}],"#
            + #""cursor":"c2","hasMore":true}"#
    }

    private static let large = "\"" + String(repeating: "x", count: 5 << 20) + "\""

    @Test("a page that is too large or unreadable is reported as such, and the row after it is found")
    func unfit() async throws {
        let deep = String(repeating: "[", count: 62) + String(repeating: "]", count: 62)
        for value in [Self.large, deep, "{\"a\":1,\"a\":2}", "\"\\ud800\""] {
            let bench = try HubBench()
            bench.server.on("/v1/changes", .json(200, Self.row("p1", value: value)))
            let response = try await bench.client.changes(cursor: nil, limit: 1)
            #expect(response == (value == Self.large ? .tooLarge : .unreadable), "\(value.prefix(9))")
            let passed = try await bench.client.changeBehind(cursor: nil)
            #expect(passed.entity == "member")
            #expect(passed.entityId == "p1")
            #expect(passed.page == ChangePage(changes: [], cursor: "c2", hasMore: true))
        }
    }

    @Test("a refusal, a page of another server and a truncated response are no evidence about the rows")
    func others() async throws {
        let row = Self.row("p1", value: "{}")
        for response in [
            ScriptedResponse.problem(410, code: "cursor_expired"), .json(503, "{}"), .close, .loginPage,
            .cut(200, row, after: 150), .reset,
        ] {
            let bench = try HubBench()
            bench.server.on("/v1/changes", response)
            await #expect(throws: HubCallError.self) {
                _ = try await bench.client.changes(cursor: "c", limit: 2)
            }
        }
        let slow = try HubBench(requestTimeout: .milliseconds(300))
        let bytes = ScriptedResponse.bytes(200, type: "application/json", headers: [:], body: row)
        slow.server.on("/v1/changes", ScriptedResponse([.send(Array(bytes.prefix(150))), .stall]))
        #expect(try await slow.client.changes(cursor: nil, limit: 1) == .tooSlow)
    }

    @Test(
        "the outline leaves out what is nested in a row's members and what cannot be read, and keeps the rest exactly",
        arguments: [
            (
                #"{"changes":[{"value":{"cursor":"x","deep":[[{}]]},"version":1}],"cursor":"c"}"#,
                #"{"changes":[{"value":{},"version":1}],"cursor":"c"}"#
            ),
            (
                #"{"changes":[{"origin":[1,"a"],"entityId":"q\"]}\\"}],"cursor":"c"}"#,
                #"{"changes":[{"origin":[],"entityId":"q\"]}\\"}],"cursor":"c"}"#
            ),
            (
                #"{"changes":[{"entityId":"\ud83d\ude00","value":"\ud800"}],"cursor":"\ud800"}"#,
                #"{"changes":[{"entityId":"\ud83d\ude00","value":""}],"cursor":"\ud800"}"#
            ),
            (
                #"{"changes":[],"cursor":"\u0063","hasMore":false}"#,
                #"{"changes":[],"cursor":"\u0063","hasMore":false}"#
            ),
        ])
    func outline(document: String, kept: String) {
        for step in [1, 3, 1000] {
            let outline = Self.outline(of: Array(document.utf8), step: step)
            #expect(outline.map { String(decoding: $0, as: UTF8.self) } == kept)
        }
    }

    /// Nil when it was refused.
    private static func outline(of bytes: [UInt8], step: Int = 4096) -> [UInt8]? {
        var outline = ChangeOutline()
        for start in stride(from: 0, to: bytes.count, by: step) {
            let isTaken = bytes[start..<min(start + step, bytes.count)].withUnsafeBytes { outline.take($0) }
            guard isTaken else { return nil }
        }
        return outline.bytes
    }

    @Test("a text at the limit is kept, one past it is left out; more than 64 KiB is refused")
    func limits() {
        for (count, kept) in [(2048, 2048), (2049, 0)] {
            let text = String(repeating: "é", count: count / 2) + String(repeating: "x", count: count % 2)
            #expect(Self.outline(of: Array("{\"a\":\"\(text)\"}".utf8))?.count == 8 + kept)
        }
        let spaces = [UInt8](repeating: 0x20, count: ChangeOutline.maximumBytes)
        #expect(Self.outline(of: spaces) == spaces)
        #expect(Self.outline(of: spaces + [0x20]) == nil)
    }

    @Test(
        "a response without a cursor is refused", arguments: ["{}", #"{"changes":[],"cursor":""}"#, "[]"])
    func noCursor(body: String) async throws {
        let bench = try HubBench()
        bench.server.on("/v1/changes", .json(200, body))
        await #expect(throws: HubCallError.self) { try await bench.client.changeBehind(cursor: "c") }
    }

    @Test(
        "an epoch that no hub can keep is no fork",
        arguments: [(Int64(2_147_483_648), true), (Int64(2_147_483_649), false)])
    func epochs(epoch: Int64, isFork: Bool) async throws {
        let bench = try HubBench()
        bench.server.on(
            "/v1/mutations",
            .problem(
                409, code: "journal_forked", members: #""epoch":\#(epoch),"head":{"sequence":1,"hash":"a"}"#))
        let item = OutboxItem(
            id: "01JAAAAAAAAAAAAAAAAAAAAAAA", sequence: 1, orderingKey: "l", type: "order.completed",
            body: Array("{}".utf8), isHeld: false)
        let outcome = await CurlMutationUplink(client: bench.client).push(
            [item], at: .waiting(from: 1))
        guard case .journalForked = outcome else { return #expect(!isFork) }
        #expect(isFork)
    }
}
