internal import PosCLI
internal import ArgumentParser
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Simulation
internal import Agent

/// A flight recording replayed, and what would have been.
struct ReplayReport {
    private let files: RecordingFiles
    private let recording: EventRecording
    private let replay: RecordingReplay
    private let comparison: Comparison

    init(files: RecordingFiles, _ request: ReplayRequest) throws(TerminalError) {
        self.files = files
        do throws(EventRecordingError) {
            recording = try EventRecording(files.text)
        } catch {
            throw Self.refusal(error, files)
        }
        replay = RecordingReplay(recording)
        comparison = Comparison(
            of: replay.records, budget: ReplayRequest.budget, variants: request.variants(of:))
    }

    private static func refusal(_ error: EventRecordingError, _ files: RecordingFiles) -> TerminalError {
        switch error {
        case .otherVersion(let line, let version):
            TerminalError(
                .unusable, code: "recording_version",
                text: { _ in
                    "\(files.place(ofLine: line)): format \(version), this program reads \(RecordingLine.version); "
                        + "replay it with the version of pos that recorded it"
                })
        case .nothingToReplay:
            TerminalError(
                .unusable, code: "recording_empty",
                text: { _ in
                    "\(files.name): no run begins in it and no checkpoint stands in it; is it a flight recording?"
                })
        }
    }

    func show(json: Bool, svg: String?) throws {
        if let svg {
            try ChartFile(path: svg).write(ComparisonChart(comparison, title: "What would have been"))
        }
        if json { Output.document(document) } else { Output.line(text) }
        if replay.difference != nil { throw ExitCode(TerminalError.Kind.refused.rawValue) }
    }

    // MARK: For people

    private var text: String {
        let counts =
            "\(files.name): \(replay.runs) runs begun, \(replay.events) events; "
            + "\(replay.decisions) decisions and \(replay.checkpoints) checkpoints compared"
        return ([counts, result] + recording.breaks.map(text) + ["", ComparisonText.table(comparison)])
            .joined(separator: "\n")
    }

    private var result: String {
        guard let difference = replay.difference else { return "identical: every decision came out the same" }
        return "DIFFERENT at \(files.place(ofLine: difference.line)): recorded \(difference.recorded), "
            + "replayed \(difference.replayed)"
    }

    private func text(_ gap: EventRecording.Break) -> String {
        "\(files.place(ofLine: gap.line)): \(gap.reason.words); \(gap.unused) lines left out until the next "
            + "start or checkpoint"
    }

    // MARK: For programs

    private var document: JSONValue {
        [
            "trace": .string(files.name), "identical": .bool(replay.difference == nil),
            "lines": JSONValue(Int64(recording.lineCount)), "runs": JSONValue(Int64(replay.runs)),
            "events": JSONValue(Int64(replay.events)), "decisions": JSONValue(Int64(replay.decisions)),
            "checkpoints": JSONValue(Int64(replay.checkpoints)),
            "difference": replay.difference.map(document) ?? .null,
            "breaks": .array(recording.breaks.map(document)),
            "comparison": ComparisonText.document(comparison),
        ]
    }

    private func document(_ difference: RecordingReplay.Difference) -> JSONValue {
        [
            "at": .string(files.place(ofLine: difference.line)), "recorded": .string(difference.recorded),
            "replayed": .string(difference.replayed),
        ]
    }

    private func document(_ gap: EventRecording.Break) -> JSONValue {
        [
            "at": .string(files.place(ofLine: gap.line)), "reason": .string(gap.reason.words),
            "unusedLines": JSONValue(Int64(gap.unused)),
        ]
    }
}

extension EventRecording.Break.Reason {
    fileprivate var words: String {
        switch self {
        case .beginsAmidst: "the start of the run was rotated away"
        case .dropped(let count): "the recorder dropped \(count) lines"
        case .unreadable: "the line was cut or is corrupt"
        case .otherVersion(let version):
            "format \(version), this program reads \(RecordingLine.version): replay that part with the version of "
                + "pos that recorded it"
        }
    }
}
