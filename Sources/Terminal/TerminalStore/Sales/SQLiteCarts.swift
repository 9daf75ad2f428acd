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
                CartContent(of: cart).json.canonicalText, cart.state.word, cart.state.frontEnd?.text,
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
        cart.returns = content.returns?.request
        cart.cashierId = row["cashier_id"]
        cart.journey = (row["journey"] as String?).flatMap { CartJourney(text: $0) }
        return cart
    }
}

/// What a cart's column `content` holds: lines, member, coupons, points, what was taken and what comes back.
struct CartContent: Fact {
    var coupons: [String] = []
    var lines: [KeptCart.Line] = []
    var memberId: String?
    /// Nil in carts that spend none.
    var points: Int64?
    /// Nil in carts that are no exchange.
    var returns: KeptReturns?
    var taken: [TakenTender] = []

    init() {}

    init(of cart: KeptCart) {
        (coupons, lines, memberId) = (cart.coupons, cart.lines, cart.memberId)
        (points, taken) = (cart.points, cart.taken)
        returns = cart.returns.map(KeptReturns.init)
    }

    /// Nil for a text that no version wrote.
    init?(text: String) {
        guard let json = try? JSONParser.parse(text.utf8), let content = try? CartContent(json, .own) else {
            return nil
        }
        self = content
    }

    mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.texts("coupons", &coupons, .required)
        try m.list("lines", &lines)
        try m.text("memberId", &memberId, .optional.orNull)
        try m.number("points", &points, .optional.orNull)
        try m.part("returns", &returns, .valid.orNull)
        try m.list("taken", &taken, .valid)
    }
}

/// Goods that come back for a cart; where they came from, neither for none.
struct KeptReturns: Fact {
    struct Item: Fact {
        var article = ""
        var quantityMilli: Int64?
        var unitPriceMinor: Int64?

        mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
            try m.text("article", &article)
            try m.number("quantityMilli", &quantityMilli, .optional.orNull)
            try m.number("unitPriceMinor", &unitPriceMinor, .optional.orNull)
        }
    }

    var items: [Item] = []
    var orderId: String?
    var reason: String?
    var receiptCode: String?

    init() {}

    init(_ request: RefundRequest) {
        items = request.items.map {
            Item(article: $0.article, quantityMilli: $0.quantityMilli, unitPriceMinor: $0.unitPriceMinor)
        }
        reason = request.reason
        switch request.origin {
        case .order(let id): orderId = id
        case .receipt(let code): receiptCode = code
        case .nothing: break
        }
    }

    /// Its person and key are those of the sale.
    var request: RefundRequest {
        RefundRequest(
            of: orderId.map(RefundRequest.Origin.order) ?? receiptCode.map(RefundRequest.Origin.receipt)
                ?? .nothing,
            items: items.map {
                RefundEntry.Item(
                    article: $0.article, quantityMilli: $0.quantityMilli, unitPriceMinor: $0.unitPriceMinor)
            }, by: PersonClaim(), reason: reason)
    }

    mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.list("lines", &items)
        try m.text("orderId", &orderId, .optional)
        try m.text("reason", &reason, .optional.orNull)
        try m.text("receiptCode", &receiptCode, .optional)
    }
}
