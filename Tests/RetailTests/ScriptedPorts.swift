import Base
import HubProtocol
import OfflineCore
import OfflineMode
import Pricing
import Retail
import Synchronization
import Testing
import MachineRuntime

/// A terminal's ports that respond as a test sets them, and record their requests.
final class ScriptedPorts: Sendable {
    struct State {
        var mode = Mode.online
        var causes: [OfflineCause] = []
        var paymentRoute = Route.online
        var connectivity = ConnectivitySnapshot.State.online
        /// Services whose route is local while the mode is online.
        var faultyServices: Set<String> = []
        var outcomes: [DeviceResponse] = []
        /// Why the hub takes no card of this till.
        var cardObstacle: TillObstacle?
        var queries: [DeviceFinding] = []
        var commitError: StorageError?
        /// Whether a commit that fails with ``commitError`` reached the disk.
        var commitReachesDisk = false
        var voidError: StorageError?
        var openShift: String?
        var readinessError: StorageError?
        var isDelivered = true
        var waitBudget = Duration.milliseconds(1500)
        var sales: [ULID: Sale] = [:]
        var openIntents: [CardIntent] = []
        var waitingIntents: [CardIntent] = []
        var waitingCarts: [KeptCart] = []
        var unseen: [CardIntent] = []
        /// How far the hub's clock is ahead, in milliseconds; nil: no response yet.
        var hubAhead: Int64?
        /// Whether the difference came from a leap of the hub's clock.
        var isHubsFault = false
        /// Publishes changes of the status.
        var changes: AsyncStream<Void>?
        var log: [String] = []
        var participants: [any OfflineModeParticipant] = []
        var wall: Int64 = 1_795_234_567_000
        /// How far the wall clock was set ahead of the boot clock.
        var wallShift: Int64 = 0
        var bootId = "boot-1"
        /// What the boot clock showed when ``bootId`` began.
        var bootAt: Int64 = 0
        var failedPINs: [String: FailedPINs] = [:]
        var signIn: SignIn?
        /// How often ``signIn`` was written.
        var signInsKept = 0
        var peopleError: StorageError?
        /// Suspends the first authorisation until it is released.
        var gate: AsyncStream<Void>?
    }

    let state = Mutex(State())
    /// The hub's people and offers.
    let hub = ScriptedCounter()
    let saleWaits = SaleWaits()
    /// Those of the till's own copy.
    let copy = ScriptedCounter()

    func with<Value>(_ body: (inout State) -> sending Value) -> sending Value {
        state.withLock { body(&$0) }
    }

    var log: [String] { with { $0.log } }

    func note(_ entry: String) { with { $0.log.append(entry) } }

    static let milk = Product(
        sku: "S1", barcode: "4006381333931", name: "Milk 1l", department: "dairy", price: 125,
        currency: "CNY",
        taxBasisPoints: 900, isDivisible: false, isCounted: true)
    static let apples = Product(
        sku: "S2", barcode: "2000001", name: "苹果", department: "fruit", price: 333, currency: "CNY",
        taxBasisPoints: 1300,
        isDivisible: true, isCounted: false)
    static let saffron = Product(
        sku: "S8", barcode: "2000002", name: "Saffron", department: "spice", price: 500_000,
        currency: "CNY", taxBasisPoints: 1300, isDivisible: true, isCounted: false)
    static let gift = Product(
        sku: "S3", barcode: "0", name: "Gift", department: "", price: 0, currency: "CNY", taxBasisPoints: 0,
        isDivisible: false, isCounted: false)
    static let repair = Product(
        sku: "S5", barcode: "OPEN", name: "Repair", department: "", price: 0, currency: "CNY",
        taxBasisPoints: 900, isDivisible: false, isCounted: false, hasOpenPrice: true)
    static let foreign = Product(
        sku: "S4", barcode: "EUR", name: "Import", department: "", price: 100, currency: "EUR",
        taxBasisPoints: 0,
        isDivisible: false, isCounted: false)

    /// Of currencies without decimals and with three.
    static let further = ["JPY", "KWD"].map { currency in
        Product(
            sku: currency, barcode: currency, name: "Import", department: "", price: 1250, currency: currency,
            taxBasisPoints: 0, isDivisible: false, isCounted: false)
    }

