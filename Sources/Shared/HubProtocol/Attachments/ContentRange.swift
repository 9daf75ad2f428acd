/// The header `Content-Range` of an upload (RFC 9110, section 14.4).
package enum ContentRange: Hashable, Sendable {
    /// `bytes a-b/total`: the body holds the bytes from a to b.
    case part(ClosedRange<Int64>, total: Int64)
    /// `bytes */total`: requests the position to go on from.
    case query(total: Int64)

    /// Reads a header; nil for anything else, for a total of 0 and for a part beyond its total.
    package init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let halves = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, let total = Self.number(halves[1]), total > 0 else { return nil }
        if halves[0] == "*" {
            self = .query(total: total)
            return
        }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            first <= last, last < total
        else { return nil }
        self = .part(first...last, total: total)
    }

    /// The header's value, for example `bytes 0-1048575/5000000`; ``init(_:)`` reads it back.
    package var text: String {
        switch self {
        case .part(let range, let total): "bytes \(range.lowerBound)-\(range.upperBound)/\(total)"
        case .query(let total): "bytes */\(total)"
        }
    }

    /// Digits alone: no sign, nothing beyond 2⁵³.
    fileprivate static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int64(text),
            value <= 1 << 53
        else { return nil }
        return value
    }
}

/// The header `Range` of a `308`: how many bytes the hub has, from the first one on.
package enum ReceivedRange {
    /// `bytes=0-b` for b + 1 bytes; nil, no header, for none.
    package static func text(received: Int64) -> String? {
        received > 0 ? "bytes=0-\(received - 1)" : nil
    }

    /// How many bytes the hub has; 0 for a missing header, nil for a malformed one.
    package static func received(_ text: String?) -> Int64? {
        guard let text else { return 0 }
        guard text.hasPrefix("bytes=0-"), let last = ContentRange.number(text.dropFirst(8)) else {
            return nil
        }
        return last + 1
    }
}
