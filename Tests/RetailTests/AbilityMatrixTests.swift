import Base
import HubProtocol
import MachineRuntime
import OfflineCore
import OfflineMode
import Pricing
import Synchronization
import Testing

@testable import Retail

/// A till drawn at random: tenders × mode × cause × machine × policy × people, with a sale of 1.25 by each
/// tender.
@Suite("What the till says of a tender is what a sale with it does")
struct AbilityMatrixTests {
    private static let milk: Int64 = 125

    private struct Draw {
        let ports = ScriptedPorts()
        let cards = MemoryCards()
        let checkout: Checkout
        var words: [String] = []

        init(seed: UInt64) async throws {
            var random = SplitMix64(seed: seed)
            func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }
            var words: [String] = []
            ports.with { $0.outcomes = Array(repeating: .done(.granted("A")), count: 40) }
            let causes = OfflineCause.allCases.filter { _ in chance(4) }
            if !causes.isEmpty {
                ports.with {
                    ($0.mode, $0.causes, $0.paymentRoute) = (.offline, causes, .local)
                }
                words.append("offline \(causes)")
            } else if chance(4) {
                ports.with { $0.paymentRoute = .local }
                words.append("payment down")
            }
            if chance(6) {
                ports.with { $0.connectivity = .authBlocked }
                words.append("authBlocked")
            }
            if chance(10) {
                ports.with { $0.hubAhead = 100_000_000 }
                words.append("clock")
            }
            if chance(10) {
                ports.with { $0.readinessError = .diskFull(path: "/d") }
                words.append("disk")
            }
            let requiresShift = chance(4)
            if chance(2) { ports.with { $0.openShift = "shift" } }
            if requiresShift { words.append("needs shift") }
            let hasMachine = chance(3)
            if hasMachine { words.append("machine") }
            let takesCards = !chance(4)
            if !takesCards { words.append("no payments") }
            var limits: OfflineCardLimits?
            if chance(2) {
                let sum = { [0, 100, 124, 125, 500].randomElement(using: &random) ?? 0 } as () -> Int64
                limits = OfflineCardLimits(perSale: max(1, sum()), perShift: sum(), perTerminal: sum())
                words.append("\(String(describing: limits))")
            }
            let service = OfflineCardService(store: cards, tokens: cards, time: ports)
            let kinds: [TenderKind] = [.card, .card, .wallet, .voucher, .voucher]
            var listed: [JSONValue] = [["method": "cash", "kind": "cash"]]
            for (number, kind) in kinds.enumerated() {
                listed.append(
                    [
                        "method": .string("t\(number)"), "kind": .string(kind.rawValue),
                        "online": .bool(!chance(3)), "offline": .bool(!chance(3)),
                    ])
            }
            let people = Int.random(in: 0..<4, using: &random)
            let hasManager = people != 0 && !chance(4)
            if people > 0 {
                ports.copy.with {
                    $0.pins = hasManager ? ["li": "1", "boss": "2"] : ["li": "1"]
                    $0.managers = hasManager ? ["boss"] : []
                }
                words.append("people \(people) manager \(hasManager)")
            }
            checkout = try ports.checkout(
                takesCards: takesCards, tenders: chance(4) ? nil : TenderList(json: .array(listed)),
                requiresShift: requiresShift, machine: hasMachine ? WillingMachine() : nil,
                offlineCards: limits.map { (service, $0) })
            if people == 2 { _ = try await checkout.authority.signIn("li", pin: "1") }
            if people == 3, hasManager { _ = try await checkout.authority.signIn("boss", pin: "2") }
            self.words = words
        }

