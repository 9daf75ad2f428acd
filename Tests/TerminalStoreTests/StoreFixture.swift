import Base
import GRDB
import OfflineCore
import Pricing
import Retail
import Synchronization
import Testing

@testable import TerminalStore

/// The hub's time in a test.
final class HubTimeForTest: Sendable {
    private let time = Mutex<Int64?>(nil)

    var milliseconds: Int64? {
        get { time.withLock(\.self) }
        set { time.withLock { $0 = newValue } }
    }
}

/// A terminal's database in a data folder of its own, enrolled as terminal 3 of the store `north-7`.
struct StoreFixture {
    let home: TemporaryHome
    let database: TerminalDatabase
    let ledger: SQLiteSaleLedger
    /// The hub's time, as the terminal follows it. A test sets it; nil, at first: it is not known.
    let hub = HubTimeForTest()

    /// 2026-11-21 12:16:07 in Shanghai.
    static let noon: Int64 = 1_795_234_567_000

    /// - Parameter now: the wall clock's time; nil: the machine's.
    init(home: TemporaryHome? = nil, enrolled: Bool = true, now: Int64? = nil) async throws {
        let home = try home ?? TemporaryHome()
        self.home = home
        database = try TerminalDatabase.open(
            home: home.path, creating: true,
            wallMilliseconds: { now ?? TerminalDatabase.systemMilliseconds() },
            clocks: { [hub] in
                EntryClocks(terminal: now ?? TerminalDatabase.systemMilliseconds(), hub: hub.milliseconds)
            })
        ledger = SQLiteSaleLedger(database)
        guard enrolled else { return }
        try await SQLiteTerminalFacts(database).enrol(
            Enrolment(
                terminalId: "t-3", storeId: "north-7", terminalNumber: 3, token: "secret",
                tokenExpiresAt: "2027-01-01T00:00:00.000Z"), epoch: 1)
    }

    static func key(_ number: UInt64) -> ULID { ULID(high: 1, low: number) }

    static func draft(
        _ number: UInt64, at madeAt: Int64 = noon, day: Int64 = 20_261_121, mode: Mode = .online,
        orderId: String? = nil, card: CardApproval? = nil
    ) throws -> SaleDraft {
        let lines = [
            SaleLine(
                sku: "S1", barcode: "4006381333931", name: "Milk \"1l\" 牛奶",
                price: try PricedLine(
                    quantityMilli: 2000, unitPrice: 125, discount: 10, taxBasisPoints: 900),
                discountReason: "old", isCounted: true),
            SaleLine(
                sku: "S2", barcode: "2000001", name: "Apples",
                price: try PricedLine(
                    quantityMilli: 1250, unitPrice: 333, discount: 0, taxBasisPoints: 1300),
                discountReason: nil, isCounted: false),
        ]
        let totals = try ReceiptTotals(lines: lines.map(\.price))
        let payment =
            card.map { SalePayment(method: .card, amount: totals.total, card: $0) }
            ?? SalePayment(method: .cash, amount: 1000)
        var draft = SaleDraft(
            key: key(number), orderId: orderId, businessDay: try #require(BusinessDay(number: day)),
            content: SaleContent(
                mode: mode, madeAt: madeAt, timeZone: "Asia/Shanghai", currency: "CNY", cashierId: "c1",
                memberId: "m1", coupons: ["A", "\"B\""], lines: lines, totals: totals, payments: [payment],
                cashRounding: 0, change: card == nil ? 1000 - totals.total : 0))
        draft.charges = card.map { [charged($0.authorizationKey, totals.total)] } ?? []
        return draft
    }

    static let proof = DeviceProof(reference: "142")

    /// A machine took the intent's money, and that is on disk.
    func chargedByMachine(_ intent: CardIntent) async throws -> DeviceRequest {
        var request = intent.request
        let start = Instant(nanoseconds: 0)
        _ = request.handle(.opened(.init(kind: .zvt, address: "tcp:10.0.0.2:20007")), at: start)
        _ = request.handle(.ended(.done(Self.proof)), at: start)
        _ = try await SQLiteDeviceRequests(database).keep(request)
        return request
    }

    /// A charge as the checkout knows it once its result has come.
    static func charged(_ key: String, _ amount: Int64 = 656) -> DeviceRequest {
        DeviceRequest(
            .charge, key: key, chargeKey: key, amount: amount, currency: "CNY", openedAt: noon,
            state: .charged(proof), origin: nil, reported: nil)
    }

    @discardableResult
    func sell(_ numbers: ClosedRange<UInt64>, mode: Mode = .online) async throws -> [Sale] {
        var sales: [Sale] = []
        for number in numbers {
            sales.append(try await ledger.commit(try Self.draft(number, mode: mode)).sale)
        }
        return sales
    }

    /// The rows `sku`, `delta_milli` of what the journal's entries moved of counted stocks.
    static let moves = """
        (SELECT move.value ->> 1 AS sku, move.value ->> 2 AS delta_milli
        FROM journal, json_each(stock_moves) AS move)
        """

    func number(_ sql: String) async throws -> Int64 {
        try await database.read { try Int64.fetchOne($0, sql: sql) ?? -1 }
    }
}
