import Pricing
import Retail
import Synchronization

/// People and offers as a test sets them, for the hub's side or the till's, with a record of the requests.
final class ScriptedCounter: Sendable {
    struct State {
        /// Of each cashier the PIN.
        var pins: [String: String] = [:]
        /// Of ``pins`` those of managers.
        var managers: Set<String> = []
        /// Cashiers that only the hub can check.
        var unverified: Set<String> = []
        /// In place of what the PIN comes to.
        var pinResult: PINResult?
        /// Of each member name and telephone number.
        var members: [String: (name: String?, phone: String)] = [:]
        /// Of each member what they have; nil: that is not known.
        var points: [String: Int64] = [:]
        var promotions: [Promotion] = []
        var coupons: [Coupon] = []
        var isOffline = false
        /// In place of what the offers come to.
        var response: OfferResponse?
        var error: InquiryError?
        /// Never responds.
        var isSilent = false
        var log: [String] = []
    }

    private let state = Mutex(State())

    func with<Value>(_ body: (inout State) -> sending Value) -> sending Value {
        state.withLock { body(&$0) }
    }

    var log: [String] { with { $0.log } }

    private func query(_ words: String) async throws(InquiryError) {
        with { $0.log.append(words) }
        if with({ $0.isSilent }) { await withCheckedContinuation { Self.forgotten.append($0) } }
        if let error = with({ $0.error }) { throw error }
    }

    /// Requests that never get a response; kept, since releasing one would resume it.
    private static let forgotten = Forgotten()
}

private final class Forgotten: Sendable {
    private let continuations = Mutex<[CheckedContinuation<Void, Never>]>([])

    func append(_ continuation: CheckedContinuation<Void, Never>) {
        continuations.withLock { $0.append(continuation) }
    }
}

extension ScriptedCounter: CashierRoster {
    var hasCashiers: Bool { with { !$0.pins.isEmpty } }

    var hasManager: Bool { with { !$0.managers.isEmpty } }

    func cashier(_ id: String) -> Cashier? { with { Self.cashier(id, in: $0) } }

    private static func cashier(_ id: String, in state: State) -> Cashier? {
        state.pins[id].map { pin in
            Cashier(
                id: id, name: "Name of \(id)", role: state.managers.contains(id) ? .manager : .cashier,
                verifier: state.unverified.contains(id) ? nil : "#" + pin)
        }
    }

    func check(_ pin: String, of cashierId: String) async throws(InquiryError) -> PINResult {
        try await query("PIN of \(cashierId)")
        return with { state in
            if let result = state.pinResult { return result }
            guard state.pins[cashierId] == pin, let cashier = Self.cashier(cashierId, in: state) else {
                return .wrong
            }
            return .right(cashier)
        }
    }
}

extension ScriptedCounter: MemberBook {
    var hasMembers: Bool { with { !$0.members.isEmpty } }

    func member(_ id: String) async throws(InquiryError) -> Member? {
        try await query("member \(id)")
        return with { state in
            state.members[id].map { Member(id: id, name: $0.name, points: state.points[id]) }
        }
    }

    func members(phone: String) async throws(InquiryError) -> [Member] {
        try await query("phone \(phone)")
        return with { state in
            state.members.filter { $0.value.phone == phone }.map { Member(id: $0.key, name: $0.value.name) }
        }
    }
}

extension ScriptedCounter: OfferCopy {
    var hasPromotions: Bool { with { !$0.promotions.isEmpty } }
    var hasCoupons: Bool { with { !$0.coupons.isEmpty } }

    func nextChange(for query: OfferQuery) async throws(InquiryError) -> Int64? {
        let offers = with { Offers(promotions: $0.promotions, coupons: $0.coupons) }
        return offers.nextChange(for: Self.basket(query, isOffline: true))
    }

    func limited(
        _ codes: [String], named: Set<String>
    ) async throws(InquiryError) -> [String: String] {
        let limited = with { $0.coupons.filter(\.isLeased) }
        let leased = codes.filter { code in
            named.contains(code) || limited.contains { $0.code == code }
        }
        return Dictionary(uniqueKeysWithValues: leased.map { ($0, "digest of \($0)") })
    }

    private static func basket(_ query: OfferQuery, isOffline: Bool) -> Basket {
        Basket(
            lines: query.lines.map { line in
                Basket.Line(
                    sku: line.sku, department: line.department, quantityMilli: line.price.quantityMilli,
                    price: line.price.total)
            },
            coupons: query.coupons, memberId: query.memberId, moment: 0, isOffline: isOffline)
    }

    func response(to query: OfferQuery) async throws(InquiryError) -> OfferResponse {
        try await self.query("offers \(query.coupons.joined(separator: ","))")
        let (response, offers, isOffline) = with {
            ($0.response, Offers(promotions: $0.promotions, coupons: $0.coupons), $0.isOffline)
        }
        if let response { return response }
        let basket = Self.basket(query, isOffline: isOffline)
        guard let reductions = try? offers.reductions(for: basket) else {
            throw .unclear(detail: "an overflow")
        }
        return OfferResponse(reductions)
    }
}
