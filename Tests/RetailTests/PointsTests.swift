import Base
import HubProtocol
import OfflineCore
import OfflineMode
import Pricing
import Retail
import Synchronization
import Testing

@Suite("Points at the checkout")
struct PointsTests {
    private let ports = ScriptedPorts()
    private let scheme = PointsScheme(earnEvery: 100, value: 5, minimumSpend: 10)

    private func content(of memberId: String?, _ scheme: PointsScheme) async throws -> SaleContent {
        let response = try await ports.checkout(points: scheme).sell(
            SaleRequest(
                lines: [
                    .init(barcode: "4006381333931", quantityMilli: 2000),
                    .init(barcode: "2000001", quantityMilli: 1000),
                ],
                memberId: memberId))
        return response.sale.content
    }

    @Test("A known member earns with and without the hub; nobody else does", arguments: [true, false])
    func earned(online: Bool) async throws {
        (online ? ports.hub : ports.copy).with { $0.members = ["M1": ("Li", "13800138000")] }
        if !online { ports.with { $0.mode = .offline } }
        let sold = try await content(of: "13800138000", scheme)
        #expect(sold.totals.total == 583)
        #expect(sold.points == SalePoints(earned: 5, spent: 0, value: 0))
        #expect(try await content(of: "unknown", scheme).points == nil)
        #expect(try await content(of: nil, scheme).points == nil)
        #expect(try await content(of: "M1", .none).points == nil)
        let quote = try await ports.checkout(points: scheme).quote(
            SaleRequest(lines: [.init(barcode: "4006381333931", quantityMilli: 2000)], memberId: "M1"))
        #expect(quote.points == SalePoints(earned: 2, spent: 0, value: 0))
    }

    @Test("The receipt has the points in both languages")
    func receipt() async throws {
        ports.hub.with { $0.members = ["M1": ("Li", "13800138000")] }
        let response = try await ports.checkout(points: scheme).sell(
            SaleRequest(lines: [.init(barcode: "4006381333931", quantityMilli: 2000)], memberId: "M1"))
        #expect(response.receipt.contains("Points earned: 2"))
    }

    private func request(_ points: Int64?, member: String? = "M1") -> SaleRequest {
        var request = SaleRequest(
            lines: [
                .init(barcode: "4006381333931", quantityMilli: 2000),
                .init(barcode: "2000001", quantityMilli: 1000),
            ],
            memberId: member)
        request.points = points
        return request
    }

    private func refusal(
        _ request: SaleRequest, _ leases: ScriptedLeases, _ scheme: PointsScheme? = nil
    ) async throws -> SaleRefusal? {
        let checkout = try ports.checkout(points: scheme ?? self.scheme, leases: leases)
        do throws(SaleRefusal) {
            _ = try await checkout.sell(request)
            return nil
        } catch {
            return error
        }
    }

    @Test("Points come off the lines before tax, out of the leases that end first, and earn nothing")
    func spent() async throws {
        ports.copy.with { $0.members = ["M1": ("Li", "13800138000")] }
        ports.with { $0.mode = .offline }
        let leases = ScriptedLeases(held: [("a", 30), ("b", 100)])
        let response = try await ports.checkout(points: scheme, leases: leases).sell(request(40))
        let content = response.sale.content
        #expect(content.totals.total == 583 - 200)
        #expect(content.points == SalePoints(earned: 3, spent: 40, value: 200))
        #expect(content.lines.map(\.pointsValue) == [86, 114])
        #expect(content.lines.map(\.ownDiscount) == [0, 0])
        #expect(content.leases.map(\.amount) == [30, 10] && content.leases.map(\.leaseId) == ["a", "b"])
        #expect(content.payments.map(\.amount) == [383])
        #expect(response.receipt.contains("Points spent: 40"))
        #expect(leases.wanted == [])
        #expect(SaleRequest(lines: []).points == nil)
    }

