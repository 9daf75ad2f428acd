import Base
import OfflineCore

/// A terminal's timeline with one core service as a string: one column a second.
///
/// Events: `o` the service served, `x` it responded 503, `!` the network was lost, `^` it came back,
/// `r` a person requested a retry, `.` nothing. Results: `-` healthy, `s` suspect, `F` faulty,
/// `~` recovering. Decisions of QoS: `h` healthy, `f` faulty, `v` recovering, `_` is silent; the last
/// column continues forever. Each change of the decision is a new generation.
struct ServiceTimeline {
    static let push = APIRoute(method: "POST", template: "/v1/mutations")

    var detector: ServiceFaultDetector
    var qos: [Character]
    /// Whether canaries are good, a column a second like QoS: `o` or `x`.
    var canaries: [Character]
    var pollAfter = Duration.seconds(5)
    var validity = Duration.seconds(60)
    var source = ServiceDecision.Source.reports
    /// Whether each change of QoS's decision comes from another issuer, which begins its generations anew.
    var issuersTakeTurns = false
    /// How often the terminal switched.
    private(set) var switches = 0
    /// Each query and canary with its second: `7?` and `9!`.
    private(set) var calls: [String] = []
    private var now = Instant(nanoseconds: 0)
    private var replies: [(at: Instant, event: ServiceEvent)] = []

    init(qos: String, canaries: String = "o", settings: ServiceSettings = ServiceSettings(dwell: .zero)) {
        detector = ServiceFaultDetector(settings: settings, apis: .standard, seed: 1, at: now)
        self.qos = Array(qos)
        self.canaries = Array(canaries)
    }

    mutating func play(_ columns: String) -> String {
        var shown = ""
        for column in columns {
            act(column)
            pass(.seconds(1))
            shown.append(Self.letter(of: detector.statuses.first { $0.service == "order" }?.state))
        }
        return shown
    }

    /// What the detector shows after `duration` in which nothing happened.
    mutating func wait(_ duration: Duration) -> String {
        pass(duration)
        return String(Self.letter(of: detector.statuses.first { $0.service == "order" }?.state))
    }

    private mutating func act(_ column: Character) {
        switch column {
        case "o": feed(.outcomeObserved(api: Self.push, outcome: .success))
        case "x": feed(.outcomeObserved(api: Self.push, outcome: .service(.status(503))))
        case "!": feed(.networkLost)
        case "^": feed(.networkBecameReachable)
        case "r": feed(.retryRequested)
        default: break
        }
    }

    /// Runs replies and deadlines in their order, up to just before the next column.
    private mutating func pass(_ duration: Duration) {
        let end = now + duration
        while true {
            let reply = replies.map(\.at).min()
            let next = [reply, detector.deadline].compactMap { $0 }.min()
            guard let next, next < end else { break }
            now = max(now, next)
            if let reply, reply <= now, let index = replies.firstIndex(where: { $0.at == reply }) {
                feed(replies.remove(at: index).event)
            } else {
                feed(.deadlineReached)
            }
        }
        now = end
    }

    private mutating func feed(_ event: ServiceEvent) {
        let wasFault = detector.causeHolds
        for effect in detector.handle(event, at: now) { response(effect) }
        if detector.causeHolds != wasFault { switches += 1 }
    }

    private mutating func response(_ effect: ServiceEffect) {
        let second = Int(now.nanoseconds / 1_000_000_000)
        switch effect {
        case .queryQoS(let tag, _):
            calls.append("\(second)?")
            reply(to: tag, second)
        case .reportQoS(let tag, _): reply(to: tag, second)
        case .sendCanary(let tag, let service):
            calls.append("\(second)!")
            let good = canaries[min(second, canaries.count - 1)] == "o"
            replies.append((now, .canaryFinished(service: service, tag: tag, good: good)))
        case .paceResume: break
        }
    }

    private mutating func reply(to tag: UInt64, _ second: Int) {
        let index = min(second, qos.count - 1)
        guard let state = Self.word(qos[index]) else {
            replies.append((now + .seconds(3), .qosFailed(tag: tag)))
            return
        }
        let generation = (0...index).count { $0 > 0 && qos[$0] != qos[$0 - 1] } + 1
        let response = QoSResponse(
            issuer: issuersTakeTurns ? "issuer \(generation % 2)" : "one",
            decisions: [
                .drawn(
                    state, generation: issuersTakeTurns ? 1 : Int64(generation), source: source,
                    validity: validity, pollAfter: pollAfter)
            ])
        replies.append((now, .qosResponded(response, tag: tag, sentAt: now)))
    }

    private static func word(_ column: Character) -> ServiceDecision.State? {
        switch column {
        case "h": .healthy
        case "f": .faulty
        case "v": .recovering
        default: nil
        }
    }

    private static func letter(of state: ServiceStatus.State?) -> Character {
        switch state {
        case .healthy?: "-"
        case .suspect?: "s"
        case .faulty?: "F"
        case .recovering?: "~"
        case nil: " "
        }
    }
}

extension ServiceDecision {
    static func drawn(
        _ state: State, of service: String = "order", generation: Int64, source: Source = .reports,
        validity: Duration = .seconds(60), pollAfter: Duration = .seconds(30), resume: ResumePace? = nil
    ) -> ServiceDecision {
        ServiceDecision(
            service: service, state: state, scope: .global, generation: generation, reason: nil,
            source: source, validity: validity, pollAfter: pollAfter, resume: resume)
    }
}
