import Base
import CurlHTTP
import HubProtocol
import LinuxRuntime
import MachineRuntime
import OfflineCore
import OfflineMode
import Synchronization

import enum Agent.TerminalVersion

/// The way of one till to the hub: what `CurlSession` is in a shop. What it does to a request follows from
/// the faults that act on it at that moment.
@MainActor
final class Link {
    private let world: World
    let number: Int
    let time: SimulatedTime
    private var draw: SplitMix64
    /// How many faults of each kind act on it.
    private var acting: [FaultKind: Int] = [:]
    private let paths = Broadcast<HubPaths>(Link.plugged)
    /// Grows when the till's process ends: nothing arrives at one that is gone.
    private(set) var generation = 0
    /// What the till has seen over it since it was started.
    var sight = LinkSight()
    /// Whether what the hub decides is kept, to be repeated later.
    var keepsDecisions = false
    private var decisions: [HTTPResponse] = []
    /// What the proxy that throttles says about when to come again.
    private var throttleWait: [HTTPHeader] = []
    /// What is wrong with the certificate.
    private var certificate = TransferFailure.certificateRefused(.foreign)
    /// How many requests the till sent in which minute.
    private var sent = (minute: Int64(0), count: 0)
    /// The last push with entries, for who repeats it.
    private(set) var lastPush: HTTPRequest?
    /// The token with which the till came last.
    var token: String? {
        lastPush?.headers.first { $0.name.lowercased() == "authorization" }
            .map { String($0.value.split(separator: " ").last ?? "") }
    }
    /// The last moment, in milliseconds, at which a fault acted that keeps requests from the hub.
    private(set) var lastTrouble: Int64 = -1_000_000
    /// The same of a fault that keeps decisions from the till.
    private var lastUninformed: Int64 = -1_000_000
    /// When the till last had a decision of now, in milliseconds.
    private var lastDecision: Int64 = -1_000_000
    /// Since then everything passed.
    var lastObstacle: Int64 { max(lastTrouble, lastUninformed) }

    init(_ world: World, number: Int, seed: UInt64, time: SimulatedTime) {
        (self.world, self.number, self.time) = (world, number, time)
        draw = SplitMix64(seed: seed)
    }

    func begin(_ kind: FaultKind) {
        acting[kind, default: 0] += 1
        if kind == .throttle {
            let date = HTTPDate.text(milliseconds: time.base.wallMilliseconds() + 60_000)
            let wait = ["1", "30", "600", "999999999999", "soon", date, nil][Int(draw.below(7))]
            throttleWait = wait.map { [HTTPHeader("Retry-After", $0)] } ?? []
        }
        if kind == .badCertificate {
            let all: [TransferFailure] = [
                .certificateRefused(.foreign), .certificateRefused(.otherName),
                .certificateRefused(.outOfValidity), .tlsFailed(detail: "simulated"),
            ]
            certificate = all[Int(draw.below(4))]
        }
        if kind.isInTheWay { lastTrouble = Trace.now }
        sight.turned(isDark: isDark, at: Trace.now)
        if kind == .unplugged {
            sight.plugged(false, at: Trace.now)
            paths.publish(HubPaths(main: HubPath(status: Self.status(isUsable: false))))
            world.count(kind)
        }
    }

    func end(_ kind: FaultKind) {
        acting[kind, default: 1] -= 1
        if kind.isInTheWay { lastTrouble = Trace.now }
        sight.turned(isDark: isDark, at: Trace.now)
        if kind == .unplugged, !isActing(kind) {
            sight.plugged(true, at: Trace.now)
            paths.publish(Self.plugged)
        }
    }

    func cut() { generation += 1 }

    /// No process of the hub from before is left, which could repeat one.
    func forgetDecisions() { decisions = [] }

    /// The till's process is a new one: it has seen nothing yet.
    func started() {
        cut()
        sight = LinkSight()
        sight.turned(isDark: isDark, at: Trace.now)
        if isActing(.unplugged) { sight.plugged(false, at: Trace.now) }
    }

    func isActing(_ kind: FaultKind) -> Bool { acting[kind, default: 0] > 0 }

    /// Whether anything acts that can keep a request from the hub or its response from the till.
    var isTroubled: Bool {
        acting.contains { $0.value > 0 && $0.key.isInTheWay } || !world.hub.isUp
    }

