package import Base

internal import DirectSQLite
internal import GRDB
internal import HubProtocol
internal import OfflineMode
package import Retail

/// The carts that are not sold, in the terminal's database.
package struct SQLiteCarts: CartStore {
    private let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    package init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// A cart's row is deleted by its sale's transaction.
    package func carts() async throws(StorageError) -> [KeptCart] {
        try await database.ledgerRead { connection in
            try Self.all(in: connection)
        }
    }

    static func all(in connection: Database) throws -> [KeptCart] {
        try Row.fetchAll(connection, sql: "SELECT * FROM carts ORDER BY parked_at, cart_id").map(cart)
    }

    /// One transaction: the sale's recording is one as well, so that a sold cart never comes back.
    package func change(
        _ id: ULID, on screen: FrontEnd?, isDeletion: Bool,
        _ body: @escaping @Sendable (KeptCart?) -> Result<KeptCart, CartRefusal>
    ) async throws(StorageError) -> Result<KeptCart, CartRefusal> {
        try await database.ledgerWrite { connection in
            if let sale = try Self.sale(of: id, in: connection) {
                return .failure(.alreadySold(orderNumber: sale.orderNumber, soldAt: sale.soldAt))
            }
            let before = try Self.cart(id, in: connection)
            if before == nil, let taker = try Self.taker(of: id, in: connection) {
                return .failure(.elsewhere(.granted(to: taker), id.description))
            }
            let result = body(before)
            guard case .success(let cart) = result else { return result }
            if isDeletion {
                try Self.delete(id, in: connection)
            } else {
                try Self.insert(cart, in: connection)
            }
            if let screen {
                try connection.execute(
                    sql: """
                        UPDATE carts SET state = 'left' WHERE state = 'open' AND front_end = ? AND cart_id <> ?
                        """, arguments: [screen.text, id.description])
            }
            return result
        }
    }

    /// One statement.
    package func leave(_ frontEnd: FrontEnd?) async throws(StorageError) -> Int {
        try await database.ledgerWrite { connection in
            if let frontEnd {
                try connection.execute(
                    sql: "UPDATE carts SET state = 'left' WHERE state = 'open' AND front_end = ?",
                    arguments: [frontEnd.text])
            } else {
                try connection.execute(
                    sql: "UPDATE carts SET state = 'left' WHERE state = 'open' AND of_agent = 1")
            }
            return connection.changesCount
        }
    }

    /// Two rows by their keys, where the cart is not here: every sale reads them.
    package func taker(of id: ULID) async throws(StorageError) -> String? {
        try await database.ledgerRead { try Self.taker(of: id, in: $0) }
    }

    static func taker(of id: ULID, in connection: Database) throws -> String? {
        let isHere = try DirectStatement("SELECT 1 FROM carts WHERE cart_id = ?", in: connection).first({
            $0.add(id.description)
        }) { _ in true }
        return isHere == nil ? try GrantTable(connection).owner(ofCart: id.description) : nil
    }

    /// What a sale by this key says of its cart; nil: it was never put aside.
    ///
    /// - Throws: `.cartGranted` where another till has it.
    static func sold(_ key: ULID, in connection: Database) throws -> SoldCart? {
        let row = try DirectStatement("SELECT journey FROM carts WHERE cart_id = ?", in: connection).first({
            $0.add(key.description)
        }) { row in row.optionalText(0) }
        guard let row else {
            if let taker = try GrantTable(connection).owner(ofCart: key.description) {
                throw StoreFailure.cartGranted(to: taker)
            }
            return nil
        }
        return row.map { SoldCart(id: key.description, copiedFrom: CartJourney(text: $0)?.copiedFrom) }
    }

    /// One row by its key: every sale of a front end reads it.
    package func place(of id: ULID) async throws(StorageError) -> CartPlace? {
        try await database.ledgerRead { connection in
            try DirectStatement(
                "SELECT state, front_end, journey FROM carts WHERE cart_id = ?", in: connection
            ).first({ $0.add(id.description) }) { row in
                CartPlace(
                    screen: row.text(0) == "open" ? row.optionalText(1).flatMap { FrontEnd($0) } : nil,
                    journey: row.optionalText(2).flatMap { CartJourney(text: $0) })
            }
        }
    }

    /// One row: a status reads it.
    package func openCart(of frontEnd: FrontEnd?) async throws(StorageError) -> KeptCart? {
        try await database.ledgerRead { connection in
            try Row.fetchOne(
                connection,
                sql: """
                    SELECT * FROM carts WHERE state = 'open' AND (?1 IS NULL OR front_end = ?1)
                    ORDER BY parked_at DESC, cart_id DESC LIMIT 1
                    """, arguments: [frontEnd?.text]
            ).map(Self.cart)
        }
    }

    /// By the order's key, which is the cart's id.
    package func sale(of id: ULID) async throws(StorageError) -> (orderNumber: String, soldAt: Int64)? {
        try await database.ledgerRead { connection in try Self.sale(of: id, in: connection) }
    }

    /// Lets a cart wait for its card. One that is on a screen stays there, and what was taken stays taken.
    static func suspend(_ cart: KeptCart, in connection: Database) throws {
        var waiting = cart
        if let before = try Self.cart(cart.id, in: connection) {
            (waiting.state, waiting.revision) = (before.state, before.revision)
            (waiting.taken, waiting.cashierId) = (before.taken, before.cashierId)
            (waiting.returns, waiting.journey) = (before.returns, before.journey)
        }
        if waiting.state == .parked { waiting.putAside() }
        try insert(waiting, in: connection)
    }

    /// The row's other columns stay: its epoch says when the cart itself changed last.
    static func set(_ journey: CartJourney, of cart: KeptCart, in connection: Database) throws {
        try connection.execute(
            sql: "UPDATE carts SET journey = ? WHERE cart_id = ?",
            arguments: [journey.text, cart.id.description])
    }

    /// A cart that has money of its customer; nil: none has.
    static func firstWithMoney(in connection: Database) throws -> KeptCart? {
        try Row.fetchOne(
            connection,
            sql: """
                SELECT * FROM carts WHERE in_hand > 0
                ORDER BY parked_at, cart_id LIMIT 1
                """
        ).map(cart)
    }

    static func delete(_ id: ULID, in connection: Database) throws {
        try connection.execute(sql: "DELETE FROM carts WHERE cart_id = ?", arguments: [id.description])
    }

    /// The epoch of the journal in which a cart was put aside, or changed last.
    static func epoch(of id: ULID, in connection: Database) throws -> Int64? {
        try Int64.fetchOne(
            connection, sql: "SELECT epoch FROM carts WHERE cart_id = ?", arguments: [id.description])
    }

    static func insert(_ cart: KeptCart, in connection: Database) throws {
        try connection.execute(
            sql: """
                INSERT OR REPLACE INTO carts (cart_id, name, parked_at, resumed_at, currency, total, content, state,
                    front_end, of_agent, revision, in_hand, cashier_id, process, journey, epoch)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT epoch FROM terminal))
                """,
            arguments: [
                cart.id.description, cart.name, cart.since, cart.resumedAt, cart.currency, cart.total,
                CartContent.json(of: cart).canonicalText, cart.state.word, cart.state.frontEnd?.text,
                cart.state.frontEnd?.isOfAgent == true ? 1 : 0, cart.revision, cart.inHand, cart.cashierId,
                cart.state.frontEnd?.process?.text, cart.journey?.text,
            ])
    }

    static func sale(
        of id: ULID, in connection: Database
    ) throws -> (orderNumber: String, soldAt: Int64)? {
        try Row.fetchOne(
            connection,
            sql: "SELECT order_number, made_at FROM orders JOIN journal USING (sequence) WHERE sale_key = ?",
            arguments: [id.description]
        ).map { ($0["order_number"], $0["made_at"]) }
    }

    static func cart(_ id: ULID, in connection: Database) throws -> KeptCart? {
        try Row.fetchOne(
            connection, sql: "SELECT * FROM carts WHERE cart_id = ?", arguments: [id.description]
        ).map(cart)
    }

    private static func cart(_ row: Row) throws -> KeptCart {
        guard let id = ULID(row["cart_id"] as String), let content = CartContent(text: row["content"]) else {
            throw StoreFailure.refused(detail: "a cart cannot be read")
        }
        var cart = KeptCart(
            id: id, name: row["name"], since: row["parked_at"], resumedAt: row["resumed_at"],
            lines: content.lines, currency: row["currency"], total: row["total"],
            memberId: content.memberId, coupons: content.coupons, points: content.points,
            taken: content.taken)
        var frontEnd = (row["front_end"] as String?).flatMap {
            FrontEnd($0, isOfAgent: row["of_agent"] == 1)
        }
        frontEnd?.process = (row["process"] as String?).flatMap { FrontEndProcess($0) }
        switch (row["state"] as String, frontEnd) {
        case ("open", let frontEnd?): cart.state = .open(frontEnd)
        case ("left", let frontEnd?): cart.state = .left(frontEnd)
        case _: cart.state = .parked
        }
        cart.revision = row["revision"]
        cart.returns = content.returns
        cart.cashierId = row["cashier_id"]
        cart.journey = (row["journey"] as String?).flatMap { CartJourney(text: $0) }
        return cart
    }
}

