internal import Base

/// Times and amounts as the pages write them.
struct Wording: Sendable {
    let texts: any DashboardTexts
    /// Milliseconds since 1970.
    let now: Int64

    init(texts: any DashboardTexts, now: Int64) {
        self.texts = texts
        self.now = now
    }

    init(language: Language, now: Int64) { self.init(texts: language.dashboardTexts, now: now) }

    /// `3 min ago`.
    func ago(_ moment: Int64) -> String {
        let age = max(0, now - moment)
        return age < 5_000 ? texts.frame(.justNow) : texts.ago(span(age))
    }

    /// From a moment to now.
    func age(since moment: Int64) -> String { span(max(0, now - moment)) }

    /// The two largest units at most: `2 h 5 min`.
    func span(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1000
        let units = TimeUnit.allCases
        let first = units.firstIndex { seconds >= $0.rawValue } ?? units.count - 1
        var parts: [String] = []
        var rest = seconds
        for unit in units[first...].prefix(first < 2 ? 2 : 1) {
            let count = rest / unit.rawValue
            if count > 0 || seconds == 0 { parts.append("\(count) \(texts.unit(unit))") }
            rest %= unit.rawValue
        }
        return parts.joined(separator: " ")
    }

    /// With thin spaces between thousands.
    func number(_ value: Int64) -> String {
        let digits = Array(String(value.magnitude))
        let groups = stride(from: digits.count, to: 0, by: -3).reversed().map { end in
            String(digits[max(0, end - 3)..<end])
        }
        return (value < 0 ? "−" : "") + groups.joined(separator: "\u{202F}")
    }

    func number(_ value: Int) -> String { number(Int64(value)) }

    func source(_ source: String) -> String { texts.word(source, texts.source) }

    func cause(_ cause: String) -> String { texts.word(cause, texts.cause) }

    func role(_ role: String) -> String { texts.word(role, texts.role) }
}