    func checkout(
        smallestCoin: Int64 = 1, listing: Set<ApprovalAction>? = nil, adding: Set<ApprovalAction> = [],
        takesCards: Bool = true, barcodeRules: String = "", tenders: TenderList? = nil,
        points: PointsScheme = .none, requiresShift: Bool = false, countryCode: Int? = nil,
        leases: any LeaseWallet & LeaseLending = NoLeases(), tills: any LeaseSharing = NoLeases(),
        machine: (any CardMachine)? = nil,
        offlineCards: (OfflineCardService, OfflineCardLimits)? = nil
    ) throws -> Checkout {
        var policy = try Self.policy()
        policy.listedApprovals = listing
        policy.addedApprovals = adding
        policy.smallestCoin = smallestCoin
        policy.takesCards = takesCards
        policy.listedTenders = tenders
        policy.barcodeRules = BarcodeRule.list(barcodeRules) ?? []
        policy.pinWaitBudget = .milliseconds(50)
        policy.points = points
        policy.requiresShift = requiresShift
        policy.countryCode = countryCode
        policy.offlineCards = offlineCards?.1
        let rules = policy
        return Checkout(
            ports: CheckoutPorts(
                modes: self, catalogue: self, ledger: self, intents: self, cards: self,
                counter: CounterPorts(
                    cashiers: hub, roster: copy, failedPINs: self, signIns: self, members: hub,
                    memberBook: copy,
                    offers: hub, offerCopy: copy),
                delivery: self, time: self, hubClock: self, saleWaits: saleWaits,
                offlineCards: offlineCards?.0, machine: machine,
                wallet: leases, lender: leases, tills: tills),
            policy: rules)
    }

    static func policy() throws -> CheckoutPolicy {
        CheckoutPolicy(
            calendar: try #require(BusinessCalendar(timeZone: "Asia/Shanghai")),
            receiptHeader: ["角落商店 Corner Shop"])
    }
}

extension ScriptedPorts: OfflineModeProviding {
    var status: ModeStatus {
        let (mode, causes) = with { ($0.mode, $0.causes) }
        let zero = Instant(nanoseconds: 0)
        return ModeStatus(
            mode: mode, since: zero, causes: causes,
            manual: ManualStatus(isOn: false, since: nil, by: nil, reason: nil),
            network: NetworkStatus(
                state: .reachable, since: zero, evidence: [], debounce: .seconds(8), deadline: nil),
            services: [],
            connectivity: ConnectivitySnapshot(
                state: with { $0.connectivity }, transport: .ethernet, isMetered: false, isConstrained: false,
                latencyMilliseconds: nil, lastInternetOk: nil, lastBackendOk: nil,
                captivePortalSuspected: false, reason: .none))
    }

    func statuses() -> AsyncStream<ModeStatus> {
        guard let changes = with({ $0.changes }) else { return AsyncStream { $0.finish() } }
        let (statuses, continuation) = AsyncStream.makeStream(of: ModeStatus.self)
        Task {
            for await _ in changes { continuation.yield(status) }
            continuation.finish()
        }
        return statuses
    }

    func route(of service: String) -> Route {
        with { state in
            if service == "payment" { return state.paymentRoute }
            return state.mode == .online && !state.faultyServices.contains(service) ? .online : .local
        }
    }

    func register(_ participant: any OfflineModeParticipant) {
        with { $0.participants.append(participant) }
    }
}

extension ScriptedPorts: Catalogue {
    func stock(of skus: Set<String>) async throws(CatalogueError) -> [String: StockLevel] { [:] }

    func priceChange(of skus: Set<String>) async throws(CatalogueError) -> Int64? { nil }

    func products(barcodes: Set<String>) async throws(CatalogueError) -> [String: Product] {
        let all = [Self.milk, Self.apples, Self.saffron, Self.gift, Self.foreign, Self.repair] + Self.further
        return Dictionary(all.filter { barcodes.contains($0.barcode) }.map { ($0.barcode, $0) }) { $1 }
    }

    func departments() async throws(CatalogueError) -> [Department] {
        [
            Department(name: "food", taxBasisPoints: 700, currency: "CNY"),
            Department(name: "food", taxBasisPoints: 1900, currency: "CNY"),
            Department(name: "home", taxBasisPoints: 1300, currency: "CNY"),
        ]
    }

    func currency() async throws(CatalogueError) -> String? { "CNY" }
}

extension ScriptedPorts: SaleLedger {
    func checkReadiness() async throws(StorageError) {
        if let error = with({ $0.readinessError }) { throw error }
    }

    func readiness() async throws(StorageError) { try await checkReadiness() }

