import HubProtocol
package import Pricing

/// Promotions. A column that does not belong to a promotion's kind is empty.
package struct PromotionFormat: ImportFormat {
    /// `id`: a file withdraws a promotion by it.
    package static let idColumn = "id"
    /// Of one store, or without it of all.
    package static let hasStores = true
    /// The header line's names; `kind` is `percent`, `amount`, `bundle` or `price`, and decides which others
    /// are needed.
    package static let columns = [
        "id", "name", "kind", "sku", "department", "percent_basis_points", "amount_minor",
        "min_quantity_milli", "starts_at", "ends_at", "offline", "min_amount_minor", "days", "from_time",
        "until_time", "member_tiers", "group", "exclusive",
    ]
    /// An absent `sku` or `department` means all; an absent `starts_at` or `ends_at` means no bound on that
    /// side, absent `days`, `from_time` or `member_tiers` any day, any time and any customer.
    package static let optionalColumns: Set = [
        "sku", "department", "percent_basis_points", "amount_minor", "min_quantity_milli", "starts_at",
        "ends_at", "offline", "min_amount_minor", "days", "from_time", "until_time", "member_tiers", "group",
        "exclusive",
    ]

    private var ids = UniqueColumn("id")

    /// A format for one file that has not been read yet.
    package init() {}

    /// Throws ``CSVError`` for an id that an earlier line has, a field that its kind does not use, and an end
    /// before the start.
    package mutating func record(of row: ImportRow) throws(CSVError) -> Promotion {
        let id = try row.text("id")
        try ids.note(id, on: row)
        guard let kind = Promotion.Kind(rawValue: row["kind"]) else {
            throw row.wrong("kind", "percent, amount, bundle or price")
        }
        let (startsAt, endsAt) = (try row.optionalMoment("starts_at"), try row.optionalMoment("ends_at"))
        if let startsAt, let endsAt, endsAt <= startsAt { throw row.wrong("ends_at", "after starts_at") }
        return Promotion(
            id: id, name: try row.text("name"), reduction: try Self.reduction(kind, of: row),
            sku: try row.optionalText("sku"), department: try row.optionalText("department"),
            minimumQuantityMilli: try Self.minimumQuantity(kind, of: row), startsAt: startsAt,
            endsAt: endsAt, worksOffline: try row.flag("offline"), needsCoupon: false,
            storeId: try row.storeId(),
            minimumAmount: try Self.minimumAmount(kind, of: row), hours: try Self.hours(of: row),
            audience: try Self.audience(of: row), competition: try Self.competition(of: row))
    }

    private static func reduction(
        _ kind: Promotion.Kind, of row: ImportRow
    ) throws(CSVError) -> Promotion.Reduction {
        guard kind != .percent else {
            try row.refuse("amount_minor", of: "a percent promotion")
            return .percent(basisPoints: try row.integer("percent_basis_points", in: 1...10_000))
        }
        try row.refuse("percent_basis_points", of: "a promotion of an amount")
        let amount = try row.integer("amount_minor", in: 1...MoneyRange.maximum)
        guard kind == .price else { return kind == .bundle ? .bundle(amount) : .amount(amount) }
        guard !row["sku"].isEmpty else { throw row.error("sku is missing: a price is that of one article") }
        return .price(amount)
    }

    private static func minimumQuantity(
        _ kind: Promotion.Kind, of row: ImportRow
    ) throws(CSVError) -> Int64 {
        // A bundle of an amount of money needs no quantity.
        guard kind != .bundle || !row["min_amount_minor"].isEmpty else {
            return try row.integer("min_quantity_milli", in: 1...MoneyRange.maximum)
        }
        return try row.optionalInteger("min_quantity_milli", in: 0...MoneyRange.maximum) ?? 0
    }

    private static func minimumAmount(
        _ kind: Promotion.Kind, of row: ImportRow
    ) throws(CSVError) -> Int64 {
        guard kind != .price else {
            try row.refuse("min_amount_minor", of: "a price")
            return 0
        }
        return try row.optionalInteger("min_amount_minor", in: 1...MoneyRange.maximum) ?? 0
    }

    private static func hours(of row: ImportRow) throws(CSVError) -> WeeklyHours? {
        var days: Set<Weekday> = []
        for word in row["days"].split(separator: ";", omittingEmptySubsequences: false)
        where !row["days"].isEmpty {
            guard let day = Weekday(rawValue: String(word)), days.insert(day).inserted else {
                throw row.wrong("days", "days out of mon;tue;wed;thu;fri;sat;sun, each once")
            }
        }
        let times = (try time("from_time", of: row), try time("until_time", of: row))
        guard case let (from?, until?) = times else {
            guard times == (nil, nil) else {
                throw row.error("from_time and until_time go together; one of them is empty")
            }
            return days.isEmpty ? nil : WeeklyHours(days: days)
        }
        guard let hours = WeeklyHours(days: days, from: from, until: until) else {
            throw row.wrong("until_time", "another time than from_time")
        }
        return hours
    }

    private static func time(_ column: String, of row: ImportRow) throws(CSVError) -> Int64? {
        guard !row[column].isEmpty else { return nil }
        guard let minute = PromotionTerms.minute(of: row[column]) else {
            throw row.wrong(column, "a time of day from 00:00 to 23:59 such as 17:30")
        }
        return minute
    }

    /// `*` is every member.
    private static func audience(of row: ImportRow) throws(CSVError) -> Promotion.Audience {
        guard let text = try row.optionalText("member_tiers") else { return .everyone }
        guard text != "*" else { return .members }
        let tiers = text.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
        guard !tiers.contains(""), !tiers.contains("*") else {
            throw row.wrong("member_tiers", "* for every member, or tiers with ; between them")
        }
        return .tiers(Set(tiers))
    }

    private static func competition(of row: ImportRow) throws(CSVError) -> Promotion.Competition {
        guard try row.flag("exclusive") else {
            return try row.optionalText("group").map(Promotion.Competition.group) ?? .none
        }
        try row.refuse("group", of: "an exclusive promotion, which is given alone")
        return .exclusive
    }
}
