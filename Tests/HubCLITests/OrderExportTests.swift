import Foundation
import HubProtocol
import TestKit
import Testing

@testable import HubCLI

/// Our schema of what is used of POSLog.
enum POSLogSchema {
    static let isCheckable = FileManager.default.isExecutableFile(atPath: "/usr/bin/xmllint")

    /// Fails for a file that does not fit.
    static func check(_ file: String) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let schema = root.appendingPathComponent("docs/reference/poslog.xsd").path
        try Command.run(["xmllint", "--noout", "--schema", schema, file])
    }
}

@Suite("Exports and lists of the back office")
struct OrderExportTests {
    /// With what XML and CSV have to escape, and an amount of a currency without decimals; then a refund.
    private static let orders: [JSONValue] = [
        entry("CNY", "Tea & \"milk\", <hot>\u{1}"), entry("JPY", "cup"), entry("CNY", "cup", type: "refund"),
    ]

    private static func entry(_ currency: String, _ name: String, type: String = "order") -> JSONValue {
        let sign: Int64 = type == "order" ? 1 : -1
        return [
            "orderId": "o", "orderNumber": "S1-1-20261122-0001", "mutationId": "m", "storeId": "S1",
            "terminalId": "t", "businessDay": "2026-11-22", "receivedAt": "2026-11-22T12:54:53.549Z",
            "soldAt": "2026-11-22T09:00:00.000Z", "type": .string(type),
            "state": "completed", "currency": .string(currency), "total": .integer(sign * 1250),
            "discounts": 0, "tax": .integer(sign * 103), "refunded": 0, "cashierId": nil,
            "document": [
                "lines": [
                    [
                        "sku": "tea", "barcode": "1", "name": .string(name), "quantityMilli": 1500,
                        "unitPrice": 1000, "discount": 250, "total": 1250, "taxBasisPoints": 900,
                        "tax": 103,
                    ],
                    [
                        "sku": "bag", "quantityMilli": 1000, "unitPrice": 0, "total": 0, "taxBasisPoints": 0,
                    ],
                ],
                "payments": [
                    ["method": "gift", "kind": "voucher", "amount": 250],
                    ["method": "cash", "kind": "cash", "amount": 2000],
                ],
                "taxes": [["basisPoints": 900, "gross": 1250, "tax": 103]],
                "change": 1001, "cashRounding": -1, "total": 1250, "tax": 103,
            ],
        ]
    }

    private func document(_ format: OrderFormat, _ orders: [JSONValue]) -> String {
        format.head
            + orders.enumerated().map {
                format.text(of: ExportedEntry($0.element), isFirst: $0.offset == 0)
            }.joined()
            + format.tail(count: orders.count)
    }

    @Test(
        "What tenders have, less change and rounding, is the total of each entry, in POSLog and in the payments"
    )
    func tenders() throws {
        for order in Self.orders {
            let rows = OrderFormat.paymentRows(of: ExportedEntry(order)).split(separator: "\r\n")
            let numbers = rows.map { $0.split(separator: ",").suffix(3).compactMap { Int64($0) } }
            #expect(numbers.reduce(0) { $0 + $1[0] - $1[1] - $1[2] } == order["total"]?.integer)
            let text = document(.poslog, [order])
            func amounts(_ before: String) -> Decimal {
                text.split(separator: before).dropFirst()
                    .compactMap { Decimal(string: String($0.prefix { $0 != "<" })) }.reduce(0, +)
            }
            let paid = amounts("</TenderID><Amount>") - amounts("<TenderChange><Amount>")
            let rounding = amounts("TotalType=\"TransactionRoundingAmount\">")
            #expect(paid - rounding == amounts("TotalType=\"TransactionGrandAmount\">"))
        }
    }

    @Test("Of an entry whose amounts differ every format has its total alone, once")
    func differing() throws {
        for (place, order) in Self.orders.enumerated() {
            var (members, document) = (order.object ?? [:], order["document"]?.object ?? [:])
            document["change"] = 0
            members["document"] = .object(document)
            let entry = ExportedEntry(.object(members))
            let total = order["total"]?.integer ?? 0
            let type = order["type"]?.string ?? ""
            #expect(OrderFormat.paymentRows(of: entry) == "o,\(type),,,\(total),0,0\r\n", "\(place)")
            let rows = OrderFormat.csv.text(of: entry, isFirst: true).split(separator: "\r\n")
            #expect(rows.count == 1 && rows[0].contains(",,,,,,,\(total),0,m,\(type),"), "\(rows)")
            let text = OrderFormat.poslog.text(of: entry, isFirst: true)
            #expect(text.split(separator: "<LineItem>").count == 3, "\(text)")
            #expect(text.contains("<Tender><TenderID></TenderID><Amount>"))
        }
    }

