import Base

internal import OfflineCore

/// The link as far as a recording shows it.
///
/// A till probes seldom, so its recording shows the link only at the moments at which something was sent. The
/// link to the hub counts as dead from when the first request without a response was sent until the next one
/// with a response was sent. Echoes count for the hub's link where they ever got responses, and as long as no
/// request to the hub has failed since.
///
/// So each outage seems shorter than it was, by up to one interval between probes, the same for all compared
/// settings. An outage between two probes is missing. Settings that probe more often than the recording
/// detect no more than it did.
extension RecordedSegment {
    /// The links as the recording shows them.
    var ways: Ways {
        let echoesAreResponded = observations.contains { $0.way == .echo && $0.roundTrip != nil }
        let seen = observations.sorted { $0.sentAt < $1.sentAt }
        var echo = TraceDraft()
        var hub = TraceDraft()
        var internet = TraceDraft()
        var hubIsSilent = false
        for one in seen {
            switch (one.way, one.roundTrip) {
            case (.echo, let roundTrip):
                echo.note(one.sentAt, roundTrip)
                guard echoesAreResponded, !hubIsSilent else { break }
                if roundTrip == nil { hub.note(one.sentAt, nil) } else { hub.noteResponse(one.sentAt) }
            case (.hub, let roundTrip?):
                hubIsSilent = false
                hub.note(one.sentAt, roundTrip)
                echo.noteResponse(one.sentAt)
            case (.hub, nil):
                hubIsSilent = true
                hub.note(one.sentAt, nil)
            case (.internet, let roundTrip):
                internet.note(one.sentAt, roundTrip)
            }
        }
        let hubLink = SimulatedLink(outage: .recorded(hub.trace(until: end)))
        return Ways(
            echo: SimulatedLink(
                outage: .recorded(echo.trace(until: end)), respondsToPing: echoesAreResponded),
            hub: hubLink,
            internet: internet.isEmpty
                ? hubLink : SimulatedLink(outage: .recorded(internet.trace(until: end))))
    }

    /// When the link to the hub was dead.
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

    /// A request sent at `moment` got its response after `roundTrip`, or none.
    mutating func note(_ moment: Instant, _ roundTrip: Duration?) {
        if let roundTrip { self.roundTrip = roundTrip }
        add(moment, isUp: roundTrip != nil)
    }

    /// A response on another link shows that this one works, but not how fast.
    mutating func noteResponse(_ moment: Instant) { add(moment, isUp: true) }

    private mutating func add(_ moment: Instant, isUp: Bool) {
        rows.append(LinkTrace.Row(start: moment, isUp: isUp, roundTrip: roundTrip))
    }

    func trace(until end: Instant) -> LinkTrace {
        LinkTrace(rows: rows, end: max(end, rows.last?.start ?? end))
    }
}
