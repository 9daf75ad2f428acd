import OfflineCore
import OfflineMode

/// The replay of a recording: the same events at the same moments, and whether the machine decided the same.
package struct RecordingReplay: Sendable {
    /// The first decision that differs from the recording.
    package struct Difference: Hashable, Sendable {
        /// Of the recording, counted from 1.
        package let line: Int
        /// Effects by name with single spaces, `nothing` without any; for a checkpoint a text about the
        /// machine.
        package let recorded: String
        /// As ``recorded``, of the replaying machine.
        package let replayed: String
    }

    /// Starts of the program in the recording, up to the difference; an interval from a checkpoint does not
    /// count.
    package private(set) var runs = 0
    /// Events that were given to the machine again.
    package private(set) var events = 0
    /// Recorded decisions that were compared with the replayed ones, as text.
    package private(set) var decisions = 0
    /// Recorded machines that were compared with the replayed one, bit for bit.
    package private(set) var checkpoints = 0
    /// Nil when all decisions are the same.
    package private(set) var difference: Difference?
    /// What was replayed, up to the difference if there is one.
    package private(set) var records: [RecordedSegment] = []

    /// Replays all intervals of `recording`, up to the first difference.
    package init(_ recording: EventRecording) {
        for interval in recording.intervals where difference == nil {
            live(interval)
        }
    }

    private mutating func live(_ interval: EventRecording.Interval) {
        if case .started = interval.origin { runs += 1 }
        var machine = interval.machine
        var record = RecordedSegment(interval, machine: machine)
        var entries = interval.entries[...]
        while let entry = entries.popFirst(), difference == nil {
            switch entry.line {
            case .event(let event):
                events += 1
                let effects = machine.handle(event, at: entry.at)
                record.took(event, at: entry.at, effects, causes: machine.causes)
                compare(effects.compactMap(\.recordedName), after: entry, with: &entries)
            case .checkpoint(let recorded):
                compare(machine, with: recorded, line: entry.number)
            case .decided(let words):
                note(entry.number, recorded: words, replayed: [])
            case .started:
                break
            }
        }
        records.append(record)
    }

    private mutating func compare(
        _ words: [String], after entry: EventRecording.Entry,
        with entries: inout ArraySlice<EventRecording.Entry>
    ) {
        var recorded: [String] = []
        var line = entry.number
        if let next = entries.first, case .decided(let decided) = next.line {
            entries.removeFirst()
            (recorded, line) = (decided, next.number)
        } else if entries.isEmpty {
            // The recording ends between the event and the decision on it.
            return
        }
        decisions += recorded.count
        if recorded != words { note(line, recorded: recorded, replayed: words) }
    }

    private mutating func compare(_ machine: OfflineMachine, with recorded: OfflineMachine, line: Int) {
        checkpoints += 1
        if recorded != machine {
            difference = Difference(
                line: line, recorded: "the machine of the checkpoint", replayed: "another machine")
        }
    }

    private mutating func note(_ line: Int, recorded: [String], replayed: [String]) {
        func shown(_ effects: [String]) -> String {
            effects.isEmpty ? "nothing" : effects.joined(separator: " ")
        }
        difference = Difference(line: line, recorded: shown(recorded), replayed: shown(replayed))
    }
}

extension EventRecording.Interval {
    /// The machine at the beginning of the interval.
    var machine: OfflineMachine {
        switch origin {
        case .started(let run): run.machine(at: start)
        case .checkpoint(let machine): machine
        }
    }
}
