import HubCore
import HubProtocol
import Testing

@Suite("SchemaSupport")
struct SchemaSupportTests {
    private let retirement = SchemaSupport.Retirement(deprecatedAt: 0, sunsetAt: 366 * 86_400_000)

    @Test("Below the minimum is refused, a deprecated one is announced, the rest is accepted")
    func statuses() {
        let support = SchemaSupport(minimum: 2, retiring: [2: retirement])
        #expect(support.status(of: 1) == .refused)
        #expect(support.status(of: 2) == .retiring(retirement))
        #expect(support.status(of: 3) == .welcome)
        #expect(support.status(of: nil) == .welcome)
    }

    @Test("What this version was built for accepts every documented schema")
    func standard() {
        let support = SchemaSupport()
        for schema in 1...Schema.current { #expect(support.status(of: schema) != .refused) }
        #expect(support.status(of: 0) == .refused)
        for retirement in support.retiring.values { #expect(retirement.givesNotice) }
    }

    @Test("Twelve months lie between deprecation and sunset")
    func notice() {
        #expect(retirement.givesNotice)
        let short = SchemaSupport.Retirement(deprecatedAt: 1, sunsetAt: 365 * 86_400_000)
        #expect(!short.givesNotice)
        #expect(!SchemaSupport.Retirement(deprecatedAt: .max, sunsetAt: .min).givesNotice)
    }
}
