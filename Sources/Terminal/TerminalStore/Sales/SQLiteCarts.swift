public import Base

internal import GRDB
internal import HubProtocol
internal import OfflineMode
public import Retail

/// The parked carts, in the terminal's database.
public struct SQLiteCarts: CartStore {
    private let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    public init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// A cart whose sale is recorded is left out: its row is deleted behind the sale, and a crash in between
    /// must not bring it back.
    public func carts() async throws(StorageError) -> [ParkedCart] {
        try await database.ledgerRead { connection in
            try Row.fetchAll(
                connection,
                sql: """
                    SELECT * FROM carts WHERE cart_id NOT IN (SELECT sale_key FROM orders)
                    ORDER BY parked_at, cart_id
                    """
            ).map(Self.cart)
        }
    }

    /// Inserts or replaces the row of the cart's id.
    public func keep(_ cart: ParkedCart) async throws(StorageError) {
        try await database.ledgerWrite { connection in try Self.insert(cart, in: connection) }
    }

    static func insert(_ cart: ParkedCart, in connection: Database) throws {
        try connection.execute(
            sql: """
                INSERT OR REPLACE INTO carts (cart_id, name, parked_at, resumed_at, currency, total, content)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                cart.id.description, cart.name, cart.parkedAt, cart.resumedAt, cart.currency, cart.total,
                CartContent.json(of: cart).canonicalText,
            ])
    }

    /// Writes only where there is such a cart: most sales were never parked.
    public func delete(_ id: ULID) async throws(StorageError) {
        let id = id.description
        let exists = try await database.ledgerRead { connection in
            try Bool.fetchOne(
                connection, sql: "SELECT 1 FROM carts WHERE cart_id = ?", arguments: [id]) ?? false
        }
        guard exists else { return }
        try await database.ledgerWrite { connection in
            try connection.execute(sql: "DELETE FROM carts WHERE cart_id = ?", arguments: [id])
        }
    }

    private static func cart(_ row: Row) throws -> ParkedCart {
        guard let id = ULID(row["cart_id"] as String),
            let content = CartContent(text: row["content"])
        else { throw StoreFailure.refused(detail: "a parked cart cannot be read") }
        return ParkedCart(
            id: id, name: row["name"], parkedAt: row["parked_at"], resumedAt: row["resumed_at"],
            lines: content.lines, currency: row["currency"], total: row["total"],
            memberId: content.memberId, coupons: content.coupons, points: content.points)
    }
}

/// What a cart's column `content` holds: lines, member, coupons and points.
struct CartContent {
    let lines: [ParkedCart.Line]
    let memberId: String?
    let coupons: [String]
    /// Nil in carts that spend none, and in those of earlier versions.
    let points: Int64?

    /// Nil for a text that no version wrote.
    init?(text: String) {
        guard let json = try? JSONParser.parse(text.utf8), let lines = json["lines"]?.array,
            let coupons = json["coupons"]?.array
        else { return nil }
        var read: [ParkedCart.Line] = []
        for line in lines {
            guard let line = Self.line(line) else { return nil }
            read.append(line)
        }
        self.lines = read
        self.coupons = coupons.compactMap(\.string)
        memberId = json["memberId"]?.string
        points = json["points"]?.integer
    }

    private static func line(_ json: JSONValue) -> ParkedCart.Line? {
        guard let barcode = json["barcode"]?.string, let quantity = json["quantityMilli"]?.integer,
            let sku = json["sku"]?.string, let name = json["name"]?.string,
            let total = json["total"]?.integer
        else { return nil }
        return ParkedCart.Line(
            entry: SaleRequest.Line(
                barcode: barcode, quantityMilli: quantity, unitPriceMinor: json["unitPriceMinor"]?.integer,
                discountMinor: json["discountMinor"]?.integer,
                discountReason: json["discountReason"]?.string, openItem: openItem(json)),
            sku: sku, name: name, total: total)
    }

    private static func openItem(_ json: JSONValue) -> SaleRequest.Line.OpenItem? {
        json["department"]?.string.map {
            SaleRequest.Line.OpenItem(department: $0, taxBasisPoints: json["taxBasisPoints"]?.integer)
        }
    }

    static func json(of cart: ParkedCart) -> JSONValue {
        [
            "memberId": JSONValue(cart.memberId), "points": JSONValue(cart.points),
            "coupons": .array(cart.coupons.map(JSONValue.string)),
            "lines": .array(
                cart.lines.map { line in
                    [
                        "barcode": .string(line.entry.barcode),
                        "quantityMilli": .integer(line.entry.quantityMilli),
                        "unitPriceMinor": JSONValue(line.entry.unitPriceMinor),
                        "discountMinor": JSONValue(line.entry.discountMinor),
                        "discountReason": JSONValue(line.entry.discountReason), "sku": .string(line.sku),
                        "department": JSONValue(line.entry.openItem?.department),
                        "taxBasisPoints": JSONValue(line.entry.openItem?.taxBasisPoints),
                        "name": .string(line.name), "total": .integer(line.total),
                    ]
                }),
        ]
    }
}
