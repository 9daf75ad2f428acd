import HubProtocol
import Testing

@Suite("Dates in headers")
struct HTTPDateTests {
    @Test(
        "An HTTP date is written and read",
        arguments: [
            (784_111_777_000, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-1000, "Wed, 31 Dec 1969 23:59:59 GMT"), (1_827_532_799_000, "Mon, 29 Nov 2027 23:59:59 GMT"),
        ] as [(Int64, String)])
    func httpDate(milliseconds: Int64, text: String) {
        #expect(HTTPDate.text(milliseconds: milliseconds) == text)
        #expect(HTTPDate.milliseconds(of: text) == milliseconds)
    }

    @Test("A schema's notice goes through its headers and back; without a sunset there is none")
    func notice() {
        let notice = SchemaNotice(deprecatedAt: 1_700_000_000_000, sunsetAt: 1_800_000_000_000)
        let headers = Dictionary(uniqueKeysWithValues: notice.headers.map { ($0.name, $0.value) })
        #expect(headers["Deprecation"] == "@1700000000")
        #expect(headers["Sunset"] == "Fri, 15 Jan 2027 08:00:00 GMT")
        #expect(SchemaNotice { headers[$0] } == notice)
        #expect(SchemaNotice { $0 == "Sunset" ? headers[$0] : "nonsense" }?.deprecatedAt == nil)
        #expect(SchemaNotice { $0 == "Sunset" ? "soon" : nil } == nil)
        #expect(SchemaNotice { _ in nil } == nil)
    }
}