    func openShift() async throws(StorageError) -> String? { with(\.openShift) }

    func sale(key: ULID) async throws(StorageError) -> Sale? { with { $0.sales[key] } }

    func order(paidBy method: String, _ number: String) async throws(StorageError) -> String? {
        with { state in
            state.sales.values.first { sale in
                sale.content.payments.contains {
                    $0.method.name == method && $0.details.reference == number
                }
            }?.orderNumber.description
        }
    }

    func commit(
        _ draft: SaleDraft, for refund: RefundDraft
    ) async throws(StorageError) -> Result<CommittedSale, OrderRefusal> {
        .success(try await commit(draft))
    }

    func commit(_ draft: SaleDraft) async throws(StorageError) -> CommittedSale {
        let (error, reachesDisk) = with { ($0.commitError, $0.commitReachesDisk) }
        if let error, !reachesDisk { throw error }
        let committed = recorded(draft)
        if let error { throw error }
        return committed
    }

    private func recorded(_ draft: SaleDraft) -> CommittedSale {
        with { state in
            if let first = state.sales[draft.key] { return CommittedSale(sale: first, durable: .zero) }
            let sale = Sale(
                key: draft.key, orderId: draft.orderId ?? "order-\(state.sales.count + 1)",
                orderNumber: OrderNumber(
                    storeId: "S-1", terminalNumber: 2, businessDay: draft.businessDay,
                    counter: Int64(state.sales.count + 1)),
                mutationId: "mutation-\(state.sales.count + 1)", content: draft.content,
                isAcknowledged: false, voidedAt: nil)
            state.sales[draft.key] = sale
            state.openIntents.removeAll { $0.orderId == draft.orderId }
            state.waitingIntents.removeAll { $0.orderId == draft.orderId }
            state.log.append("commit")
            return CommittedSale(sale: sale, durable: .microseconds(300))
        }
    }
}

extension ScriptedPorts: CardIntentLedger {
    func open(
        _ request: CardRequest, at wallMilliseconds: Int64
    ) async throws(StorageError) -> CardIntent {
        with { state in
            let number = state.log.count(where: { $0.hasPrefix("intent") }) + 1
            let intent = CardIntent(
                key: "key-\(number)", orderId: request.orderId ?? "card-order-\(number)",
                saleKey: request.saleKey, amount: request.amount,
                currency: request.currency, openedAt: wallMilliseconds, method: request.method,
                channel: request.channel)
            state.openIntents.append(intent)
            state.log.append("intent \(intent.key) \(request.amount)")
            return intent
        }
    }

    func suspend(_ intents: [CardIntent], as cart: KeptCart) async throws(StorageError) {
        with { state in
            for intent in intents {
                state.openIntents.removeAll { $0.key == intent.key }
                state.waitingIntents.removeAll { $0.key == intent.key }
                state.waitingIntents.append(intent)
            }
            state.waitingCarts.append(cart)
            state.log.append("suspend " + intents.map(\.key).joined(separator: " "))
        }
    }

    func suspended() async throws(StorageError) -> [CardIntent] {
        with { $0.waitingIntents + $0.openIntents.filter(\.isVoiding) }
    }

    /// Gives the event to the intent's request, as the ledger on disk does.
    private func handle(
        _ event: DeviceRequest.Event, of key: String
    ) -> (request: DeviceRequest, effects: [DeviceRequest.Effect])? {
        with { state in
            guard var intent = (state.openIntents + state.waitingIntents).first(where: { $0.key == key })
            else { return nil }
            let effects = intent.request.handle(event, at: Instant(nanoseconds: 0))
            Self.replace(intent, in: &state)
            return (intent.request, effects)
        }
    }

    private static func replace(_ intent: CardIntent, in state: inout State) {
        func replaced(_ intents: [CardIntent]) -> [CardIntent] {
            intents.map { $0.key == intent.key ? intent : $0 }.filter {
                $0.request.state == .intent || !$0.request.isAtRest
            }
        }
        (state.openIntents, state.waitingIntents) = (
            replaced(state.openIntents), replaced(state.waitingIntents)
        )
    }

    /// A machine keeps what it does by itself.
    func note(_ request: DeviceRequest) {
        with { state in
            let intents = state.openIntents + state.waitingIntents
            guard var intent = intents.first(where: { $0.key == request.key }) else { return }
            intent.request = request
            Self.replace(intent, in: &state)
        }
    }

