import Base

internal import MachineRuntime
internal import OfflineCore
internal import OfflineMode
internal import Synchronization

/// The services of the hub that the checkout sends requests to.
package enum HubService: String, CaseIterable, Sendable {
    case order, account, member, marketing, payment
    /// Requested by routes of members, with a wait of its own.
    case lease
}

/// The wait of one sale, quote or sign-in, whose requests are sent one after another.
final class SaleWaiting: Sendable {
    /// False for a sign-in: its person waits, whatever the sales before did.
    let isOfSale: Bool
    private let state: Mutex<SaleWait>
    private let tills = Mutex(Duration.zero)

    init(budget: Duration, isOfSale: Bool = true) {
        self.isOfSale = isOfSale
        state = Mutex(SaleWait(budget: budget))
    }

    var wait: SaleWait { state.withLock { $0 } }

    /// What was waited for the store's other tills, one after another.
    var forTills: Duration { tills.withLock { $0 } }

    func addForTills(_ elapsed: Duration) { tills.withLock { $0 += elapsed } }

    /// Adds a wait; returns the sum with it.
    func add(_ elapsed: Duration, for service: String) -> SaleWait {
        state.withLock { wait in
            wait.add(elapsed, for: service)
            return wait
        }
    }
}

/// Sends requests to the hub on behalf of a sale, within the sale's one wait budget.
///
/// A service gets requests while its route is online. Without a response within what is left of the budget
/// the sale is decided from the terminal's own copy. The request itself continues to its own deadline, so
/// that its outcome is evidence about the service. ``CashierWaitBudget`` decides which services the next
/// sales wait for. A request to another one is sent all the same and nobody waits for it: its response makes
/// sales wait again, its failure is counted.
///
/// Registered as a participant it ends its waits when the terminal goes offline, and sales wait for the hub
/// again as soon as it is back.
final class HubInquiry: Sendable {
    private let modes: any OfflineModeProviding
    private let time: any SystemTime
    private let waits: SaleWaits
    /// The waits that ``terminalWillGoOffline(causes:)`` ends, by number.
    private let pending = Mutex<(next: Int, waits: [Int: @Sendable () -> Void])>((0, [:]))

    init(modes: any OfflineModeProviding, time: any SystemTime, waits: SaleWaits) {
        self.modes = modes
        self.time = time
        self.waits = waits
    }

    /// Whether a sale waits for a response of `service` now.
    func isAwaited(_ service: HubService) -> Bool {
        modes.route(of: service.rawValue) == .online && waits.current.waits(for: service.rawValue)
    }

    /// The outcome of a request.
    enum Reply<Response: Sendable>: Sendable {
        case response(Response)
        /// Nothing was sent, since the service's route is local, or the response has no data.
        case none
        /// No response came in time, or the sale does not wait for the service.
        case silence
    }

    /// A request to the hub, which may be sent several times.
    typealias Query<Response: Sendable> = @Sendable () async throws(InquiryError) -> Response

    /// The response of `service`; nil: decide from the terminal's own copy.
    func query<Response: Sendable>(
        _ service: HubService, within waiting: SaleWaiting, _ query: @escaping Query<Response>
    ) async -> Response? {
        let reply = await reply(of: service, within: waiting, isRepeatable: true, query)
        guard case .response(let response) = reply else { return nil }
        return response
    }

    /// The outcome of ``query(_:within:_:)``, for a caller that handles silence and a bad response
    /// differently.
    ///
    /// - Parameter isRepeatable: whether a request without a response may be sent again in the background;
    ///   false for one that the hub counts, as a try of a PIN.
    func reply<Response: Sendable>(
        of service: HubService, within waiting: SaleWaiting, isRepeatable: Bool,
        _ query: @escaping Query<Response>
    ) async -> Reply<Response> {
        let service = service.rawValue
        guard modes.route(of: service) == .online else { return .none }
        guard !waiting.isOfSale || waits.current.waits(for: service) else {
            sendUnawaited(service, query)
            return .silence
        }
        let remaining = waiting.wait.remaining
        guard remaining > .zero else { return .silence }
        let start = time.now()
        let (outcome, isEnded) = await outcome(of: service, query, within: remaining)
        let elapsed = time.now() - start
        if isEnded { return .none }
        if let outcome {
            _ = waiting.add(elapsed, for: service)
            return (try? outcome.get()).map(Reply.response) ?? .none
        }
        // A caller that is gone has not waited its budget.
        guard !Task.isCancelled else { return .silence }
        let spent = waiting.add(max(elapsed, remaining), for: service)
        waits.update { $0.spend(spent, waitingFor: service) }
        if isRepeatable { sendTrials(service, query) }
        return .silence
    }

