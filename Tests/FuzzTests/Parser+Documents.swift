import HubCore
import HubProtocol
import Retail

@testable import Agent

extension Parser {
    /// JSON and CSV, and what is made of them.
    static let documents = [
        Parser(
            "json", seeds: [#"{"a":[1,-2.5e3,"\u00e9\ud83d\ude00",true,null],"b":{}}"#, "[[[[]]]]", "1e300"],
            check: json),
        Parser("mutation", seeds: [mutation, batch]) { bytes in
            guard let document = try? JSONParser.parse(bytes) else { return nil }
            _ = try? MutationBatchResponse(json: document)
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
        Parser("attachment", seeds: [attachment]) { bytes in
            guard let document = try? JSONParser.parse(bytes) else { return nil }
            _ = try? UploadGrant(json: document)
            guard let info = try? AttachmentInfo(json: document) else { return nil }
            return (try? AttachmentInfo(json: info.json)) == info ? nil : "it is read back otherwise"
        },
        Parser("telemetry", seeds: [telemetry]) { bytes in
            guard let document = try? JSONParser.parse(bytes) else { return nil }
            let report = TelemetryReport(lenient: document)
            guard report.json.canonicalBytes.count < 32 << 10 else { return "more is kept than is bounded" }
            var record = TelemetryRecord(report, at: 0)
            record.take(report, at: 1)
            return TelemetryReport(lenient: report.json) == report ? nil : "it is read back otherwise"
        },
        Parser("journal-export", seeds: [export]) { bytes in
            guard let journal = try? JournalExport(bytes) else { return nil }
            return journal.entries.allSatisfy { $0.hash == $0.computedHash } ? nil : "a corrupt entry"
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
    private static let attachment = #"""
        {"id":"a","sha256":"\#(String(repeating: "0a", count: 32))","size":5,"contentType":"image/png",
        "urgent":true,"uploadUrl":"http://h/x","expiresAt":"","chunkSize":1}
        """#
    private static let telemetry = #"""
        {"appVersion":"1","osVersion":"Linux","outbox":{"pending":1,"oldestAgeMs":5,"rejected":0},
        "sync":{"attempts":3,"successes":2,"since":"a"},"connectivity":{"state":"online","isMetered":false},
        "conflicts":[{"endpoint":"/v1/mutations","category":"escalate","count":1}],
        "offlinePeriods":[{"start":"a","end":null,"causes":["network"]}]}
        """#
    private static let export = """
        {"format":"holdfast-journal","version":2,"terminalId":"t","storeId":"s","epoch":1,"exportedAt":""}
        {"attachment":\(attachment.split(separator: "\n").joined()),"at":0,"bytes":"AAAA"}
        {"end":true,"entries":0,"lastHash":"\(Mutation.genesisHash)","pieces":1}
        """
    private static let batch = #"""
        {"results":[{"id":"a","outcome":"applied"}],"acknowledgedThrough":1,"missing":[2]}
        """#
    private static let changes = #"""
        {"changes":[{"entity":"product","entityId":"a","version":1,"deleted":false,"hlc":"0-0","origin":null,
        "value":{"sku":"a","barcode":"1","name":"Milk","department":"food","priceMinor":129,"currency":"EUR",
        "taxBasisPoints":700,"unit":"each","stockMilli":null}}],"cursor":"c","hasMore":false}
        """#
}
