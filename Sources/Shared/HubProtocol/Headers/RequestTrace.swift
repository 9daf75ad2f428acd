package import Base

/// What a request is called in the logs of both ends: `Pos-Request` names one attempt, `traceparent`
/// (W3C Trace Context, level 1) what it belongs to.
///
/// The trace of a journal entry is its id: a ULID has the 128 bits of a trace id. So the trace begins where
/// the sale does, nothing more is stored for it, and every later attempt to send the entry belongs to it.
package struct RequestTrace: Hashable, Sendable {
    /// The value of `Pos-Request`.
    package let request: String
    /// 32 hexadecimal digits.
    package let trace: String
    /// 16 hexadecimal digits.
    package let span: String

    /// The trace of a request that sends `entry` first; of one that sends none, its own.
    package init(request: ULID, entry: ULID?) {
        self.request = request.description
        trace = Self.trace(of: entry ?? request)
        // A span of zeros is none.
        span = Self.digits(max(1, request.low))
    }

    /// The trace of a journal entry.
    package static func trace(of entry: ULID) -> String { digits(entry.high) + digits(entry.low) }

    /// The value of `traceparent`. The flag says that the trace is recorded: both logs have it.
    package var parent: String { "00-\(trace)-\(span)-01" }

    /// The trace id of a `traceparent`; nil for a malformed one.
    package static func trace(ofParent header: String) -> String? {
        let parts = header.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, isHexadecimal(parts[0], 2), parts[0] != "ff",
            parts[0] != "00" || parts.count == 4, isHexadecimal(parts[1], 32),
            isHexadecimal(parts[2], 16), isHexadecimal(parts[3], 2),
            !parts[1].allSatisfy({ $0 == "0" }), !parts[2].allSatisfy({ $0 == "0" })
        else { return nil }
        return String(parts[1])
    }

    /// Whether a `Pos-Request` can stand in a log: 1 to 64 ASCII letters, digits, hyphens, dots or
    /// underscores.
    package static func isRequest(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
                case _: false
                }
            }
    }

    private static func digits(_ value: UInt64) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    private static func isHexadecimal(_ text: Substring, _ count: Int) -> Bool {
        text.utf8.count == count
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
