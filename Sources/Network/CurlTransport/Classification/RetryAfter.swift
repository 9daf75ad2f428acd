internal import CurlHTTP
internal import HubProtocol

/// Reads `Retry-After` (RFC 9110, section 10.2.3): whole seconds or a date.
package enum RetryAfter {
    /// The longest wait that is accepted. A longer one is cut to it (http.md section 3), so that one absurd
    /// response cannot silence a terminal for days. Half would ignore a hub's honest maintenance of an hour;
    /// double would hide a wrong header twice as long.
    package static let longest: Duration = .seconds(3600)

    /// How long to wait; nil when the value is neither a number nor a date. Never negative.
    ///
    /// - Parameter wallMilliseconds: Unix time of the response, by the sender's clock where the response has
    ///   a `Date`.
    package static func duration(of value: String, wallMilliseconds: Int64) -> Duration? {
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

extension HTTPResponse {
    /// The wait that the response requests. A date is compared with the sender's own clock where the response
    /// has a `Date`, since a terminal's clock may be wrong by hours.
    func retryAfter(wallMilliseconds: Int64) -> Duration? {
        guard let value = header("Retry-After") else { return nil }
        return RetryAfter.duration(of: value, wallMilliseconds: date ?? wallMilliseconds)
    }

    /// The sender's clock in Unix milliseconds, in whole seconds; nil without a readable `Date`.
    var date: Int64? { header("Date").flatMap(HTTPDate.milliseconds(of:)) }
}