        /// What a sale by `method` did: how it was paid, or the code of its refusal.
        func sale(by method: String, amount: Int64, isVoucher: Bool) async -> String {
            var lines = [EnteredLine(barcode: "4006381333931")]
            lines[0].unitPriceMinor = amount == AbilityMatrixTests.milk ? nil : amount
            let request = SaleRequest(
                lines: lines, payments: [.init(method: method, reference: isVoucher ? "V-1" : nil)])
            do throws(SaleRefusal) {
                let payment = try await checkout.sell(request).sale.content.payments[0]
                if payment.details.machine != nil { return "machine" }
                if payment.details.state == .storedOffline { return "stored" }
                return payment.card == nil ? "local" : "hub"
            } catch {
                return error.code
            }
        }
    }

    @Test("in every mode, with every cause, machine, limit, shift and person", arguments: 0..<40)
    func matrix(_ block: UInt64) async throws {
        for seed in block * 15..<(block + 1) * 15 {
            let draw = try await Draw(seed: seed)
            let methods = await draw.checkout.abilities().tenders.map(\.tender.method)
            for method in methods {
                // What a sale before it took is no longer left.
                let now = await draw.checkout.abilities()
                let ability = try #require(now[method])
                let isVoucher = ability.tender.kind == .voucher
                #expect(ability.needs.contains(.reference) == (isVoucher && ability.route != .refused))
                #expect((ability.refusal == nil) == (ability.route != .refused))
                #expect(ability.limit != 0, "\(seed): \(draw.words)")
                let end = await draw.sale(by: method, amount: Self.milk, isVoucher: isVoucher)
                #expect(end == expected(ability), "\(seed) \(method): \(draw.words)")
            }
        }
    }

    private func expected(_ ability: TenderAbility) -> String {
        if let refusal = ability.refusal { return refusal.code }
        if ability.needs.contains(.signIn) { return "sign_in_required" }
        if ability.needs.contains(.approval) { return "approval_required" }
        if let limit = ability.limit, limit < Self.milk {
            return ability.canExceed ? "approval_required" : "offline_card_limit"
        }
        return ability.route.rawValue
    }

    @Test("a voucher is refused without its number, and where it is not taken at all by that")
    func numbers() async throws {
        let ports = ScriptedPorts()
        let checkout = try ports.checkout(
            tenders: TenderList(json: [
                ["method": "cash", "kind": "cash"], ["method": "gift", "kind": "voucher", "offline": false],
            ]))
        func refusal() async -> SaleRefusal? {
            do throws(SaleRefusal) {
                _ = try await checkout.sell(
                    SaleRequest(
                        lines: [.init(barcode: "4006381333931")], payments: [.init(method: "gift")]))
                return nil
            } catch {
                return error
            }
        }
        #expect(await refusal() == .referenceRequired("gift"))
        ports.with { ($0.mode, $0.causes) = (.offline, [.network]) }
        #expect(await refusal() == .tenderRefused("gift", isOnline: false))
    }

    @Test("of two reasons the first of clock, shift and disk refuses, before the tender's own")
    func order() throws {
        let clock = SaleRefusal.clockDiffers(own: "1", hub: "2")
        var facts = TillFacts(tenders: [.cash, .card])
        facts.payment = .noPayments
        func codes() -> [String?] { TillAbilities(facts).tenders.map(\.refusal?.code) }
        #expect(codes() == [nil, "card_offline"])
        facts.disk = .diskFull(path: "/")
        #expect(codes() == ["disk_full", "disk_full"])
        facts.lacksShift = true
        #expect(codes() == ["shift_required", "shift_required"])
        facts.clock = clock
        #expect(codes() == ["clock_differs", "clock_differs"])
        #expect(TillAbilities(facts)[.refund].refusal?.code == "disk_full")
        #expect(TillAbilities(facts)[.park].refusal == nil)
    }

    @Test("in a store with a manager an approval exceeds the limit of cards; without one nothing does")
    func approvals() throws {
        let calendar = try #require(BusinessCalendar(timeZone: "UTC"))
        let now = MachineMoment(wall: 0, boot: 0, bootId: "b")
        var facts = TillFacts(tenders: [.card])
        (facts.isOnline, facts.payment) = (false, .network)
        func ability(perShift: Int64) -> TenderAbility {
            facts.storage = .init(
                room: OfflineCardRoom(
                    beside: [], within: OfflineCardLimits(perSale: 9, perShift: perShift, perTerminal: 9),
                    at: now, shift: nil, calendar: calendar))
            return TillAbilities(facts).tenders[0]
        }
        #expect(ability(perShift: 5).limit == 5 && ability(perShift: 5).needs == [])
        #expect(ability(perShift: 0).refusal == .offlineCardLimit(.perShift))
        (facts.people.hasCashiers, facts.people.hasManager) = (true, true)
        #expect(ability(perShift: 0).needs == [.signIn, .approval] && ability(perShift: 0).limit == nil)
        facts.people.role = .manager
        #expect(ability(perShift: 0).needs == [] && ability(perShift: 5).limit == nil)
        facts.storage?.lease = 0
        #expect(TillAbilities(facts).tenders[0].refusal == .offlineCardLimit(.perStore))
    }

    @Test("a first machine that took nothing leaves the card to the payment service, and the till says why")
    func passedMachine() throws {
        var facts = TillFacts(tenders: [.card])
        facts.machine = .init(isFirst: true)
        func card() -> TenderAbility { TillAbilities(facts).tenders[0] }
        let obstacles: [(MachineReadiness, TillObstacle?)] = [
            (.ready, nil), (.away, .machineAway), (.refused, .machineRefused), (.busy, .machineBusy),
        ]
        for (readiness, obstacle) in obstacles {
            facts.machine?.readiness = readiness
            facts.payment = nil
            #expect(card().route == (obstacle == nil ? .machine : .hub))
            #expect(card().obstacle == obstacle)
            // Where nothing else takes the card it is tried again; the payment service is no obstacle of it.
            for payment: TillObstacle in [.noPayments, .network] {
                facts.payment = payment
                #expect(card().route == .machine && card().obstacle == obstacle)
            }
        }
        facts.machine?.readiness = .undecided
        facts.payment = nil
        #expect(card().refusal == .cardMachine(.undecided))
        // One that comes second is there because of the payment service.
        facts.machine = .init(isFirst: false, readiness: .refused)
        #expect(card().route == .hub && card().obstacle == nil)
        facts.payment = .network
        #expect(card().route == .machine && card().obstacle == .network)
        let calendar = try #require(BusinessCalendar(timeZone: "UTC"))
        facts.storage = .init(
            room: OfflineCardRoom(
                beside: [], within: OfflineCardLimits(perSale: 9, perShift: 9, perTerminal: 9),
                at: MachineMoment(wall: 0, boot: 0, bootId: "b"), shift: nil, calendar: calendar))
        #expect(card().route == .stored && card().obstacle == .network)
        facts.machine?.isFirst = true
        #expect(card().route == .stored && card().obstacle == .machineRefused)
        facts.machine?.readiness = .ready
        #expect(card().route == .machine && card().obstacle == nil)
    }

    @Test("points are refused in the order of a sale, and up to what the till can spend")
    func points() {
        var facts = PointsFacts()
        func code() -> String? { PointsAbility(facts).refusal?.code }
        #expect(code() == "points_not_offered")
        facts.scheme = PointsScheme(earnEvery: 100, value: 5, minimumSpend: 10)
        #expect(code() == "points_member_unknown")
        facts.isMemberKnown = true
        #expect(code() == "points_unavailable")
        facts.held = 9
        #expect(code() == "points_unavailable")
        facts.held = 40
        #expect(PointsAbility(facts).limit == 40 && PointsAbility(facts).route == .local)
        #expect(PointsAbility(facts).refusal(of: 41) == .unavailable(wanted: 41, available: 40))
        #expect(PointsAbility(facts).refusal(of: 9) == .belowMinimum(10))
        facts.isShared = true
        #expect(PointsAbility(facts).limit == nil && PointsAbility(facts).route == .local)
        #expect(PointsAbility(facts).refusal(of: 41) == nil)
        (facts.isLending, facts.balance) = (true, 100)
        #expect(PointsAbility(facts).limit == nil && PointsAbility(facts).route == .hub)
        facts.isBalanceFresh = true
        #expect(PointsAbility(facts).limit == 100 && PointsAbility(facts).balance == 100)
    }
}

