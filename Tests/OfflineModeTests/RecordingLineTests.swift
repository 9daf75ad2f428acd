import Base
import OfflineCore
import Testing

@testable import OfflineMode

@Suite("Recording line")
struct RecordingLineTests {
    private enum Bench {
        static let start = Instant(nanoseconds: 1_000_000_000_000)
        static let push = APIRoute(method: "POST", template: "/v1/mutations")
        static let ethernet = PathStatus(
            isUsable: true, interface: "eth0", transport: .ethernet, isMetered: false, isConstrained: false,
            route: "eth0 192.0.2.2 via 192.0.2.1")
        static let noPath = PathStatus(
            isUsable: false, interface: nil, transport: .unknown, isMetered: false, isConstrained: false,
            route: "")
    }

    static let events: [OfflineEvent] = {
        let tag = ProbeTag(epoch: 3, sequence: .max)
        let flag = ManualFlag(since: -5, by: "Zoë = % \n", reason: "")
        let decision = ServiceDecision(
            service: "order", state: .faulty, scope: .store, generation: 8, reason: nil, source: .operator,
            validity: .seconds(60), pollAfter: .milliseconds(1_500),
            resume: ResumePace(after: .zero, ratePerMinute: -1))
        var events: [OfflineEvent] = [
            .manualRequested(ManualRequest(ticket: 1, flag: flag)),
            .manualRequested(ManualRequest(ticket: .max, flag: nil)),
            .manualRequested(
                ManualRequest(ticket: 2, flag: ManualFlag(since: 1, by: nil, reason: "\u{2028}-\u{301}"))),
            .manualFlagSaved(ticket: 4),
            .manualFlagSaveFailed(ticket: 5, .notDurable(path: "/a b", call: "rename", code: -28)),
            .pathChanged(Bench.ethernet), .pathChanged(Bench.noPath),
            .requestStalled(Bench.push, startedAt: Instant(nanoseconds: -1)),
            .requestMoves(since: Instant(nanoseconds: 7)),
            .qosResponded(QoSResponse(issuer: nil, decisions: []), tag: 1, sentAt: Bench.start),
            .qosResponded(
                QoSResponse(issuer: "-", decisions: [decision, decision]), tag: 1, sentAt: Bench.start),
            .qosFailed(tag: 9), .canaryFinished(service: "order", tag: 1, good: true),
            .canaryFinished(service: "", tag: 1, good: false), .retryRequested,
            .deliveryChanged(.well), .deliveryChanged(DeliveryState(trouble: .account, entries: 3)),
            .deliveryChanged(
                DeliveryState(trouble: .route(.http5xx, problem: "404 not_found: no {\"a b\"}"))),
            .deliveryChanged(DeliveryState(trouble: .entries(.timeout, problem: ""), entries: 1)),
            .clockGapObserved(.nanoseconds(1)), .deadlineReached,
            .settingsChanged(OfflineSettings(network: NetworkSettings(debounce: .seconds(3)))),
        ]
        let results: [ProbeResult] = [
            .good(roundTrip: .milliseconds(3)), .respondedBadly(status: 503, roundTrip: .zero),
            .failed(.dns), .portal(.foreignNonce), .portal(.foreignName),
        ]
        events += results.map { .probeFinished(tag, .internet, $0) }
        events += [PingResult.responded(roundTrip: .seconds(1)), .timedOut, .unavailable].map {
            .pingFinished(tag, $0)
        }
        let outcomes: [OutcomeClass] = [
            .success, .network(.silent), .service(.status(502)), .service(.brokenBody),
            .service(.timedOutAfterConnect), .auth(status: 401), .throttle(retryAfter: nil),
            .throttle(retryAfter: .seconds(3)), .business(status: 422), .portal(.expiredCertificate),
            .cancelled,
        ]
        events += outcomes.map {
            .requestFinished(
                RequestOutcome(
                    api: Bench.push, outcome: $0, startedAt: Bench.start, firstByteAt: nil,
                    finishedAt: Bench.start + .seconds(1)))
        }
        return events
    }()

    @Test("Every event reads back as it was written, on one line", arguments: events)
    func roundTrip(event: OfflineEvent) throws {
        let text = RecordingLine.event(event).text(at: Bench.start)
        #expect(!text.utf8.contains(UInt8(ascii: "\n")))
        let (at, line) = try RecordingLine.read(text)
        #expect(at == Bench.start)
        #expect(line == .event(event))
    }

    @Test("The beginning of a run reads back with its settings", arguments: startups)
    func start(startup: StartupState) throws {
        var settings = OfflineSettings()
        settings.network.debounce = .milliseconds(3_001)
        settings.service.lease = .seconds(7)
        settings.quality.samples = 9
        let line = RecordingLine.started(
            RunStart(settings: settings, apis: .standard, startup: startup, seed: .max))
        let read = try RecordingLine.read(line.text(at: Bench.start))
        #expect(read.line == line)
    }

