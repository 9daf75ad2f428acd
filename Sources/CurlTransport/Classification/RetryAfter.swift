internal import HubProtocol

/// Reads `Retry-After` (RFC 9110, section 10.2.3): whole seconds or a date.
public enum RetryAfter {
    /// What a header may ask for at most. A longer wish is cut to it, so that one absurd answer cannot
    /// silence a terminal for days.
    public static let longest: Duration = .seconds(3600)

    /// How long to wait; nil when the value is neither a number nor a date. Never negative.
    ///
    /// - Parameter wallMilliseconds: Unix time of the answer, of the sender's clock where it is known.
    public static func duration(of value: String, wallMilliseconds: Int64) -> Duration? {
        let text = Substring(value).trimmed
        if !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
            guard let seconds = Int64(text) else { return longest }
            return min(longest, .seconds(seconds))
        }
        guard let date = HTTPDate.milliseconds(of: text) else { return nil }
        let (wait, overflowed) = date.subtractingReportingOverflow(wallMilliseconds)
        return overflowed ? nil : max(.zero, min(longest, .milliseconds(wait)))
    }
}

/// The preferred form of a date in HTTP, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Milliseconds since 1970; nil for any other form.
    static func milliseconds(of text: String) -> Int64? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT",
            let month = months.firstIndex(of: String(parts[2])),
            let day = number(parts[1], digits: 2), let year = number(parts[3], digits: 4)
        else { return nil }
        let time = parts[4].split(separator: ":")
        guard time.count == 3, let hour = number(time[0], digits: 2), let minute = number(time[1], digits: 2),
            let second = number(time[2], digits: 2), hour < 24, minute < 60, second <= 60,
            let days = CivilDate(year: year, month: Int64(month) + 1, day: day).daysSince1970
        else { return nil }
        return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000
    }

    private static func number(_ text: Substring, digits: Int) -> Int64? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
            return nil
        }
        return Int64(text)
    }
}

extension HTTPResponse {
    /// The wait that the answer asks for. A date is held against the sender's own clock where it tells it,
    /// since a till's clock may be wrong by hours.
    func retryAfter(wallMilliseconds: Int64) -> Duration? {
        guard let value = header("Retry-After") else { return nil }
        let sendersClock = header("Date").flatMap(HTTPDate.milliseconds(of:))
        return RetryAfter.duration(of: value, wallMilliseconds: sendersClock ?? wallMilliseconds)
    }
}
