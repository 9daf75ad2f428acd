package import Base
package import OfflineCore
package import OfflineMode

/// An event recording that was read back: unbroken intervals, each from a moment at which the complete
/// machine is known.
///
/// A recording begins with a run's start, or, when that was rotated away, with its first checkpoint; lines
/// before that are left out and counted. So are the lines between a cut, corrupt or missing line and the next
/// start or checkpoint. A cut last line is ignored.
package struct EventRecording: Sendable {
    /// What the machine of an interval is made from.
    package enum Origin: Sendable {
        case started(RunStart)
        case checkpoint(OfflineMachine)
    }

    /// A line that was read back.
    package struct Entry: Sendable {
        /// The number of the line, counted from 1.
        package let number: Int
        /// The moment by the recording program's monotonic clock.
        package let at: Instant
        /// The content of the line.
        package let line: RecordingLine
    }

    /// An unbroken part of the recording.
    package struct Interval: Sendable {
        /// The machine before the first of ``entries``.
        package let origin: Origin
        /// The moment of the start or the checkpoint.
        package let start: Instant
        /// In the order of the recording; the line of ``origin`` is not among them.
        package internal(set) var entries: [Entry] = []
    }

    /// Where the recording does not continue from the line before.
    package struct Break: Hashable, Sendable {
        /// Why the lines do not continue.
        package enum Reason: Hashable, Sendable {
            /// The start of the run was rotated away.
            case beginsAmidst
            /// The disk was too slow for so many lines.
            case dropped(Int)
            /// The line was cut or is corrupt; a power cut is the cause when a start follows.
            case unreadable
            /// The lines were written in this format by another version of the program.
            case otherVersion(Int64)
        }

        /// The number of the line, counted from 1.
        package let line: Int
        /// What was found at ``line``.
        package let reason: Reason
        /// Lines that could not be used because of it.
        package internal(set) var unused = 0
    }

    /// In the order of the recording; never empty after reading.
    package internal(set) var intervals: [Interval] = []
    /// In the order of the recording; empty for one that is complete.
    package internal(set) var breaks: [Break] = []
    /// The number of the last line that is not empty; a cut last line does not count.
    package internal(set) var lineCount = 0
    /// Whether lines are left out until the next start or checkpoint.
    var isBroken = true
}

/// Why a recording cannot be replayed at all.
package enum EventRecordingError: Error, Hashable, Sendable {
    /// It has no line of this program's format. Line `line` was written in format `version` by another
    /// version of the program: replay it with that one.
    case otherVersion(line: Int, Int64)
    /// It has no start and no checkpoint.
    case nothingToReplay
}