    static let startups: [StartupState] = [
        StartupState(), StartupState(manual: .corrupt(detail: "bad = %"), networkWasDown: true),
        StartupState(
            manual: .set(ManualFlag(since: 1, by: nil, reason: nil)), offlineSince: Bench.start,
            lastInternetOk: Bench.start, lastBackendOk: Instant(nanoseconds: -7)),
    ]

    @Test("A line that is cut, at any byte, or lengthened is refused, never misread", arguments: events)
    func cut(event: OfflineEvent) {
        let text = RecordingLine.event(event).text(at: Bench.start)
        for length in 0..<text.utf8.count {
            guard let part = String(text.utf8.prefix(length)) else { continue }
            let read = try? RecordingLine.read(part)
            #expect(read?.line != .event(event) || part == text)
        }
        #expect(throws: RecordingLineError.self) { try RecordingLine.read(text + " 1") }
    }

    @Test("A line of another version is refused with its version")
    func version() {
        #expect(throws: RecordingLineError.unknownVersion(7)) {
            try RecordingLine.read(#"{"at":0,"event":{"retryRequested":{}},"v":7}"#)
        }
        for text in [#"{"at":0,"v":8}"#, #"{"at":0,"event":{"tea":{}},"v":8}"#, #"{"at":0,"v":"8"}"#, ""] {
            #expect(throws: RecordingLineError.malformed) { try RecordingLine.read(text) }
        }
    }

    @Test("No line changes its format under the same version")
    func format() {
        var texts = Self.events.map { RecordingLine.event($0).text(at: Bench.start) }
        texts += Self.startups.map {
            let start = RunStart(
                settings: OfflineSettings(), apis: CoreAPIs(services: [Bench.push: "order"], core: ["order"]),
                startup: $0, seed: 1)
            return RecordingLine.started(start).text(at: Bench.start)
        }
        texts.append(RecordingLine.decided(["ping:0:5", "a b"]).text(at: Bench.start))
        let bytes = texts.joined(separator: "\n").utf8
        let fingerprint = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        #expect(
            fingerprint == 7_152_636_756_328_494_577,
            "another format, or other samples here: raise RecordingLine.version, or take the new fingerprint")
    }

    @Test("Decisions and checkpoints read back")
    func checkpoints() throws {
        let decided = RecordingLine.decided(["ping:0:5", "switch:offline:network", "canary:1:a service"])
        #expect(try RecordingLine.read(decided.text(at: Bench.start)).line == decided)
        let checkpoint = RecordingLine.checkpoint(Self.machine())
        #expect(try RecordingLine.read(checkpoint.text(at: Bench.start)).line == checkpoint)
    }

    private static func machine() -> OfflineMachine {
        var machine = OfflineMachine(
            settings: OfflineSettings(), apis: .standard, startup: StartupState(), seed: 42, at: Bench.start)
        _ = machine.handle(.pathChanged(Bench.ethernet), at: Bench.start)
        return machine
    }

    @Test("Every effect except an announcement has a name of its own")
    func words() {
        let tag = ProbeTag(epoch: 3, sequence: 7)
        #expect(OfflineEffect.sendPing(tag, timeout: .seconds(1)).recordedName == "ping:3:7")
        #expect(OfflineEffect.sendProbe(tag, .hub, timeout: .seconds(3)).recordedName == "probe:3:7:hub")
        #expect(
            OfflineEffect.switchMode(to: .offline, causes: [.manual, .network]).recordedName
                == "switch:offline:manual+network")
        #expect(OfflineEffect.announceStatus.recordedName == nil)
    }

    @Test("A recorded run replays bit for bit")
    func replay() throws {
        let replayed = Self.machine()
        var (machine, now) = (replayed, Bench.start)
        var lines: [String] = []
        var recorded: [[OfflineEffect]] = []
        func record(_ event: OfflineEvent, at now: Instant) {
            lines.append(RecordingLine.event(event).text(at: now))
            recorded.append(machine.handle(event, at: now))
        }
        for index in 0..<400 {
            let event = Self.events[(index * 7) % Self.events.count]
            now = max(machine.deadline ?? now, now) + .milliseconds(index % 3)
            record(index % 2 == 0 ? .deadlineReached : event, at: now)
        }
        var again = replayed
        for (line, effects) in zip(lines, recorded) {
            let (at, read) = try RecordingLine.read(line)
            guard case .event(let event) = read else { continue }
            #expect(again.handle(event, at: at) == effects)
        }
        #expect(again == machine)
    }
}