    @Test("CSV has a row for each line, quoted where it has to be")
    func csv() {
        let rows = document(.csv, Self.orders).split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(rows.count == 8)
        #expect(rows[0].hasPrefix("order_id,order_number,store_id,terminal_id,"))
        #expect(
            rows[1].contains(
                ",\"Tea & \"\"milk\"\", <hot>\u{FFFD}\",1500,1000,250,1250,900,m,order,2026-11-22T09:00:00.000Z,103"
            ))
        #expect(rows[5].contains(",-1250,0,-103,0,tea,1,cup,-1500,1000,-250,-1250,900,m,refund,"))
        #expect(rows[7].isEmpty)
    }

    @Test(
        "A text that begins like a formula is a text in a spreadsheet, and no character acts on a screen",
        arguments: [
            ("=HYPERLINK(1)", "'=HYPERLINK(1)"), ("+1", "'+1"), ("-1", "'-1"), ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "' =1"), ("\r=1", "' =1"), ("tea=", "tea="), ("a\u{1B}[2J", "a\u{FFFD}[2J"),
            ("10\u{202E}99", "10\u{FFFD}99"), ("=1,2", "\"'=1,2\""),
        ])
    func formulas(name: String, cell: String) throws {
        let line: JSONValue = ["sku": "tea", "name": .string(name), "total": -5]
        let sale: JSONValue = [
            "lines": [line], "payments": [["method": "cash", "kind": "cash", "amount": -5]], "total": -5,
        ]
        let text = document(.csv, [["type": "order", "document": sale, "total": -7]])
        let row = try #require(text.split(separator: "\r\n").dropFirst().first)
        #expect(row.contains(",tea,,\(cell),"), "\(row)")
        // A number is a number, also a negative one.
        #expect(row.contains(",-7,") && row.contains(",-5,"), "\(row)")
    }

    @Test("JSON is one document that ends with its count")
    func json() throws {
        let json = try JSONParser.parse(document(.json, Self.orders).utf8)
        #expect(json["orders"]?.array == Self.orders)
        #expect(json["count"] == 3)
        #expect(try JSONParser.parse(document(.json, []).utf8)["count"] == 0)
    }

    @Test(
        "POSLog fits our schema, and half of it does not",
        .enabled(if: POSLogSchema.isCheckable, "xmllint is missing"))
    func poslog() throws {
        let folder = try TemporaryFolder()
        func check(_ text: String) throws {
            let file = folder.path("orders.xml")
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            try POSLogSchema.check(file)
        }
        let whole = document(.poslog, Self.orders)
        try check(whole)
        try check(document(.poslog, []))
        #expect(whole.contains("<ExtendedAmount>12.50</ExtendedAmount>"))
        #expect(whole.contains("<ExtendedAmount>1250</ExtendedAmount>"))
        #expect(whole.contains("<Description>Tea &amp; \"milk\", &lt;hot&gt;\u{FFFD}</Description>"))
        #expect(throws: (any Error).self) { try check(String(whole.dropLast(10))) }
        #expect(throws: (any Error).self) { try check(whole.replacing("<Quantity>1.5", with: "<Quantity>x")) }
    }

    @Test("An export has its name only when it is complete")
    func complete() async throws {
        let hub = try HubCommands()
        for format in OrderFormat.allCases {
            let file = hub.folder.path("orders.\(format)")
            try "before".write(toFile: file, atomically: true, encoding: .utf8)
            let end = await hub.run("orders", "export", "--format", "\(format)", "--output", file)
            #expect(end.exitCode == 0, "\(end.errors)")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == document(format, []))
        }
        let nowhere = await hub.run("orders", "export", "--format", "csv", "--output", "/nowhere/orders.csv")
        #expect(nowhere.exitCode == 3)
        let file = hub.folder.path("kept.csv")
        try "before".write(toFile: file, atomically: true, encoding: .utf8)
        let part = try CompleteFile(file)
        try part.append("half")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "before")
        part.discard()
        let names = try FileManager.default.contentsOfDirectory(atPath: hub.folder.path("."))
        #expect(!names.contains { $0.contains(".part-") })
    }

    @Test("Lists of an empty hub are empty; what is wrong on the command line is exit 2, what is not there 4")
    func commands() async throws {
        let hub = try HubCommands()
        #expect(try await hub.json("orders", "list") == ["orders": [], "cursor": nil])
        #expect(try await hub.json("sales", "--by", "tender") == ["rows": []])
        #expect(try await hub.json("alarms", "list") == ["alarms": [], "cursor": nil])
        #expect(try await hub.json("flags", "list") == ["flags": [], "cursor": nil])
        #expect(try await hub.json("refused", "list") == ["refused": [], "cursor": nil])
        #expect(try await hub.json("rebuild") == ["entries": 0])
        #expect(await hub.run("sales", "--by", "week").exitCode == 2)
        #expect(await hub.run("orders", "list", "--from", "22.11.2026").exitCode == 2)
        #expect(await hub.run("orders", "list", "--limit", "0").exitCode == 2)
        #expect(await hub.run("orders", "list", "--cursor", "x").exitCode == 4)
        #expect(await hub.run("orders", "show", "none").exitCode == 4)
        #expect(await hub.run("alarms", "acknowledge", "7", "--note", "seen").exitCode == 4)
        #expect(
            await hub.run("refused", "resolve", "none", "--keep", "server", "--reason", "x").exitCode == 4)
        #expect(await hub.run("refused", "resolve", "none", "--keep", "mine", "--reason", "x").exitCode == 2)
    }
}
