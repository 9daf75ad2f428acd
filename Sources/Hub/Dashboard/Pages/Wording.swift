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
    /// By which a terminal is named as people name it; nil where nobody read it.
    let fleet: Fleet?

    init(
        texts: any DashboardTexts, now: Int64, zone: PageZone = .utc,
        stores: StoreDirectory = StoreDirectory(), fleet: Fleet? = nil
    ) {
        self.texts = texts
        self.now = now
        self.zone = zone
        self.stores = stores
        self.fleet = fleet
    }

    init(language: Language, now: Int64) { self.init(texts: language.dashboardTexts, now: now) }

    /// `2026-11-25 18:12`, in the page's zone.
    func clock(_ moment: Int64) -> String { zone.clock(moment) }

    /// A store's id with its name.
    func store(_ id: String) -> String { stores.title(of: id) }

    /// `S046-1`; an id of which the hub has no terminal as it is.
    func terminal(_ id: String) -> String { fleet?.terminal(id)?.place ?? id }

    /// Texts one behind the other.
    func list(_ texts: [String]) -> String { texts.joined(separator: self.texts.frame(.comma)) }

    /// A text with another one in brackets behind it; alone where that is empty.
    func text(_ text: String, aside: String) -> String {
        aside.isEmpty ? text : text + texts.frame(.opening) + aside + texts.frame(.closing)
    }

    /// A text with what it is about, or who wrote it, in front.
    func labelled(_ label: String, _ text: String) -> String { label + texts.frame(.colon) + text }

    /// A moment with how long ago it was.
    func moment(_ moment: Int64) -> String { list([clock(moment), ago(moment)]) }

    /// A detail of the hub with its moments as the page writes times.
    func localised(_ detail: String) -> String {
        detail.replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/) { match in
            Timestamp.milliseconds(of: String(match.output)).map(clock) ?? String(match.output)
        }
    }

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
        let named = causes.names.map { name in
            let detail =
                switch PageWord.Cause(rawValue: name) {
                case .network: causes.network.map(texts.fault) ?? ""
                case .service:
                    causes.services.isEmpty && causes.network == .hubDark
                        ? texts.fault(.hubDark)
                        : list(Set(causes.services).sorted().map(texts.name(ofService:)))
                case .manual: causes.reason ?? ""
                case .silent, nil: ""
                }
            return text(cause(name), aside: detail)
        }
        return list(named)
    }

    func role(_ role: String) -> String { texts.word(role, texts.role) }
}
