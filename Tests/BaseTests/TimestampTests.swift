import Base
import Testing

@Suite("Timestamp")
struct TimestampTests {
    @Test(
        "Known moments are written and read",
        arguments: [
            (Int64(0), "1970-01-01T00:00:00.000Z"), (951_782_400_123, "2000-02-29T00:00:00.123Z"),
            (1_795_233_906_789, "2026-11-21T04:05:06.789Z"), (-1, "1969-12-31T23:59:59.999Z"),
        ])
    func known(milliseconds: Int64, text: String) {
        #expect(Timestamp.text(milliseconds: milliseconds) == text)
        #expect(Timestamp.milliseconds(of: text) == milliseconds)
    }

    @Test("Offsets and fractions of RFC 3339 are read")
    func offsets() {
        #expect(Timestamp.milliseconds(of: "1970-01-01T01:00:00+01:00") == 0)
        #expect(Timestamp.milliseconds(of: "1970-01-01T00:00:00.1234567Z") == 123)
    }

    @Test(
        "What is no time is refused",
        arguments: ["", "2026-02-30T00:00:00Z", "2026-01-01", "2026-01-01T25:00:00Z"])
    func refusal(text: String) {
        #expect(Timestamp.milliseconds(of: text) == nil)
    }
}