    @Test("What cannot be spent refuses the sale, each with its reason, and sells nothing")
    func refusals() async throws {
        ports.copy.with { $0.members = ["M1": ("Li", "13800138000")] }
        ports.with { $0.mode = .offline }
        let leases = ScriptedLeases(held: [("a", 1_000)])
        #expect(try await refusal(request(-1), leases) == .points(.negative))
        #expect(try await refusal(request(9), leases) == .points(.belowMinimum(10)))
        #expect(try await refusal(request(10, member: "M2"), leases) == .points(.memberUnknown))
        #expect(try await refusal(request(10, member: nil), leases) == .points(.memberUnknown))
        #expect(try await refusal(request(10), leases, PointsScheme.none) == .points(.notOffered))
        #expect(
            try await refusal(request(1_001), leases)
                == .points(.unavailable(wanted: 1_001, available: 1_000)))
        #expect(try await refusal(request(.max), leases) == .amountTooLarge)
        guard case .points(.aboveTotal)? = try await refusal(request(200), leases) else {
            Issue.record("1,000 of 583 was paid")
            return
        }
        #expect(ports.log.isEmpty)
        #expect(try await refusal(request(0), leases) == nil)
    }

    @Test("Online the hub is requested to lend what is lacking, and nothing when the leases are enough")
    func lent() async throws {
        ports.hub.with { $0.members = ["M1": ("Li", "13800138000")] }
        let leases = ScriptedLeases(held: [("a", 30)], lending: 70)
        _ = try await ports.checkout(points: scheme, leases: leases).sell(request(20))
        #expect(leases.wanted == [])
        #expect(
            try await refusal(request(101), leases)
                == .points(.unavailable(wanted: 101, available: 100, isFromHub: true)))
        let quote = try await ports.checkout(points: scheme, leases: leases).quote(request(100))
        #expect(quote.points == SalePoints(earned: 0, spent: 100, value: 500))
        #expect(leases.wanted == [101])
    }

    @Test("A lease that may end while two cards are taken prices no sale; the hub is requested for another")
    func ending() async throws {
        ports.hub.with { $0.members = ["M1": ("Li", "13800138000")] }
        ports.with { $0.hubAhead = 0 }
        let now = ports.wallMilliseconds()
        let short = ScriptedLeases(held: [("a", 30)], lending: 70, until: now + 260_000)
        let sold = try await ports.checkout(points: scheme, leases: short).sell(request(20))
        #expect(sold.sale.content.leases.map(\.leaseId) == ["lent"])
        #expect(short.wanted == [20])
        let long = ScriptedLeases(held: [("a", 30)], lending: 70, until: now + 260_001)
        _ = try await ports.checkout(points: scheme, leases: long).sell(request(20))
        #expect(long.wanted == [])
    }

    @Test("Where other tills have the rest, the refusal says to try again, and the next try succeeds")
    func retried() async throws {
        ports.hub.with { $0.members = ["M1": ("Li", "13800138000")] }
        let leases = ScriptedLeases(held: [("a", 30)])
        leases.with { $0.isRecalled = true }
        let refused = try #require(try await refusal(request(50), leases))
        #expect(refused == .points(.unavailable(wanted: 50, available: 30, isRecalled: true)))
        #expect(refused.message.contains("try again in half a minute"))
        #expect(refused.text(in: .chinese).contains("半分钟后重试"))
        #expect(ports.log.isEmpty)
        try await leases.keep(
            LentLeases(leases: [
                LeaseRecord(
                    leaseId: "b", kind: .points, subject: "M1", amount: 20, expiresAt: 1 << 50, version: 1,
                    epoch: 1)
            ]))
        #expect(try await refusal(request(50), leases) == nil)
    }
}

/// Leases as a test sets them, which sales leave as they are.
final class ScriptedLeases: LeaseWallet, LeaseLending {
    struct State {
        var held: [(id: String, left: Int64, until: Int64)]
        /// Nil: whatever the subject is.
        var subject: String?
        /// Whether the hub recalls what a request lacks.
        var isRecalled = false
        /// What the hub recalled of this terminal.
        var recalled: Set<String> = []
        /// Given up, and the hub has not responded.
        var givenUp: Set<String> = []
        /// Whether the hub does not respond.
        var isSilent = false
        var wanted: [Int64] = []
        var subjects: [String] = []
        var returns: [[String]] = []
    }

    private let state: Mutex<State>
    private let lending: Int64

    init(held: [(String, Int64)], lending: Int64 = 0, until: Int64 = 1 << 50) {
        state = Mutex(State(held: held.map { (id: $0.0, left: $0.1, until: until) }))
        self.lending = lending
    }

    func with<Value>(_ body: (inout State) -> sending Value) -> sending Value {
        state.withLock { body(&$0) }
    }

    var wanted: [Int64] { state.withLock { $0.wanted } }
    /// As the hub has them.
    var subjects: [String] { state.withLock { $0.subjects } }

    func held(
        _ kind: LeaseKind, of subject: String, at hubTime: Int64?
    ) async throws(StorageError) -> [HeldLease] {
        state.withLock { state in
            guard state.subject == nil || state.subject == subject else { return [] }
            return state.held.map {
                HeldLease(id: $0.id, kind: kind, subject: subject, left: $0.left, expiresAt: $0.until)
            }
        }
    }

    func keep(_ lent: LentLeases) async throws(StorageError) {
        state.withLock {
            $0.held += lent.leases.map { (id: $0.leaseId, left: $0.amount, until: $0.expiresAt) }
        }
    }

    func giveUp(except needed: Set<String>) async throws(StorageError) -> LeaseReturn? {
        state.withLock { state in
            state.givenUp.formUnion(state.recalled.subtracting(needed))
            state.recalled.formIntersection(needed)
            let givenUp = state.givenUp
            state.held.removeAll { givenUp.contains($0.id) }
            guard !givenUp.isEmpty else { return nil }
            return LeaseReturn(
                epoch: 1, sequence: 0,
                leases: givenUp.sorted().map { LeaseReturn.Part(leaseId: $0, spent: 0) })
        }
    }

    func noteReturned(_ leaseIds: [String]) async throws(StorageError) {
        state.withLock { $0.givenUp.subtract(leaseIds) }
    }

    func giveBack(_ leases: LeaseReturn) async throws(InquiryError) -> LentLeases {
        let isSilent = state.withLock { state in
            state.returns.append(leases.leases.map(\.leaseId))
            return state.isSilent
        }
        if isSilent { throw .unclear(detail: "no response") }
        return LentLeases(leases: [])
    }

    func epoch() async throws(StorageError) -> Int64 { 1 }

    func storeId() async throws(StorageError) -> String? { "S1" }

    func lend(_ wanted: LeaseRequest) async throws(InquiryError) -> LentLeases {
        let isRecalled = state.withLock { state -> Bool? in
            state.wanted.append(wanted.amount)
            state.subjects.append(wanted.subject)
            return state.isSilent ? nil : state.isRecalled
        }
        guard let isRecalled else { throw .unclear(detail: "no response") }
        return LentLeases(
            leases: [
                LeaseRecord(
                    leaseId: "lent", kind: wanted.kind, subject: wanted.subject, amount: lending,
                    expiresAt: 1 << 50, version: 1, epoch: 1)
            ], isRecalled: isRecalled)
    }
}
