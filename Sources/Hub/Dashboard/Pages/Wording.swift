internal import Base
internal import Pricing

/// Times and amounts as the pages write them.
struct Wording: Sendable {
    let texts: any DashboardTexts
    /// Milliseconds since 1970.
    let now: Int64
    /// Of every time of the page.
    let zone: PageZone
    let stores: StoreDirectory

    init(
        texts: any DashboardTexts, now: Int64, zone: PageZone = .utc,
        stores: StoreDirectory = StoreDirectory()
    ) {
        self.texts = texts
        self.now = now
        self.zone = zone
        self.stores = stores
    }

    init(language: Language, now: Int64) { self.init(texts: language.dashboardTexts, now: now) }

    /// `2026-11-25 18:12`, in the page's zone.
    func clock(_ moment: Int64) -> String { zone.clock(moment) }

    /// A store's id with its name.
    func store(_ id: String) -> String { stores.title(of: id) }

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
        (value < 0 ? "−" : "") + Self.grouped(String(value.magnitude))
    }

    private static func grouped(_ digits: some StringProtocol) -> String {
        let digits = Array(digits)
        let groups = stride(from: digits.count, to: 0, by: -3).reversed().map { end in
            String(digits[max(0, end - 3)..<end])
        }
        return groups.joined(separator: separator)
    }

    /// A thin space that ends no line.
    static let separator = "\u{202F}"

    /// An amount in minor units, with the decimals of its currency: `1 234.50`.
    func amount(_ amount: Int64, _ currency: String) -> String {
        let text = AmountText.text(amount, currency: currency)
        let sign = text.hasPrefix("-") ? "-" : ""
        let whole = text.dropFirst(sign.count).prefix { $0 != "." }
        return sign + Self.grouped(whole) + text.dropFirst(sign.count + whole.count)
    }

    /// With its currency behind it: `1 234.50 CNY`.
    func money(_ amount: Int64, _ currency: String) -> String {
        self.amount(amount, currency) + " " + currency
    }

    func number(_ value: Int) -> String { number(Int64(value)) }

    func source(_ source: String) -> String { texts.word(source, texts.source) }

    func cause(_ cause: String) -> String { texts.word(cause, texts.cause) }

    /// Each cause with what is known of it behind it: `network (names are not found)`.
    func causes(_ causes: OutageCauses) -> String {
        causes.names.map { name in
            let detail =
                switch PageWord.Cause(rawValue: name) {
                case .network: causes.network.map(texts.fault) ?? ""
                case .service:
                    causes.services.isEmpty && causes.network == .hubDark
                        ? texts.fault(.hubDark)
                        : Set(causes.services).sorted().map(texts.name(ofService:)).joined(separator: ", ")
                case .manual: causes.reason ?? ""
                case .silent, nil: ""
                }
            return cause(name) + (detail.isEmpty ? "" : " (\(detail))")
        }.joined(separator: ", ")
    }

    func role(_ role: String) -> String { texts.word(role, texts.role) }
}
