import HubCore
import HubProtocol
import Retail

@testable import Terminal

extension Parser {
    /// JSON and CSV, and what is made of them.
    static let documents = [
        Parser(
            "json", seeds: [#"{"a":[1,-2.5e3,"\u00e9\ud83d\ude00",true,null],"b":{}}"#, "[[[[]]]]", "1e300"],
            check: json),
        Parser("mutation", seeds: [mutation, batch]) { bytes in
            guard let document = try? JSONParser.parse(bytes) else { return nil }
            _ = try? MutationBatchAnswer(json: document)
            guard let mutation = try? Mutation(json: document) else { return nil }
            return mutation.computedHash.utf8.count == 64 ? nil : "a hash has 64 characters"
        },
        Parser("changes", seeds: [changes]) { bytes in
            guard let document = try? JSONParser.parse(bytes),
                let page = try? ChangePage(json: document)
            else { return nil }
            for change in page.changes { _ = change.value.flatMap { try? ProductRecord(json: $0) } }
            return nil
        },
        Parser(
            "sale-request",
            seeds: [#"{"lines":[{"barcode":"1","quantityMilli":1500}],"payments":[{"method":"cash"}]}"#]
        ) { bytes in
            if let document = try? JSONParser.parse(bytes) { _ = try? SaleRequest(json: document) }
            return nil
        },
        Parser("csv", seeds: ["sku,name\r\n1,\"a \"\"b\"\"\r\nc\"\n2,é\n"]) { bytes in
            var reader = CSVReader(bytes)
            var rows = 0
            while let record = try? reader.next() {
                rows += 1
                if record.fields.isEmpty { return "a record has a field" }
            }
            return rows <= bytes.count ? nil : "more records than bytes"
        },
    ]

    /// What is read is written and read the same, and the canonical form is a fixed point.
    @Sendable private static func json(_ bytes: [UInt8]) -> String? {
        guard let document = try? JSONParser.parse(bytes) else { return nil }
        let canonical = document.canonicalBytes
        guard let again = try? JSONParser.parse(canonical) else { return "the canonical form is no JSON" }
        guard again == document else { return "the canonical form reads otherwise" }
        return again.canonicalBytes == canonical ? nil : "the canonical form is no fixed point"
    }

    static let mutation = #"""
        {"attachments":[],"clientGeneratedAt":"2026-11-21T04:05:06.789Z","dependsOn":[],"entity":"order",
        "entityId":"01KAH3Z0000000000000000001","hash":"00","id":"01KAH3Z0000000000000000002",
        "payload":{"total":125,"lines":[{"sku":"a","total":125}]},"previousHash":"00","schema":1,"sequence":1,
        "type":"order.completed"}
        """#
    private static let batch = #"""
        {"results":[{"id":"a","outcome":"applied"}],"acknowledgedThrough":1,"missing":[2]}
        """#
    private static let changes = #"""
        {"changes":[{"entity":"product","entityId":"a","version":1,"deleted":false,"hlc":"0-0","origin":null,
        "value":{"sku":"a","barcode":"1","name":"Milk","department":"food","priceMinor":129,"currency":"EUR",
        "taxBasisPoints":700,"unit":"each","stockMilli":null}}],"cursor":"c","hasMore":false}
        """#
}
