import HubProtocol
public import Pricing

/// Promotions. A column that does not belong to a promotion's kind is empty.
public struct PromotionFormat: ImportFormat {
    /// `id`: a file withdraws a promotion by it.
    public static let idColumn = "id"
    /// Of one store, or without it of all.
    public static let hasStores = true
    /// The header line's names; `kind` is `percent`, `amount` or `bundle`, and decides which others are
    /// needed.
    public static let columns = [
        "id", "name", "kind", "sku", "department", "percent_basis_points", "amount_minor",
        "min_quantity_milli", "starts_at", "ends_at", "offline",
    ]
    /// An absent `sku` or `department` means all; an absent `starts_at` or `ends_at` means no bound on that
    /// side.
    public static let optionalColumns: Set = [
        "sku", "department", "percent_basis_points", "amount_minor", "min_quantity_milli", "starts_at",
        "ends_at", "offline",
    ]

    private var ids = UniqueColumn("id")

    /// A format for one file that has not been read yet.
    public init() {}

    /// Throws ``CSVError`` for an id that an earlier line has, a field that its kind does not use, and an end
    /// before the start.
    public mutating func record(of row: ImportRow) throws(CSVError) -> Promotion {
        let id = try row.text("id", upTo: 128)
        try ids.note(id, on: row)
        guard let kind = Promotion.Kind(rawValue: row["kind"]) else {
            throw row.wrong("kind", "percent, amount or bundle")
        }
        let (startsAt, endsAt) = (try row.optionalMoment("starts_at"), try row.optionalMoment("ends_at"))
        if let startsAt, let endsAt, endsAt <= startsAt { throw row.wrong("ends_at", "after starts_at") }
        return Promotion(
            id: id, name: try row.text("name"), reduction: try Self.reduction(kind, of: row),
            sku: try row.optionalText("sku"), department: try row.optionalText("department"),
            minimumQuantityMilli: try Self.minimumQuantity(kind, of: row), startsAt: startsAt,
            endsAt: endsAt, worksOffline: try row.flag("offline"), needsCoupon: false,
            storeId: try row.storeId())
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
        return kind == .bundle ? .bundle(amount) : .amount(amount)
    }

    private static func minimumQuantity(
        _ kind: Promotion.Kind, of row: ImportRow
    ) throws(CSVError) -> Int64 {
        guard kind != .bundle else {
            return try row.integer("min_quantity_milli", in: 1...MoneyRange.maximum)
        }
        return try row.optionalInteger("min_quantity_milli", in: 0...MoneyRange.maximum) ?? 0
    }
}