/// What a cart's column `content` holds: lines, member, coupons, points, what was taken and what comes back.
struct CartContent {
    let lines: [KeptCart.Line]
    let memberId: String?
    let coupons: [String]
    /// Nil in carts that spend none.
    let points: Int64?
    let taken: [TakenTender]
    /// Nil in carts that are no exchange.
    let returns: RefundRequest?

    /// Nil for a text that no version wrote.
    init?(text: String) {
        guard let json = try? JSONParser.parse(text.utf8), let lines = json["lines"]?.array,
            let coupons = json["coupons"]?.array
        else { return nil }
        var read: [KeptCart.Line] = []
        for line in lines {
            guard let line = Self.line(line) else { return nil }
            read.append(line)
        }
        var taken: [TakenTender] = []
        for tender in json["taken"]?.array ?? [] {
            guard let tender = Self.tender(tender) else { return nil }
            taken.append(tender)
        }
        self.lines = read
        self.coupons = coupons.compactMap(\.string)
        self.taken = taken
        memberId = json["memberId"]?.string
        points = json["points"]?.integer
        switch json["returns"] {
        case nil, .null?: returns = nil
        case let kept?:
            guard let goods = RefundRequest(kept: kept) else { return nil }
            returns = goods
        }
    }

    private static func line(_ json: JSONValue) -> KeptCart.Line? {
        guard let barcode = json["barcode"]?.string, let sku = json["sku"]?.string,
            let name = json["name"]?.string,
            let total = json["total"]?.integer
        else { return nil }
        return KeptCart.Line(
            entry: SaleRequest.Line(
                barcode: barcode, quantityMilli: json["quantityMilli"]?.integer,
                unitPriceMinor: json["unitPriceMinor"]?.integer,
                discountMinor: json["discountMinor"]?.integer,
                discountReason: json["discountReason"]?.string, openItem: openItem(json)),
            sku: sku, name: name, total: total)
    }