    /// Nil when the wait budget ends first, or the terminal goes offline; `isEnded` is true for that.
    private func outcome<Response: Sendable>(
        of service: String, _ query: @escaping Query<Response>, within waitBudget: Duration
    ) async -> (outcome: Result<Response, InquiryError>?, isEnded: Bool) {
        let wait = Task { await self.race(service, query, within: waitBudget) }
        let number = pending.withLock { pending in
            pending.next += 1
            pending.waits[pending.next] = wait.cancel
            return pending.next
        }
        let outcome = await withTaskCancellationHandler {
            await wait.value
        } onCancel: {
            wait.cancel()
        }
        let isEnded = pending.withLock { $0.waits.removeValue(forKey: number) == nil }
        return (outcome, isEnded && outcome == nil)
    }

    private func race<Response: Sendable>(
        _ service: String, _ query: @escaping Query<Response>, within waitBudget: Duration
    ) async -> Result<Response, InquiryError>? {
        do throws(InquiryError) {
            return try await withDeadline(time.now() + waitBudget, on: time, cancels: false) {
                () throws(InquiryError) in
                try await self.timed(service, query)
            }
            .map { .success($0) }
        } catch {
            return .failure(error)
        }
    }

    /// Sends the request and notes how long its response took.
    private func timed<Response: Sendable>(
        _ service: String, _ query: Query<Response>
    ) async throws(InquiryError) -> Response {
        let start = time.now()
        let response = try await query()
        let elapsed = time.now() - start
        waits.update { $0.noteResponse(of: service, took: elapsed) }
        return response
    }

    /// Sends the request without a waiting sale.
    private func sendUnawaited<Response: Sendable>(_ service: String, _ query: @escaping Query<Response>) {
        guard waits.update({ $0.beginUnawaited(service) }) else { return }
        Task {
            _ = try? await self.timed(service, query)
            self.waits.update { $0.endUnawaited(service) }
        }
    }

    /// Sends a request without a response again, until there is one: a service that hangs is reported by the
    /// count of its failures, and a terminal alone has no others.
    private func sendTrials<Response: Sendable>(_ service: String, _ query: @escaping Query<Response>) {
        Task {
            while true {
                let next = self.time.now() + CashierWaitBudget.trialInterval
                guard (try? await self.time.sleep(until: next)) != nil,
                    self.modes.route(of: service) == .online,
                    self.waits.update({ $0.takeTrial(of: service) })
                else { return }
                self.sendUnawaited(service, query)
            }
        }
    }
}

extension HubInquiry: OfflineModeParticipant {
    /// Ends every wait: the customer is served from the terminal's own copy at once. The requests run on.
    func terminalWillGoOffline(causes: [OfflineCause]) async {
        let waits = pending.withLock { pending in
            defer { pending.waits = [:] }
            return pending.waits.values
        }
        for end in waits { end() }
    }

    /// The next sale waits for the hub again, but for services that were too slow by themselves.
    func terminalDidComeOnline() async {
        waits.update { $0.noteHubBack() }
    }
}

/// Why a request about people or offers has no result.
package enum InquiryError: Error, Hashable, Sendable {
    /// The hub did not respond, or its response cannot be read: decide from the terminal's own copy.
    case unclear(detail: String)
    /// The store on disk failed; `detail` is the store's own text.
    case unavailable(detail: String)
}