    /// Whether nothing of the hub passes.
    private var isDark: Bool { acting.contains { $0.value > 0 && $0.key.isDark } }

    private static let plugged = HubPaths(main: HubPath(status: status(isUsable: true)))

    private static func status(isUsable: Bool) -> PathStatus {
        PathStatus(
            isUsable: isUsable, interface: isUsable ? "eth0" : nil, transport: .ethernet, isMetered: false,
            isConstrained: false, route: isUsable ? "eth0 10.0.0.2 10.0.0.1" : "none")
    }

    nonisolated var pathStream: AsyncStream<HubPaths> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            Task { @MainActor in
                let listener = self.paths.listen { continuation.yield($0) }
                self.paths.greet(listener)
            }
        }
    }

    /// One exchange, from the request's way to the hub to the response's way back.
    func exchange(_ request: HTTPRequest, onStall: (@Sendable (Instant) -> Void)?) async -> HTTPExchange {
        let mine = generation
        let started = time.now()
        let begin = Trace.now
        let number = sight.begins(at: begin)
        noteSent(at: begin)
        let isPush = request.method == .post && request.url.contains(Routes.mutation)
        let isPushOfEntries = isPush && Self.hasEntries(request)
        if isPushOfEntries { lastPush = request }
        if isPush, let until = sight.pushesWaitUntil, begin < until - 50 {
            world.fail(
                "a wait that the hub set is kept", "till \(self.number) pushed \(until - begin) ms early")
        }
        let longest = Int64(world.schedule.settings["sync.maximumBackoffSeconds"] ?? 0) * 1000
        if isPushOfEntries, sight.pushes(at: begin, longest: longest) {
            world.fail("waits are drawn", "till \(self.number) waited three times for \(longest) ms exactly")
        }
        let stall = Task { [time] in
            guard (try? await time.sleep(until: started + .seconds(3))) != nil else { return }
            onStall?(started)
        }
        defer { stall.cancel() }
        let way = Way(request, started: started)
        let result = await travel(request, way)
        let isCut = mine != generation
        let ended: Result<HTTPResponse, TransferFailure> = isCut ? .failure(.sessionClosed) : result
        if !isCut {
            sight.ended(number)
            note(request, result, isPush: isPush, hasEntries: isPushOfEntries, from: begin)
        }
        let route =
            request.url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true).last ?? ""
        world.trace.note(
            "till \(self.number)", "\(request.method.rawValue) \(route.prefix { $0 != "?" }) \(ended.word)")
        return HTTPExchange(
            result: ended,
            timings: HTTPTimings(
                startedAt: started, connectedAt: way.connected, firstByteAt: way.firstByte,
                finishedAt: time.now()))
    }

    /// Ten minutes, and what a request may take.
    private static let lapse: Int64 = 570_000

    /// Whatever happens, a till does not send request after request.
    private func noteSent(at now: Int64) {
        sent = sent.minute == now / 60_000 ? (sent.minute, sent.count + 1) : (now / 60_000, 1)
        guard sent.count == Self.mostRequests else { return }
        world.fail(
            "requests of a till are bounded", "till \(number) sent \(sent.count) requests within a minute")
    }

    /// In a minute. Ten customers, each with their requests and repetitions, and a backlog come to a third of
    /// it.
    private static let mostRequests = 300

    private func note(
        _ request: HTTPRequest, _ result: Result<HTTPResponse, TransferFailure>, isPush: Bool,
        hasEntries: Bool, from begin: Int64
    ) {
        switch result {
        // Whoever responds to a look at the certificate proves nothing to the till: it compares no nonce.
        case .success where request.readsCertificate: sight.responded(at: Trace.now)
        case .success(let response)
        where (200..<400).contains(response.status) && !isActing(.portal) && !isActing(.garbage):
            sight.passed(at: Trace.now)
        case .failure(.cancelled), .failure(.sessionClosed): break
        case .success where !isActing(.portal), .failure(.responseCutOff), .failure(.responseTooLarge),
            .failure(.deadlinePassed(.receiving)):
            sight.responded(at: Trace.now)
            sight.failed(from: begin, at: Trace.now, isPush: isPush)
        case _: sight.failed(from: begin, at: Trace.now, isPush: isPush)
        }
        guard case .success(let response) = result else { return }
        let wait = response.header("Retry-After").flatMap { Int64($0) }.map { min($0, 3_600) * 1000 }
        if let wait { sight.waitsUntil = max(sight.waitsUntil, Trace.now + wait) }
        guard isPush else { return }
        if response.status == 429, let wait {
            sight.pushesWaitUntil = Trace.now + wait
        } else if (200..<300).contains(response.status) {
            sight.pushesWaitUntil = nil
            if hasEntries { sight.pushed() }
        }
        if hasEntries, (400..<600).contains(response.status), wait == nil { sight.refusedPush(at: Trace.now) }
    }

    /// Whether a push has any: an empty one has a rhythm of its own.
    private static func hasEntries(_ request: HTTPRequest) -> Bool {
        guard let body = request.body, let document = try? JSONParser.parse(body) else { return false }
        return document["mutations"]?.array.map { !$0.isEmpty } ?? true
    }

    /// What a request passed on its way.
    private final class Way {
        let ends: Instant
        let connectEnds: Instant
        var connected: Instant?
        var firstByte: Instant?
        let isOfDecisions: Bool

        init(_ request: HTTPRequest, started: Instant) {
            isOfDecisions = request.url.contains(Routes.qosDecisions)
            ends = started + request.timeout
            connectEnds = started + min(request.timeout, request.connectTimeout)
        }
    }

    private func wait(until instant: Instant) async -> Bool { (try? await time.sleep(until: instant)) != nil }

    private func travel(_ request: HTTPRequest, _ way: Way) async -> Result<HTTPResponse, TransferFailure> {
        for kind in [FaultKind.unplugged, .refusal, .storeOutage, .silence] where isActing(kind) {
            world.count(kind)
            lastTrouble = Trace.now
            if kind == .unplugged || kind == .refusal { return .failure(.notConnected) }
            return await wait(until: way.connectEnds) ? .failure(.connectTimedOut) : .failure(.cancelled)
        }
        guard await wait(until: time.now() + .milliseconds(5 + Int64(draw.below(40)))) else {
            return .failure(.cancelled)
        }
        if let failure = connecting() { return .failure(failure) }
        if let strange = strangeResponse(request) {
            (way.connected, way.firstByte) = (time.now(), time.now())
            return .success(strange)
        }
        guard world.hub.isUp else {
            lastTrouble = Trace.now
            return .failure(.notConnected)
        }
        way.connected = time.now()
        if isReset() { return .failure(.connectionBroken) }
        if isActing(.decisionSilence), way.isOfDecisions {
            world.count(.decisionSilence)
            lastUninformed = Trace.now
            return await wait(until: way.ends)
                ? .failure(.deadlinePassed(.waiting)) : .failure(.cancelled)
        }
        if isActing(.loss), draw.below(100) < 30 {
            world.count(.loss)
            return await silence(way)
        }
        if isActing(.duplicate), request.method == .post {
            world.count(.duplicate)
            let delay = Duration.milliseconds(Int64(draw.below(20_000)))
            Task { [world, time] in
                guard (try? await time.sleep(until: time.now() + delay)) != nil else { return }
                _ = await world.hub.respond(to: request)
            }
        }
        let response = await withDeadline(way.ends, on: time, cancels: false) { [world] in
            await world.hub.respond(to: request)
        }
        guard !Task.isCancelled else { return .failure(.cancelled) }
        guard let arrived = response else { return .failure(.deadlinePassed(.waiting)) }
        guard let arrived else {
            lastTrouble = Trace.now
            return .failure(.connectionBroken)
        }
        return await back(arrived, way)
    }

    /// Why there is no connection to the hub; nil: there is one.
    private func connecting() -> TransferFailure? {
        let failures: [(FaultKind, TransferFailure)] = [
            (.nameFailure, .nameNotResolved), (.badCertificate, certificate),
        ]
        guard let (kind, failure) = failures.first(where: { isActing($0.0) }) else { return nil }
        world.count(kind)
        lastTrouble = Trace.now
        return failure
    }

    /// Whether the connection is reset now: each second time on the way there, else on the way back.
    private func isReset() -> Bool {
        guard isActing(.reset), draw.below(2) == 0 else { return false }
        world.count(.reset)
        lastTrouble = Trace.now
        return true
    }

    private func silence(_ way: Way) async -> Result<HTTPResponse, TransferFailure> {
        lastTrouble = Trace.now
        return await wait(until: way.ends) ? .failure(.deadlinePassed(.waiting)) : .failure(.cancelled)
    }

    /// The response's way.
    private func back(_ response: HTTPResponse, _ way: Way) async -> Result<HTTPResponse, TransferFailure> {
        if isActing(.lostResponse) || isActing(.loss) && draw.below(100) < 15 {
            world.count(isActing(.lostResponse) ? .lostResponse : .loss)
            return await silence(way)
        }
        var delay = Duration.milliseconds(2 + Int64(draw.below(20)))
        if isActing(.slowness) {
            world.count(.slowness)
            delay += .milliseconds(Int64(draw.below(9_000)))
        }
        guard time.now() + delay < way.ends else { return await silence(way) }
        guard await wait(until: time.now() + delay) else { return .failure(.cancelled) }
        if isReset() { return .failure(.connectionBroken) }
        way.firstByte = time.now()
        if keepsDecisions, way.isOfDecisions, response.status == 200, isFaulty(response) {
            decisions = [response]
        }
        if isActing(.brokenResponse) {
            world.count(.brokenResponse)
            lastTrouble = Trace.now
            return .failure(.responseCutOff)
        }
        if isActing(.oversized) {
            world.count(.oversized)
            lastTrouble = Trace.now
            return .failure(.responseTooLarge)
        }
        if isActing(.trickle) {
            world.count(.trickle)
            lastTrouble = Trace.now
            return await wait(until: way.ends) ? .failure(.deadlinePassed(.receiving)) : .failure(.cancelled)
        }
        if isActing(.garbage) {
            world.count(.garbage)
            lastTrouble = Trace.now
            return .success(
                HTTPResponse(
                    status: response.status, headers: response.headers, body: Array("<!-- -->{".utf8)))
        }
        if way.isOfDecisions { lastDecision = Trace.now }
        if way.isOfDecisions, response.status == 200 { noteDecision(response) }
        return .success(response)
    }

    private func noteDecision(_ response: HTTPResponse) {
        let decisions = (try? JSONParser.parse(response.body))?["decisions"]?.array ?? []
        let decision = decisions.compactMap(QoSDecisionShape.init(json:)).first { $0.service == "order" }
        guard let decision else { return }
        world.trace.note(
            "till \(number)",
            "learns \(decision.state) \(decision.generation) by \(decision.source), "
                + "after \(decision.resume?.afterMilliseconds ?? 0) ms")
        let isTurn = sight.decided(
            isFaulty: decision.state == "faulty", after: decision.resume?.afterMilliseconds ?? 0,
            at: Trace.now)
        if isTurn { world.checks.requireUse(by: self) }
    }

    private func isFaulty(_ response: HTTPResponse) -> Bool {
        String(decoding: response.body, as: UTF8.self).contains(#""faulty""#)
    }

    /// What somebody on the way responds in the hub's place.
    private func strangeResponse(_ request: HTTPRequest) -> HTTPResponse? {
        let date = HTTPHeader("Date", HTTPDate.text(milliseconds: time.base.wallMilliseconds()))
        if isActing(.oldDecision), request.url.contains(Routes.qosDecisions), draw.below(2) == 0,
            let old = decisions.first
        {
            world.count(.oldDecision)
            // A decision that nobody renewed for so long keeps no older one out.
            if Trace.now - lastDecision > Self.lapse { lastTrouble = Trace.now }
            let own = request.headers.filter { $0.name == HeaderNames.nonce } + [date]
            let names = Set(own.map(\.name))
            return HTTPResponse(
                status: old.status, headers: old.headers.filter { !names.contains($0.name) } + own,
                body: old.body)
        }
        let isPush = request.method == .post && request.url.contains(Routes.mutation)
        if isPush, isActing(.strangeRefusal) {
            world.count(.strangeRefusal)
            return filtered(by: [400, 404, 413][Int(draw.below(3))], date)
        }
        if isPush, isActing(.contentFilter), Self.isDisliked(request) {
            world.count(.contentFilter)
            return filtered(by: 403, date)
        }
        if isPush, isActing(.pushError) {
            world.count(.pushError)
            lastTrouble = Trace.now
            return HTTPResponse(status: [500, 502, 503, 504][Int(draw.below(4))], headers: [date])
        }
        if isActing(.unauthorized), request.url.contains("/v1/") {
            world.count(.unauthorized)
            lastTrouble = Trace.now
            return filtered(by: 401, date)
        }
        for kind in [FaultKind.portal, .gatewayError, .throttle] where isActing(kind) {
            world.count(kind)
            lastTrouble = Trace.now
            switch kind {
            case .portal:
                return HTTPResponse(
                    status: 200, headers: [HTTPHeader("Content-Type", "text/html"), date],
                    body: Array("<html>Welcome</html>".utf8))
            case .gatewayError:
                return HTTPResponse(status: [500, 502, 503, 504][Int(draw.below(4))], headers: [date])
            case _:
                return HTTPResponse(status: 429, headers: throttleWait + [date])
            }
        }
        return nil
    }

    private func filtered(by status: Int, _ date: HTTPHeader) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [HTTPHeader("Content-Type", "application/problem+json"), date],
            body: Array(#"{"type":"about:blank","title":"filtered","status":\#(status)}"#.utf8))
    }

    /// Whether a push has what the filter of contents takes for an attack: one article of the shop.
    private static func isDisliked(_ request: HTTPRequest) -> Bool {
        String(decoding: request.body ?? [], as: UTF8.self).contains(Book.articles[4].barcode)
    }

    func ping(timeout: Duration) async -> PingResult {
        let deaf = [FaultKind.unplugged, .silence, .storeOutage, .refusal, .noEcho]
        let isDark = deaf.contains(where: isActing)
        let begin = Trace.now
        if isActing(.noEcho) { world.count(.noEcho) }
        let ends = time.now() + (isDark ? timeout : .milliseconds(8))
        let (number, mine) = (sight.begins(at: begin), generation)
        let isOver = await wait(until: ends)
        guard mine == generation else { return .timedOut }
        sight.ended(number)
        guard isOver, !isDark else {
            sight.notEchoed(from: begin)
            return .timedOut
        }
        sight.echoed(at: Trace.now)
        return .responded(roundTrip: .milliseconds(8))
    }
}

