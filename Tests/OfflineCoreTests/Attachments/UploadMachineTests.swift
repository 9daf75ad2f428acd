import Base
import OfflineCore
import Testing

@Suite("The upload machine")
struct UploadMachineTests {
    private func timeline(_ uploads: PendingUpload..., permission: UploadPermission = .everything)
        -> UploadTimeline
    {
        UploadTimeline(uploads, permission: permission)
    }

    @Test("an upload is announced, queried and sent in chunks that double up to the hub's size")
    func whole() {
        var line = timeline(.of("a", 4_000))
        #expect(line.run() == "LA?456664F")
        #expect(line.whole == ["a"])
        #expect(line.machine.deadline == nil)
    }

    @Test("it continues at the hub's position, whatever was lost, and never from the start")
    func resumes() throws {
        for (responses, drawn) in [
            ("....x", "LA?45?45664F"), ("....z", "LA?45?46664F"), ("...z", "LA?4?34564F"),
        ] {
            var line = timeline(.of("a", 3_000))
            #expect(line.run(responses).hasPrefix(String(drawn.prefix(6))), "\(line.drawn)")
            #expect(line.whole == ["a"])
            #expect(line.drawn.filter { $0 == "A" }.count == 1, "a pre-signed URL is used again")
            #expect(line.drawn.filter { $0 == "?" }.count == 2, "the hub is queried once more")
            #expect(line.sent.filter { $0.from == 0 }.count == 1)
            let sent = line.sent.map(\.count).reduce(0, +)
            let lost: Int64 = responses.hasSuffix("x") ? 512 << 10 : 0
            #expect(sent == 3_000 << 10 + lost)
        }
    }

    @Test("chunks halve after failures, down to 16 KiB")
    func halves() {
        var line = timeline(.of("a", 600))
        #expect(line.run("...x.x.x.x.x.").hasPrefix("LA?4?3?2?1?0?012"))
    }

    @Test("an expired pre-signed URL is requested again, and the upload continues")
    func leaveRanOut() {
        var line = timeline(.of("a", 1_000))
        #expect(line.run("....e") == "LA?45A?54F")
        #expect(line.sent.filter { $0.from == 0 }.count == 1)
    }

    @Test("a pre-signed URL that is always refused makes the upload wait, and others are sent")
    func leaveNeverTaken() {
        var line = timeline(.of("a", 100), .of("b", 100))
        #expect(line.run(".eee").hasPrefix("LAAAA?3F"))
        #expect(line.whole.first == "b")
        #expect(Set(line.whole) == ["a", "b"])
    }

    @Test("another digest starts again from the first byte, after a wait, and is shown")
    func mismatch() {
        var line = timeline(.of("a", 300))
        #expect(line.run("....d") == "LA?42NA?5F")
        #expect(line.sent.map(\.from) == [0, 256 << 10, 0])
    }

    @Test("an upload that the hub refuses, or that is missing on disk, waits alone; others are sent")
    func ownTrouble() {
        for trouble in ["r", "f"] {
            var line = timeline(.of("a", 100), .of("b", 100))
            #expect(line.run("..." + trouble).hasPrefix("LA?3NA?3F"))
            #expect(line.whole.first == "b")
        }
    }

    @Test("urgent ones are sent first, also before the rest of one that has begun")
    func urgentFirst() {
        var line = timeline(.of("a", 4_000))
        _ = line.run(limit: 4)
        line.uploads.append(.of("B", 100))
        line.feed(.uploadsChanged)
        _ = line.run()
        #expect(line.whole == ["B", "a"])
        #expect(line.sent.filter { $0.id == "a" && $0.from == 0 }.count == 1)
    }

    @Test("on a metered path only urgent ones are sent; without permission none is, and it is checked again")
    func permission() throws {
        var line = timeline(.of("a", 100), .of("B", 100), permission: .urgentOnly)
        #expect(line.run(limit: 5) == "LA?3F")
        #expect(line.whole == ["B"])
        #expect(line.machine.views(at: line.now).map(\.state) == [.held])
        #expect(try #require(line.machine.deadline) > line.now)
        line.feed(.permissionChanged(.everything))
        #expect(line.run() == "LA?3FA?3F")
        line = timeline(.of("A", 100), permission: .nothing)
        #expect(line.run(limit: 3) == "L")
    }

    @Test("a person's sync now allows more, once")
    func queried() {
        var line = timeline(.of("a", 100), .of("b", 100), permission: .nothing)
        #expect(line.run(limit: 1) == "L")
        line.feed(.syncRequested(.everything))
        #expect(line.run(limit: 8) == "LA?3FA?3F")
        #expect(line.machine.handle(.syncRequested(.everything), at: line.now) == [.finishSync(finished: 0)])
    }

    @Test("a degraded link gets chunks of 64 KiB")
    func degraded() {
        var line = timeline(.of("A", 200))
        line.feed(.linkQualityChanged(isDegraded: true))
        #expect(line.run() == "LA?2220F")
    }

    @Test("a failed store operation is repeated, and a complete upload is found complete again")
    func storeTrouble() {
        var line = timeline(.of("a", 100))
        #expect(line.run("w") == "LLA?3F")
        line = timeline(.of("a", 100))
        #expect(line.run("....w") == "LA?3F?F")
        #expect(line.sent.count == 1)
    }

    @Test("the hub's Retry-After is kept, also for a person's request")
    func retryAfter() throws {
        var line = timeline(.of("a", 100))
        _ = line.run(limit: 3)
        line.feed(.responded(.hubTrouble(retryAfter: .seconds(30))))
        line.feed(.syncRequested(.everything))
        #expect(try #require(line.machine.deadline) == at(30))
    }

    @Test("unexpected results change nothing")
    func strays() {
        var machine = UploadMachine(seed: 1, at: at(0))
        #expect(machine.handle(.deadlineReached, at: at(0)) == [.list])
        #expect(machine.handle(.listed([]), at: at(0)) == [])
        let before = machine
        for stray: UploadEvent in [
            .listed([.of("a", 1)]), .responded(.whole), .responded(.at(5)), .written, .storeFailed,
        ] {
            #expect(machine.handle(stray, at: at(0)) == [])
            #expect(machine == before)
        }
    }

    @Test("whatever fails, every upload completes, no byte is skipped, and the machine never loops")
    func walk() {
        for seed in UInt64(1)...400 {
            var random = SplitMix64(seed: seed)
            let responses = String((0..<60).map { _ in Array("....xzedrfw")[Int(random.below(11))] })
            var line = UploadTimeline([.of("a", 900), .of("B", 70), .of("c", 1)], seed: seed)
            let drawn = line.run(responses)
            #expect(Set(line.whole) == ["a", "B", "c"], "seed \(seed): \(drawn)")
            #expect(drawn.count < 250, "seed \(seed): \(drawn)")
        }
    }
}
