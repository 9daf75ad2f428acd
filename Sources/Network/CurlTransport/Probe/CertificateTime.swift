internal import Base

/// Reads the times of certificates as libcurl writes them: `Nov 23 03:04:05 2027 GMT` by OpenSSL's own words,
/// `2027-11-23 03:04:05 GMT` since libcurl 8.
enum CertificateTime {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Unix milliseconds; nil for another text.
    static func milliseconds(_ text: String) -> Int64? {
        let words = text.split(separator: " ").map(String.init)
        if words.count == 3, words[2] == "GMT" {
            return Timestamp.milliseconds(of: "\(words[0])T\(words[1]).000Z")
        }
        guard words.count == 5, words[4] == "GMT", let month = months.firstIndex(of: words[0]),
            let day = Int(words[1])
        else { return nil }
        let date = "\(words[3])-\(padded(month + 1))-\(padded(day))"
        return Timestamp.milliseconds(of: "\(date)T\(words[2]).000Z")
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
