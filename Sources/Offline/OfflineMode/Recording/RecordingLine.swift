public import Base
public import OfflineCore

internal import Foundation

/// One line of the event recording: what the machine was notified of and when, as text that reads back
/// exactly.
///
/// A line is a JSON object: `at`, the moment in nanoseconds; `v`, the version of the format; and one member
/// with the name of the case and its content as the compiler derives it (an unnamed value is `_0`). The
/// events of a run, replayed by a machine made from its start or from any of its checkpoints, repeat the run
/// bit for bit.
public enum RecordingLine: Hashable, Sendable {
    /// A run began with these values; a machine made from them has the same state.
    case started(RunStart)
    case event(OfflineEvent)
    /// The effects of the event before, as ``OfflineEffect/recordedName``s; not written when there were none.
    case decided([String])
    /// The complete machine after the line before. A recording whose beginning was rotated away replays from
    /// its first checkpoint.
    case checkpoint(OfflineMachine)

    /// The version of the format that this code writes, and the only one it reads. A new event, another field
    /// or another state in a checkpoint makes another version, so that no reader takes such a line for a
    /// corrupt one.
    public static let version: Int64 = 8

    /// What every line of this version begins with.
    public static let beginning = #"{"at":"#

    /// The line, without a line end.
    public func text(at moment: Instant) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Every value of a machine has a JSON form: there is nothing that could be refused.
        let bytes = (try? encoder.encode(Content(self, at: moment))) ?? Data()
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads a line back.
    public static func read(
        _ text: some StringProtocol
    ) throws(RecordingLineError) -> (at: Instant, line: RecordingLine) {
        let (decoder, bytes) = (JSONDecoder(), Data(text.utf8))
        guard let version = try? decoder.decode(Version.self, from: bytes) else { throw .malformed }
        guard version.v == Self.version else { throw .unknownVersion(version.v) }
        guard let content = try? decoder.decode(Content.self, from: bytes), let line = content.line else {
            throw .malformed
        }
        return (Instant(nanoseconds: content.at), line)
    }

    private struct Version: Decodable {
        let v: Int64
    }

    private struct Content: Codable {
        let v: Int64
        let at: Int64
        var started: RunStart?
        var event: OfflineEvent?
        var decided: [String]?
        var checkpoint: OfflineMachine?

        init(_ line: RecordingLine, at moment: Instant) {
            (v, at) = (RecordingLine.version, moment.nanoseconds)
            switch line {
            case .started(let start): started = start
            case .event(let event): self.event = event
            case .decided(let names): decided = names
            case .checkpoint(let machine): checkpoint = machine
            }
        }

        var line: RecordingLine? {
            started.map(RecordingLine.started) ?? event.map(RecordingLine.event)
                ?? decided.map(RecordingLine.decided) ?? checkpoint.map(RecordingLine.checkpoint)
        }
    }
}

/// What a run begins with.
public struct RunStart: Hashable, Codable, Sendable {
    /// The numbers that the machine decides by.
    public let settings: OfflineSettings
    /// Which calls belong to which service.
    public let apis: CoreAPIs
    /// What the last run left on disk.
    public let startup: StartupState
    /// For jitter.
    public let seed: UInt64

    /// The values that a machine is made from, together with the moment of its line.
    public init(settings: OfflineSettings, apis: CoreAPIs, startup: StartupState, seed: UInt64) {
        self.settings = settings
        self.apis = apis
        self.startup = startup
        self.seed = seed
    }

    /// The machine at the beginning of the run.
    public func machine(at start: Instant) -> OfflineMachine {
        OfflineMachine(settings: settings, apis: apis, startup: startup, seed: seed, at: start)
    }
}

/// Why a line of the event recording cannot be read.
public enum RecordingLineError: Error, Hashable, Sendable {
    /// Written by another version of the program: read the recording with that one.
    case unknownVersion(Int64)
    /// The line was cut or is corrupt; what follows it replays from the next checkpoint.
    case malformed
}
