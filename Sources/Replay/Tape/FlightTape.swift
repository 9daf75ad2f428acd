public import OfflineCore

/// A flight recording read back: unbroken stretches, each from a moment at which the whole machine is known.
///
/// A recording begins with a run's start, or, when that was rotated away, with the first checkpoint in it;
/// what comes before that is left out and counted. So is what stands between a line that is cut, spoilt or
/// was never written and the next start or checkpoint. A cut last line is simply not there.
public struct FlightTape: Sendable {
    /// What the machine of a stretch is made from.
    public enum Origin: Sendable {
        case started(settings: OfflineSettings, apis: CoreAPIs, startup: StartupState, seed: UInt64)
        case checkpoint(OfflineMachine)
    }

    public struct Entry: Sendable {
        /// Of the line, counted from 1.
        public let number: Int
        public let at: Instant
        public let line: FlightLine
    }

    public struct Interval: Sendable {
        public let origin: Origin
        public let start: Instant
        public internal(set) var entries: [Entry] = []
    }

    /// Where the recording does not go on from the line before.
    public struct Break: Hashable, Sendable {
        public enum Reason: Hashable, Sendable {
            /// The start of the run was rotated away.
            case beginsAmidst
            /// The disk was too slow for so many lines.
            case dropped(Int)
            /// The line was cut or spoilt; so by a power cut when a start follows.
            case unreadable
            /// The lines were written in this format by another version of the program.
            case otherVersion(Int64)
        }

        public let line: Int
        public let reason: Reason
        /// Lines that could not be used because of it.
        public internal(set) var unused = 0
    }

    public internal(set) var intervals: [Interval] = []
    public internal(set) var breaks: [Break] = []
    public internal(set) var lineCount = 0
    /// Whether lines are left out until the next start or checkpoint.
    var isBroken = true
    /// Makes the machine of a checkpoint; nil when it is of another version.
    let decode: @Sendable (String) -> OfflineMachine?
}

/// Why a recording cannot be replayed at all.
public enum FlightTapeError: Error, Hashable, Sendable {
    /// Nothing in it is of this program's format; line `line` was written in format `version` by another
    /// version of the program: replay it with that one.
    case otherVersion(line: Int, Int64)
    /// There is no start and no checkpoint in it.
    case nothingToReplay
}