    /// The machine gave back what no sale took over.
    func settle(_ key: String) {
        with { state in
            state.openIntents.removeAll { $0.key == key }
            state.waitingIntents.removeAll { $0.key == key }
        }
    }

    func keep(_ intent: CardIntent) async throws(StorageError) {
        with { state in
            Self.replace(intent, in: &state)
            state.log.append((intent.request.proof == nil ? "declined " : "grant ") + intent.key)
        }
    }

    func giveUp(
        _ intent: CardIntent, reason: String, onlyUnsettled: Bool, at wallMilliseconds: Int64
    ) async throws(StorageError) -> DeviceRequest? {
        if let error = with({ $0.voidError }) { throw error }
        if onlyUnsettled, try await !unsettled().contains(where: { $0.key == intent.key }) { return nil }
        guard let (request, effects) = handle(.givenUp, of: intent.key), !effects.isEmpty else { return nil }
        if effects.contains(.recordVoid) { note("void \(intent.key)") }
        return request
    }

    func unsettled() async throws(StorageError) -> [CardIntent] {
        with { state in state.openIntents + state.waitingIntents.filter(\.isVoiding) }
    }

    func unseen() async throws(StorageError) -> [CardIntent] { with { $0.unseen } }

    func noteSeen(orderId: String) async throws(StorageError) {
        with { $0.unseen.removeAll { $0.orderId == orderId } }
    }
}

extension ScriptedPorts: CardAuthorizing {
    var obstacle: TillObstacle? { with { $0.cardObstacle } }

    func authorize(_ intent: CardIntent, deadline: Duration) async -> DeviceResponse {
        note("authorize \(intent.key) \(deadline.wholeMilliseconds)")
        if let gate = with({ $0.gate }) { for await _ in gate { break } }
        return with { $0.outcomes.isEmpty ? .lost(detail: "no script") : $0.outcomes.removeFirst() }
    }

    func query(key: String, deadline: Duration) async -> DeviceFinding {
        note("query \(key)")
        return with { $0.queries.isEmpty ? .open(detail: "no answer") : $0.queries.removeFirst() }
    }
}

extension ScriptedPorts {
    /// Of no payment that is forwarded anything is known.
    func forwarded(key: String, deadline: Duration) async -> StoredCardOutcome { .open }
}

extension DeviceProof {
    /// What the payment service granted.
    static func granted(_ approvalCode: String) -> DeviceProof {
        var proof = DeviceProof(reference: "")
        proof.approvalCode = approvalCode
        return proof
    }
}

extension ScriptedPorts: SaleDelivery {
    var waitBudget: Duration { with { $0.waitBudget } }

    func nudge() { note("nudge") }

    func waitForResult(of mutationId: String, within wait: SaleWait) async -> Bool {
        note("wait \(wait.remaining.wholeMilliseconds)")
        return with { $0.isDelivered }
    }
}

extension ScriptedPorts: SystemTime {
    func now() -> Instant { Instant(nanoseconds: with { $0.wall - $0.bootAt } * 1_000_000) }
    func wallMilliseconds() -> Int64 { with { $0.wall + $0.wallShift } }
    func suspended() -> Duration { .zero }
    var bootId: String { with { $0.bootId } }
}

extension ScriptedPorts: FailedPINStore {
    func failedPINs() async throws(StorageError) -> [String: FailedPINs] {
        if let error = with({ $0.peopleError }) { throw error }
        return with { $0.failedPINs }
    }

    func keep(
        _ failed: FailedPINs?, of cashierId: String, forgetting others: [String]
    ) async throws(StorageError) {
        if let error = with({ $0.peopleError }) { throw error }
        with { state in
            for other in others { state.failedPINs[other] = nil }
            state.failedPINs[cashierId] = failed
        }
    }
}

extension ScriptedPorts: SignInStore {
    func signIn() async throws(StorageError) -> SignIn? { with { $0.signIn } }

    func keep(_ signIn: SignIn?) async throws(StorageError) {
        if let error = with({ $0.peopleError }) { throw error }
        with { state in
            state.signIn = signIn
            state.signInsKept += 1
        }
    }
}

extension ScriptedPorts: HubClock {
    func hubMilliseconds() -> Int64? {
        with { state in state.hubAhead.map { state.wall + state.wallShift + $0 } }
    }

    func comparison() -> ClockComparison {
        with { state in
            state.hubAhead.map {
                .compared(hubAhead: $0, isConfirmed: true, isHubsFault: state.isHubsFault)
            } ?? .unknown
        }
    }
}
