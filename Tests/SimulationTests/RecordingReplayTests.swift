import OfflineCore
import OfflineMode
import Simulation
import Testing

@Suite("Replay of event recordings")
struct RecordingReplayTests {
    @Test("A recorded run with outages replays the same, through every checkpoint")
    func identical() throws {
        let recording = Recording(seed: 3)
        let replay = RecordingReplay(try recording.read())
        #expect(replay.difference == nil)
        #expect(replay.events == recording.events)
        #expect(replay.runs == 1)
        #expect(replay.checkpoints >= 4)
        #expect(replay.decisions > 100)
    }

    @Test("A recording whose beginning was rotated away replays from its first checkpoint")
    func rotated() throws {
        let lines = Recording(seed: 4).lines
        let first = try #require(lines.firstIndex { $0.contains(#""checkpoint":"#) })
        let cut = lines[(first - 7)...]
        let read = try EventRecording.read(Array(cut))
        let replay = RecordingReplay(read)
        #expect(read.breaks.map(\.reason) == [.beginsAmidst])
        #expect(read.breaks.first?.unused == 7)
        #expect(replay.difference == nil)
        #expect(replay.runs == 0)
        #expect(replay.events > 1_000)
    }

    @Test("A last line that is cut at any byte is left out, and the rest replays")
    func cutLastLine() throws {
        let lines = Array(Recording(seed: 5).lines.prefix(40))
        let whole = lines.dropLast().joined(separator: "\n") + "\n"
        let last = try #require(lines.last)
        for length in 0..<last.utf8.count {
            let part = try #require(String(last.utf8.prefix(length)))
            let replay = RecordingReplay(try EventRecording.read(text: whole + part))
            #expect(replay.difference == nil)
        }
    }

    @Test("After a power cut the next run's start is found behind the rest of a cut line")
    func startBehindCutLine() throws {
        let first = Recording(seed: 6).lines.prefix(30)
        let second = Recording(seed: 7)
        let cut = String((first.last ?? "").prefix(20))
        let text =
            first.dropLast().joined(separator: "\n") + "\n" + cut + second.lines.joined(separator: "\n")
        let read = try EventRecording.read(text: text + "\n")
        let replay = RecordingReplay(read)
        #expect(replay.runs == 2)
        #expect(replay.difference == nil)
        #expect(read.breaks.map(\.reason) == [.unreadable])
        #expect(replay.events >= second.events)
    }

    @Test("A dropped or corrupt line breaks the recording until the next checkpoint, and is reported")
    func breaks() throws {
        var lines = Recording(seed: 8).lines
        lines.insert(#"{"dropped":12}"#, at: 50)
        let dropped = RecordingReplay(try EventRecording.read(lines))
        #expect(dropped.difference == nil)
        lines[50] = #"{"at":17,"event":{"pingFinshed":{}},"v":8}"#
        let read = try EventRecording.read(lines)
        #expect(RecordingReplay(read).difference == nil)
        #expect(read.breaks.map(\.line) == [51])
        #expect(read.breaks.allSatisfy { $0.reason == .unreadable && $0.unused > 100 })
        lines[50] = "nothing"
        #expect(RecordingReplay(try EventRecording.read(lines)).events == dropped.events)
    }

    @Test("A decision that differs from the recording is found at its line")
    func difference() throws {
        var lines = Recording(seed: 9).lines
        let index = try #require(lines.firstIndex { $0.contains("switch:offline:network") })
        lines[index] = lines[index].replacing("switch:offline", with: "switch:online")
        let difference = try #require(RecordingReplay(try EventRecording.read(lines)).difference)
        #expect(difference.line == index + 1)
        #expect(difference.recorded.contains("switch:online:network"))
        #expect(difference.replayed.contains("switch:offline:network"))
    }

    @Test("An event that is missing is noticed")
    func missingEvent() throws {
        var lines = Recording(seed: 10).lines
        let index = try #require(lines.firstIndex { $0.contains("switch:offline") }) - 1
        lines.remove(at: index)
        #expect(RecordingReplay(try EventRecording.read(lines)).difference != nil)
    }

    @Test(
        "Lines of another version of the program are left out and reported, and the rest replays"
    )
    func upgraded() throws {
        let foreign = [5, 6, 7].map { #"{"at":\#($0),"event":{"of old":{}},"v":4}"# }
        let recording = Recording(seed: 11)
        let read = try EventRecording.read(foreign + recording.lines)
        let replay = RecordingReplay(read)
        #expect(read.breaks.map(\.reason) == [.otherVersion(4)])
        #expect(read.breaks.map(\.unused) == [2])
        #expect(replay.difference == nil)
        #expect(replay.events == recording.events)
    }

    @Test("A recording of another format is refused with its line and version, and an empty one too")
    func refusals() {
        #expect(throws: EventRecordingError.otherVersion(line: 1, 4)) {
            try EventRecording.read([#"{"at":0,"started":{},"v":4}"#, #"{"at":1,"event":{},"v":4}"#])
        }
        #expect(throws: EventRecordingError.nothingToReplay) { try EventRecording.read(text: "") }
        #expect(throws: EventRecordingError.nothingToReplay) {
            try EventRecording.read([#"{"at":0,"event":{"retryRequested":{}},"v":8}"#])
        }
    }
}
