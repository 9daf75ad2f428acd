import Base
import CurlTransport
import HubProtocol
import OfflineCore
import OfflineMode
import Synchronization
import TestKit
import Testing

/// The outbox machine in virtual time, sending through libcurl to a scripted hub on a real socket.
@Suite("A drain past what gets no result", .timeLimit(.minutes(2)))
struct DrainPastTroubleTests {
    /// What the hub gives in the place of a result.
    enum Trouble: Sendable, CaseIterable {
        case status404, status500, page403, code401, cut, silence

        var response: ScriptedResponse {
            switch self {
            case .status404: .problem(404, code: "not_found")
            case .status500: .problem(500, code: "internal")
            case .page403: .whole(403, type: "text/html", body: "<!DOCTYPE html><html>blocked</html>")
            case .code401: .problem(401, code: "token_expired")
            case .cut: .reset
            case .silence: .stall
            }
        }
    }

    /// Twenty rows, of which `poison` hold a text that the hub, or a filter before it, does not let through.
    private struct Drain {
        let bench: HubBench
        var machine: OutboxMachine
        var now = Instant(nanoseconds: 0)
        var sent: Set<String> = []
        var notes: [String: String] = [:]
        var delivery = DeliveryState.well
        var pushes = 0
        private let items: [OutboxItem]
        private var effects: [OutboxEffect]

        init(
            _ trouble: Trouble, _ isBad: @escaping @Sendable (ScriptedRequest) -> Bool, poison: Set<Int>
        ) throws {
            let bench = try HubBench(requestTimeout: .milliseconds(300))
            bench.tokens.refuseRenewal()
            let items = (1...20).map { number in
                let text = poison.contains(number) ? "' OR 1=1; DROP TABLE" : "good"
                return OutboxItem(
                    id: "row-\(number)-", sequence: Int64(number), orderingKey: "\(number)",
                    type: "note.upserted", body: Array(#"{"id":"row-\#(number)-","text":"\#(text)"}"#.utf8))
            }
            let ids = items.map(\.id)
            bench.server.handle { request in
                if isBad(request) { return trouble.response }
                let results = ids.filter { request.text.contains($0) }
                    .map { #"{"id":"\#($0)","outcome":"applied"}"# }
                guard request.path.hasSuffix("batch") else { return .json(201, results.first ?? "{}") }
                let list = results.joined(separator: ",")
                return .json(200, #"{"results":[\#(list)],"acknowledgedThrough":0,"missing":[]}"#)
            }
            var machine = OutboxMachine(seed: 1)
            effects = machine.handle(.rowsChanged, at: Instant(nanoseconds: 0))
            (self.bench, self.items, self.machine) = (bench, items, machine)
        }

        /// Runs until `end` of the virtual time, or until nothing is left.
        mutating func run(until end: Instant) async {
            while now < end, sent.count < items.count {
                var next: OutboxEvent?
                for effect in effects { next = await perform(effect) ?? next }
                if next == nil {
                    guard let due = machine.deadline else { return }
                    now = max(now, due)
                }
                effects = machine.handle(next ?? .deadlineReached, at: now)
            }
        }

        private mutating func perform(_ effect: OutboxEffect) async -> OutboxEvent? {
            switch effect {
            case .load(let after, _):
                let left = items.filter { $0.sequence > after && !sent.contains($0.id) }
                return .loaded(
                    left.map {
                        OutboxEntry(
                            id: $0.id, sequence: $0.sequence, orderingKey: $0.orderingKey,
                            bytes: $0.body.count)
                    }, reachedEnd: true)
            case .push(let ids):
                pushes += 1
                let rows = items.filter { ids.contains($0.id) }
                let uplink = CurlMutationUplink(client: bench.client)
                let depth = OutboxDepth(
                    pending: rows.count, oldestMadeAt: nil, rejected: 0, conflicted: 0,
                    acknowledgedThrough: 0, lowSequence: 1, epoch: 1)
                return .pushFinished(await uplink.push(rows, at: depth))
            case .write(.record(let results, _)):
                for result in results where result.outcome.isFinal { sent.insert(result.id) }
                return .written
            case .write(.note(let problem, let id)):
                notes[id] = problem
                return .written
            case .write(.reopen), .write(.adopt), .write(.keep): return .written
            case .announceDelivery(let state):
                delivery = state
                return nil
            case .measurePath, .announceResults, .useSmallSegments, .endWaits, .endAllWaits, .finishCanary,
                .finishSync:
                return nil
            }
        }
    }

    @Test(
        "entries that get no result stay with their problem, and all others arrive: one, or three in a row",
        arguments: Trouble.allCases, [Set([5]), Set([1, 2, 3])])
    func poison(trouble: Trouble, poison: Set<Int>) async throws {
        var drain = try Drain(
            trouble, { $0.text.contains("DROP TABLE") }, poison: poison)
        await drain.run(until: Instant(nanoseconds: 0) + .seconds(240))
        let bad = Set(poison.map { "row-\($0)-" })
        #expect(drain.sent.count == 20 - poison.count)
        #expect(drain.sent.isDisjoint(with: bad))
        #expect(Set(drain.notes.keys) == bad)
        #expect(drain.delivery.entries == poison.count)
        #expect(drain.delivery.trouble != .account)
        #expect(drain.pushes < 240)
    }

    @Test("404 on every push is the route's trouble, with few requests, and all is sent once it has ended")
    func routeGone() async throws {
        let isWell = Switch()
        var drain = try Drain(.status404, { _ in !isWell.current }, poison: [])
        await drain.run(until: Instant(nanoseconds: 0) + .seconds(300))
        guard case .route? = drain.delivery.trouble else {
            Issue.record("\(drain.delivery)")
            return
        }
        #expect(drain.pushes < 40)
        #expect(drain.notes.isEmpty)
        isWell.set()
        let ended = drain.now
        await drain.run(until: ended + .seconds(35))
        #expect(drain.sent.count == 20)
        #expect(drain.delivery == .well)
    }
}

/// Whether the route is back.
private final class Switch: Sendable {
    private let state = Mutex(false)

    var current: Bool { state.withLock { $0 } }

    func set() { state.withLock { $0 = true } }
}
