import Base
import HubProtocol
import Testing

@Suite("Names of a request in both logs")
struct RequestTraceTests {
    private let entry = ULID(high: 0x0123_4567_89AB_CDEF, low: 0x0000_0000_0000_00FF)

    @Test("The trace of an entry is the 128 bits of its id, and a traceparent has the form of W3C")
    func parent() {
        let trace = RequestTrace(request: ULID(high: 1, low: 0xAB), entry: entry)
        #expect(trace.trace == "0123456789abcdef00000000000000ff")
        #expect(trace.trace == RequestTrace.trace(of: entry))
        #expect(trace.parent == "00-0123456789abcdef00000000000000ff-00000000000000ab-01")
        #expect(RequestTrace.trace(ofParent: trace.parent) == trace.trace)
        #expect(trace.request == ULID(high: 1, low: 0xAB).description)
        #expect(RequestTrace.isRequest(trace.request))
        #expect(RequestTrace(request: ULID(high: 1, low: 0), entry: nil).span != "0000000000000000")
    }

    @Test(
        "A malformed traceparent names no trace",
        arguments: [
            "", "00", "00-0-0-01", "ff-0123456789abcdef00000000000000ff-00000000000000ab-01",
            "00-00000000000000000000000000000000-00000000000000ab-01",
            "00-0123456789abcdef00000000000000ff-0000000000000000-01",
            "00-0123456789ABCDEF00000000000000FF-00000000000000ab-01",
            "00-0123456789abcdef00000000000000ff-00000000000000ab-01-more",
            "00-0123456789abcdef00000000000000f\n-00000000000000ab-01",
        ])
    func malformed(_ header: String) {
        #expect(RequestTrace.trace(ofParent: header) == nil)
    }

    @Test("A later version may have more parts")
    func later() {
        let header = "01-0123456789abcdef00000000000000ff-00000000000000ab-01-more"
        #expect(RequestTrace.trace(ofParent: header) == "0123456789abcdef00000000000000ff")
    }

    @Test("What could break a log line is no name of a request")
    func names() {
        #expect(RequestTrace.isRequest("a-B_1.2"))
        for text in ["", "a b", "a\nb", "ä", String(repeating: "a", count: 65)] {
            #expect(!RequestTrace.isRequest(text), "\(text)")
        }
    }
}
