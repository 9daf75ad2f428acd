import TestKit
import Testing

@testable import HubStorePostgres

/// What is written in the binary format, as a real server reads it.
@Suite("PostgresValue", .enabled(if: PostgresServer.isAvailable, "\(PostgresServer.obstacle ?? "")"))
struct PostgresValueTests {
    private let connection: PostgresConnection

    init() throws {
        connection = try PostgresConnection(url: PostgresServer.shared.get().freshSchema())
    }

    private func read(_ type: String, _ value: PostgresValue) throws -> String? {
        try connection.query("SELECT to_json($1::\(type))::text", [value]).first?.optionalText(0)
    }

    @Test("Single values, NULL and the empty text apart")
    func single() throws {
        #expect(try read("text", .text("茶 \"x\"")) == "\"茶 \\\"x\\\"\"")
        #expect(try read("text", .text("")) == "\"\"")
        #expect(try read("text", .null) == nil)
        #expect(try read("bigint", .integer(.min)) == "\(Int64.min)")
        #expect(try read("bytea", .bytes([0, 255])) == "\"\\\\x00ff\"")
        #expect(try read("bytea", .bytes([])) == "\"\\\\x\"")
    }

    @Test("Arrays keep order, NULLs, empty elements and their own emptiness")
    func arrays() throws {
        #expect(try read("text[]", .texts(["b", nil, "", "ä茶🍵"])) == "[\"b\",null,\"\",\"ä茶🍵\"]")
        #expect(try read("text[]", .texts([])) == "[]")
        let extremes = "[1,null,\(Int64.max),\(Int64.min)]"
        #expect(try read("bigint[]", .integers([1, nil, .max, .min])) == extremes)
        #expect(try read("bytea[]", .blobs([[1], nil, []])) == "[\"\\\\x01\",null,\"\\\\x\"]")
    }

    @Test("A zero byte goes as U+FFFD, wherever it stands, and leaves the elements after it complete")
    func zeroByte() throws {
        #expect(try read("text", .text("a\0")) == "\"a\u{FFFD}\"")
        #expect(try read("text[]", .texts(["\0a\0\0", "b"])) == "[\"\u{FFFD}a\u{FFFD}\u{FFFD}\",\"b\"]")
    }

    @Test("Of each element, an array can take one thing")
    func columns() throws {
        let rows = [(name: "x", count: Int64?.some(3)), (name: "y", count: nil)]
        #expect(try read("text[]", .texts(of: rows) { $0.name }) == "[\"x\",\"y\"]")
        #expect(try read("bigint[]", .integers(of: rows) { $0.count }) == "[3,null]")
    }

    @Test("A row is read by the names of its statement's columns, also when the statement runs again")
    func names() throws {
        for _ in 0..<2 {
            let row = try #require(
                try connection.query("SELECT 'a'::text AS first, 2::bigint AS second, NULL::text AS third")
                    .first)
            #expect(try row.text("first") == "a")
            #expect(try row.integer("second") == 2)
            #expect(try row.optionalText("third") == nil)
            #expect(throws: PostgresError.unexpected(column: "fourth")) { try row.optionalText("fourth") }
            #expect(throws: PostgresError.unexpected(column: "third")) { try row.text("third") }
        }
        // Another statement has columns of its own.
        #expect(try connection.query("SELECT 3::bigint AS first").first?.integer("first") == 3)
    }
}