    private static func openItem(_ json: JSONValue) -> SaleRequest.Line.OpenItem? {
        json["department"]?.string.map {
            SaleRequest.Line.OpenItem(department: $0, taxBasisPoints: json["taxBasisPoints"]?.integer)
        }
    }

    private static func tender(_ json: JSONValue) -> TakenTender? {
        guard let method = json["method"]?.string, let amount = json["amount"]?.integer,
            let kind = (json["kind"]?.string).flatMap(TenderKind.init(rawValue:))
        else { return nil }
        return TakenTender(
            method: method, kind: kind, amount: amount, reference: json["reference"]?.string)
    }

    static func json(of cart: KeptCart) -> JSONValue {
        [
            "returns": cart.returns?.kept ?? .null,
            "memberId": JSONValue(cart.memberId), "points": JSONValue(cart.points),
            "coupons": .array(cart.coupons.map(JSONValue.string)),
            "lines": .array(
                cart.lines.map { line in
                    [
                        "barcode": .string(line.entry.barcode),
                        "quantityMilli": JSONValue(line.entry.quantityMilli),
                        "unitPriceMinor": JSONValue(line.entry.unitPriceMinor),
                        "discountMinor": JSONValue(line.entry.discountMinor),
                        "discountReason": JSONValue(line.entry.discountReason), "sku": .string(line.sku),
                        "department": JSONValue(line.entry.openItem?.department),
                        "taxBasisPoints": JSONValue(line.entry.openItem?.taxBasisPoints),
                        "name": .string(line.name), "total": .integer(line.total),
                    ]
                }),
            "taken": .array(
                cart.taken.map { tender in
                    [
                        "method": .string(tender.method), "kind": .string(tender.kind.rawValue),
                        "amount": .integer(tender.amount), "reference": JSONValue(tender.reference),
                    ]
                }),
        ]
    }
}

extension RefundRequest {
    /// Nil for what no version wrote.
    fileprivate init?(kept json: JSONValue) {
        guard let listed = json["lines"]?.array else { return nil }
        var items: [RefundEntry.Item] = []
        for line in listed {
            guard let article = line["article"]?.string else { return nil }
            items.append(
                RefundEntry.Item(
                    article: article, quantityMilli: line["quantityMilli"]?.integer,
                    unitPriceMinor: line["unitPriceMinor"]?.integer))
        }
        let origin: Origin =
            if let id = json["orderId"]?.string {
                .order(id)
            } else if let code = json["receiptCode"]?.string {
                .receipt(code)
            } else {
                .nothing
            }
        self.init(of: origin, items: items, by: PersonClaim(), reason: json["reason"]?.string)
    }

    /// Origin, goods and reason.
    fileprivate var kept: JSONValue {
        var members: JSONObject = [
            "lines": .array(
                items.map { item in
                    [
                        "article": .string(item.article), "quantityMilli": JSONValue(item.quantityMilli),
                        "unitPriceMinor": JSONValue(item.unitPriceMinor),
                    ]
                }), "reason": JSONValue(reason),
        ]
        switch origin {
        case .order(let id): members["orderId"] = .string(id)
        case .receipt(let code): members["receiptCode"] = .string(code)
        case .nothing: break
        }
        return .object(members)
    }
}