/// How the hub is at the moment of a sale with points.
private enum PointsLink: CaseIterable {
    case responding
    /// Connections to it are refused, and the mode is still online.
    case refusing
    case offline
    /// Its service for members is faulty; that of the leases is not.
    case withoutMembers
}

/// The points of a member: link × leases × what the hub has and lends.
@Suite("What the till says of points is what a sale that spends them does")
struct PointsMatrixTests {
    /// A till whose member has `held` points in leases, of `balance` in all.
    private func till(_ link: PointsLink, held: Int64, balance: Int64) throws -> Checkout {
        let ports = ScriptedPorts()
        for side in [ports.hub, ports.copy] {
            side.with { ($0.members, $0.points) = (["M1": ("Li", "13800138000")], ["M1": balance]) }
        }
        let leases = ScriptedLeases(
            held: held > 0 ? [("a", held)] : [], lending: balance - held)
        switch link {
        case .responding: break
        case .refusing:
            ports.hub.with { $0.error = .unclear(detail: "connection refused") }
            leases.with { $0.isSilent = true }
        case .offline: ports.with { ($0.mode, $0.causes) = (.offline, [.network]) }
        case .withoutMembers: ports.with { $0.faultyServices = ["member"] }
        }
        return try ports.checkout(
            points: PointsScheme(earnEvery: 100, value: 5, minimumSpend: 10), leases: leases)
    }

