internal import OfflineCore

/// What a recording tells of the link itself.
///
/// A till asks seldom, so its recording knows the link only at the moments at which something was sent. The
/// way to the hub counts as dead from the sending of the first question that stayed unanswered until the
/// sending of the next one that was answered. Echoes speak for the way to the hub where they were ever
/// answered, and while the hub itself has not been asked in vain since.
///
/// So each outage seems shorter than it was by up to one interval between questions, the same for all
/// settings that are compared; one that lies between two questions is not there at all; and settings that ask
/// more often than the recording did see no more than it.
extension RecordedSegment {
    /// The ways as the recording tells of them.
    var ways: Ways {
        let echoesAreAnswered = observations.contains { $0.way == .echo && $0.roundTrip != nil }
        let seen = observations.sorted { $0.sentAt < $1.sentAt }
        var echo = TraceDraft()
        var hub = TraceDraft()
        var internet = TraceDraft()
        var hubIsSilent = false
        for one in seen {
            switch (one.way, one.roundTrip) {
            case (.echo, let roundTrip):
                echo.note(one.sentAt, roundTrip)
                guard echoesAreAnswered, !hubIsSilent else { break }
                if roundTrip == nil { hub.note(one.sentAt, nil) } else { hub.noteAnswer(one.sentAt) }
            case (.hub, let roundTrip?):
                hubIsSilent = false
                hub.note(one.sentAt, roundTrip)
                echo.noteAnswer(one.sentAt)
            case (.hub, nil):
                hubIsSilent = true
                hub.note(one.sentAt, nil)
            case (.internet, let roundTrip):
                internet.note(one.sentAt, roundTrip)
            }
        }
        let hubLink = SimulatedLink(outage: .recorded(hub.trace(until: end)))
        return Ways(
            echo: SimulatedLink(outage: .recorded(echo.trace(until: end)), answersPing: echoesAreAnswered),
            hub: hubLink,
            internet: internet.isEmpty
                ? hubLink : SimulatedLink(outage: .recorded(internet.trace(until: end))))
    }

    /// When the way to the hub was dead.
    var outages: TimeRanges {
        guard case .recorded(let trace) = ways.hub.outage else { return TimeRanges() }
        return trace.outages
    }
}

/// The rows of a trace as they are found.
private struct TraceDraft {
    private var rows: [LinkTrace.Row] = []
    private var roundTrip: Duration?

    var isEmpty: Bool { rows.isEmpty }

    /// A question sent at `moment` was answered after `roundTrip`, or not at all.
    mutating func note(_ moment: Instant, _ roundTrip: Duration?) {
        if let roundTrip { self.roundTrip = roundTrip }
        add(moment, isUp: roundTrip != nil)
    }

    /// Another way's answer tells that this one works, not how fast.
    mutating func noteAnswer(_ moment: Instant) { add(moment, isUp: true) }

    private mutating func add(_ moment: Instant, isUp: Bool) {
        rows.append(LinkTrace.Row(start: moment, isUp: isUp, roundTrip: roundTrip))
    }

    func trace(until end: Instant) -> LinkTrace {
        LinkTrace(rows: rows, end: max(end, rows.last?.start ?? end))
    }
}
