import Base
import OfflineMode

extension EventRecording {
    /// Reads a recording.
    ///
    /// - Parameter text: its lines; of a rotated recording the older file first.
    package init(_ text: some StringProtocol) throws(EventRecordingError) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // After the last line end there is nothing, or a line that was cut even if it looks complete.
        for (index, line) in lines.dropLast().enumerated() where !line.isEmpty {
            lineCount = index + 1
            take(line, number: index + 1)
        }
        guard intervals.isEmpty else { return }
        for one in breaks {
            if case .otherVersion(let version) = one.reason { throw .otherVersion(line: one.line, version) }
        }
        throw .nothingToReplay
    }

    private mutating func take(_ text: some StringProtocol, number: Int) {
        switch Self.read(text) {
        case .success((let at, let line)): add(Entry(number: number, at: at, line: line))
        case .failure(.unknownVersion(let version)): breakOff(number, version)
        case .failure(.malformed):
            if let dropped = Self.droppedLines(text) {
                breakOff(number, .dropped(dropped))
            } else {
                breakOff(number, .unreadable)
                takeStart(within: text, number: number)
            }
        }
    }

    private static func read(
        _ text: some StringProtocol
    ) -> Result<(at: Instant, line: RecordingLine), RecordingLineError> {
        do throws(RecordingLineError) {
            return .success(try RecordingLine.read(text))
        } catch {
            return .failure(error)
        }
    }

    private mutating func add(_ entry: Entry) {
        switch entry.line {
        case .started(let start):
            intervals.append(Interval(origin: .started(start), start: entry.at))
            isBroken = false
        case .checkpoint(let machine) where isBroken:
            intervals.append(Interval(origin: .checkpoint(machine), start: entry.at))
            isBroken = false
        case .event, .decided, .checkpoint:
            guard !isBroken else { return skip(entry.number) }
            intervals[intervals.count - 1].entries.append(entry)
        }
    }

    private mutating func skip(_ number: Int) {
        if breaks.isEmpty { breaks.append(Break(line: number, reason: .beginsAmidst)) }
        breaks[breaks.count - 1].unused += 1
    }

    private mutating func breakOff(_ number: Int, _ reason: Break.Reason) {
        breaks.append(Break(line: number, reason: reason))
        isBroken = true
    }

    /// All lines of a foreign version that follow each other are one break.
    private mutating func breakOff(_ number: Int, _ version: Int64) {
        if let last = breaks.last, last.reason == .otherVersion(version), isBroken {
            skip(number)
        } else {
            breakOff(number, .otherVersion(version))
        }
    }

    /// After a power cut the next run's start can follow the rest of a cut line.
    private mutating func takeStart(within text: some StringProtocol, number: Int) {
        let text = String(text)
        guard let start = text.ranges(of: RecordingLine.beginning).last?.lowerBound,
            let (at, line) = try? RecordingLine.read(text[start...]), case .started = line
        else { return }
        add(Entry(number: number, at: at, line: line))
    }

    /// The recorder's line in place of lines that it could not write: `{"dropped":3}`.
    private static func droppedLines(_ text: some StringProtocol) -> Int? {
        guard text.hasPrefix(#"{"dropped":"#), text.hasSuffix("}") else { return nil }
        return Int(text.dropFirst(11).dropLast())
    }
}