    /// What a sale that spends `points` did: `sold`, or the code of its refusal.
    private func sale(_ points: Int64, at till: Checkout) async -> String {
        var request = SaleRequest(
            lines: [.init(barcode: "4006381333931", quantityMilli: 100_000)], memberId: "M1")
        request.points = points
        do throws(SaleRefusal) {
            _ = try await till.sell(request)
            return "sold"
        } catch {
            return error.code
        }
    }

    @Test("with the hub, without it, and in the second in which it is gone and the mode is online")
    func matrix() async throws {
        for link in PointsLink.allCases {
            for (held, balance) in [(0, 0), (0, 9), (0, 90), (9, 90), (40, 40), (40, 90)] as [(Int64, Int64)]
            {
                let words = Comment(rawValue: "\(link) held \(held) of \(balance)")
                func fresh() throws -> Checkout { try till(link, held: held, balance: balance) }
                let ability = try await fresh().abilities(ofMember: "M1").points
                #expect(ability.balance == balance, words)
                guard let most = ability.limit else {
                    // Only where nobody responds about the member is the number the hub's.
                    #expect(link == .withoutMembers && ability.route == .hub, words)
                    #expect(await sale(max(10, balance), at: try fresh()) != "points_member_unknown", words)
                    continue
                }
                let least = await sale(10, at: try fresh())
                #expect(least == (ability.refusal?.code ?? "sold"), words)
                if ability.refusal == nil {
                    #expect(await sale(most, at: try fresh()) == "sold", words)
                }
                #expect(await sale(max(10, most + 1), at: try fresh()) == "points_unavailable", words)
            }
        }
    }
}

/// Charges whatever it is asked for.
private struct WillingMachine: CardMachine {
    func charge(_ known: DeviceRequest) async -> DeviceRequest {
        var request = known
        let now = Instant(nanoseconds: 0)
        _ = request.handle(.opened(.init(kind: .zvt, address: "tcp:m:1")), at: now)
        _ = request.handle(.ended(.done(DeviceProof(reference: "R"))), at: now)
        return request
    }

    func giveBack(key: String) async -> Bool { true }

    func refund(
        key: String, refundId: String, amount: Int64, currency: String, isAttended: Bool
    ) async -> MachineRefund { .refunded }
}
