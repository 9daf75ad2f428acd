package import Base
package import OfflineCore
import OfflineMode

/// What one interval of a recording shows: when the network counted as down, what was sent when, and what
/// came back.
package struct RecordedSegment: Sendable {
    /// A probe or a call, and its result.
    struct Observation: Sendable {
        enum Way { case echo, hub, internet }

        let way: Way
        let sentAt: Instant
        /// The time of one exchange; nil when nothing came back.
        let roundTrip: Duration?
    }

    /// The settings of the recording program.
    package let settings: OfflineSettings
    /// The moment of the start or checkpoint, by the recording program's monotonic clock.
    package let start: Instant
    /// The moment of its last event.
    package private(set) var end: Instant
    let startup: StartupState
    let seed: UInt64
    private(set) var observations: [Observation] = []
    /// Events that do not depend on the machine: path changes, suspensions, a person's retry.
    private(set) var script: [RecordedEvent] = []
    /// Business calls that were pushes, with their duration; nil without a response.
    private(set) var pushes: [(startedAt: Instant, took: Duration?)] = []
    private(set) var causeChanges: [(at: Instant, isOn: Bool)] = []
    private(set) var activeProbes = 0
    private var queried: [ProbeTag: Instant] = [:]
    private var isDown: Bool

    init(_ interval: EventRecording.Interval, machine: OfflineMachine) {
        settings = machine.settings
        start = interval.start
        end = interval.start
        isDown = machine.causes.contains(.network)
        if case .started(let run) = interval.origin {
            startup = run.startup
            seed = run.seed
        } else {
            startup = StartupState(networkWasDown: isDown)
            seed = 0
        }
        if isDown { causeChanges.append((start, true)) }
    }

    mutating func took(
        _ event: OfflineEvent, at now: Instant, _ effects: [OfflineEffect], causes: [OfflineCause]
    ) {
        end = max(end, now)
        observe(event, at: now)
        for effect in effects {
            switch effect {
            case .sendPing(let tag, _), .sendProbe(let tag, _, _):
                queried[tag] = now
                activeProbes += 1
            case .saveManualFlag, .confirmManual, .refuseManual, .queryQoS, .reportQoS, .sendCanary,
                .paceResume, .saveLastRun, .recordPeriod, .switchMode, .announceStatus:
                break
            }
        }
        if causes.contains(.network) != isDown {
            isDown.toggle()
            causeChanges.append((now, isDown))
        }
    }

    private mutating func observe(_ event: OfflineEvent, at now: Instant) {
        switch event {
        case .pingFinished(let tag, .responded(let roundTrip)): note(.echo, tag, roundTrip)
        case .pingFinished(let tag, .timedOut): note(.echo, tag, nil)
        case .pingFinished(let tag, .unavailable): queried[tag] = nil
        case .probeFinished(let tag, let target, let result):
            // Connect, TLS, request.
            note(target == .hub ? .hub : .internet, tag, result.roundTripOfResponse.map { $0 / 3 })
        case .requestFinished(let outcome): note(outcome)
        case .pathChanged, .clockGapObserved, .retryRequested:
            script.append(RecordedEvent(at: now, event: event))
        // Settings are left out too: a simulation run keeps its own.
        case .manualRequested, .manualFlagSaved, .manualFlagSaveFailed, .settingsChanged, .requestStalled,
            .requestMoves, .qosResponded, .qosFailed, .canaryFinished, .deliveryChanged, .deadlineReached:
            break
        }
    }

    private mutating func note(_ way: Observation.Way, _ tag: ProbeTag, _ roundTrip: Duration?) {
        guard let sentAt = queried.removeValue(forKey: tag) else { return }
        observations.append(Observation(way: way, sentAt: sentAt, roundTrip: roundTrip))
    }

    private mutating func note(_ request: RequestOutcome) {
        if case .cancelled = request.outcome { return }
        let elapsed = (request.firstByteAt ?? request.finishedAt) - request.startedAt
        let responded = request.outcome.isVerifiedResponse ? elapsed : nil
        observations.append(Observation(way: .hub, sentAt: request.startedAt, roundTrip: responded))
        if request.api == SimulatedTill.push { pushes.append((request.startedAt, responded)) }
    }
}

extension ProbeResult {
    /// Nil where the target did not respond.
    fileprivate var roundTripOfResponse: Duration? {
        switch self {
        case .good(let roundTrip), .respondedBadly(_, let roundTrip): roundTrip
        case .failed, .portal: nil
        }
    }
}