extension Result<HTTPResponse, TransferFailure> {
    /// A status, or what went wrong.
    var word: String {
        switch self {
        case .success(let response): String(response.status)
        case .failure(let failure): "\(failure)"
        }
    }
}

/// A till's session: what passes through its ``Link``.
final class LinkSession: HTTPSession {
    private let link: Link
    private let terminal: CardTerminal
    private let isCutOff = Atomic(false)
    private let isClosed = Atomic(false)

    init(_ link: Link, _ terminal: CardTerminal) { (self.link, self.terminal) = (link, terminal) }

    func send(
        _ request: HTTPRequest, onStall: (@Sendable (_ startedAt: Instant) -> Void)?,
        onMove: (@Sendable (_ since: Instant) -> Void)?
    ) async -> HTTPExchange {
        let isOver = isClosed.load(ordering: .acquiring)
        guard !isCutOff.load(ordering: .acquiring), !isOver else {
            let now = link.time.now()
            return HTTPExchange(
                result: .failure(isOver ? .sessionClosed : .cancelled),
                timings: HTTPTimings(startedAt: now, finishedAt: now))
        }
        guard !request.url.hasPrefix(CardTerminal.url) else { return await terminal.exchange(request) }
        return await link.exchange(request, onStall: onStall)
    }

    func setCutOff(_ isOn: Bool) { isCutOff.store(isOn, ordering: .releasing) }
    func forgetConnections() {}
    func useSmallSegments(_ areUsed: Bool) {}
    func use(_ binding: PathBinding) {}
    func close() { isClosed.store(true, ordering: .releasing) }
}

/// A hub's session to services outside: there are none.
struct NoSession: HTTPSession {
    func send(
        _ request: HTTPRequest, onStall: (@Sendable (_ startedAt: Instant) -> Void)?,
        onMove: (@Sendable (_ since: Instant) -> Void)?
    ) async -> HTTPExchange {
        let now = LinuxSystemTime().now()
        return HTTPExchange(
            result: .failure(.notConnected), timings: HTTPTimings(startedAt: now, finishedAt: now))
    }

    func setCutOff(_ isOn: Bool) {}
    func forgetConnections() {}
    func useSmallSegments(_ areUsed: Bool) {}
    func use(_ binding: PathBinding) {}
    func close() {}
}
