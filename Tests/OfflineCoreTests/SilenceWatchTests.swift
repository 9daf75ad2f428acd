import Base
@testable import OfflineCore
import Testing

/// What the detector learns from its timeline, a character a second.
@Suite("Silences and returns that are learned")
struct SilenceWatchTests {
    private static let learning: NetworkSettings = {
        var settings = NetworkSettings()
        settings.debounceRule = .learned
        return settings
    }()

    private static func bench(_ memory: SilenceMemory = SilenceMemory()) -> Bench {
        var bench = Bench.reachable(learning, startup: StartupState(silences: memory))
        bench.hub = .responses
        return bench
    }

    /// Silences in full seconds, rounded down.
    private func silences(_ bench: Bench) -> [Int64] {
        bench.machine.network.silences.learned.memory.silences.map { $0 / 1_000 }
    }

    private func returns(_ bench: Bench) -> [Int64] {
        bench.machine.network.silences.learned.memory.returns.map { $0 / 1_000 }
    }

    /// A push that failed at once: silence has begun.
    private func fail(_ bench: inout Bench) {
        bench.hub = .silent
        bench.feed(
            .requestFinished(
                RequestOutcome(
                    api: Bench.push, outcome: .network(.silent), startedAt: bench.now, firstByteAt: nil,
                    finishedAt: bench.now)))
    }

    @Test("A till that has learned nothing waits 8 s, as the fixed rule does")
    func fresh() {
        var bench = Self.bench()
        fail(&bench)
        #expect(bench.play("xxxxxxxxx") == "sssssssDD")
        #expect(bench.machine.status(at: bench.now).network.debounce == .seconds(8))
    }

    @Test("Silences that end by themselves lengthen the wait; the cost of each is in the next")
    func lengthens() {
        var bench = Self.bench()
        for _ in 0..<4 {
            fail(&bench)
            _ = bench.play("xxxxxx")
            _ = bench.play("oooooooooo")
            #expect(bench.state == .reachable)
        }
        #expect(silences(bench).count == 4)
        #expect(silences(bench).allSatisfy { (7...10).contains($0) })
        var memory = bench.machine.network.silences.learned.memory
        for _ in 0..<6 { memory.note(silence: .seconds(13)) }
        bench = Self.bench(memory)
        #expect(bench.machine.network.debounce == .seconds(12))
        fail(&bench)
        #expect(bench.time(until: .unreachable) == .seconds(12))
    }

    @Test("An outage is learned with its complete length, and stored")
    func outage() {
        var bench = Self.bench()
        fail(&bench)
        _ = bench.play(String(repeating: "x", count: 60))
        #expect(bench.state == .unreachable)
        bench.hub = .responses
        #expect(bench.time(until: .reachable) != nil)
        #expect(silences(bench).count == 1)
        #expect((60...76).contains(silences(bench).first ?? 0))
        let kept = bench.effects.compactMap { _, effect in
            if case .saveSilences(let memory) = effect { memory } else { nil }
        }
        #expect(kept.last == bench.machine.network.silences.learned.memory)
    }

    @Test("A return that ends within ten minutes is learned, and lengthens the hold")
    func returned() {
        var bench = Self.bench()
        for _ in 0..<4 {
            fail(&bench)
            _ = bench.time(until: .unreachable)
            bench.hub = .responses
            _ = bench.time(until: .reachable)
            bench.run(for: .seconds(10))
        }
        #expect(returns(bench).count == 3)
        #expect(returns(bench).allSatisfy { (10...70).contains($0) })
        #expect(bench.machine.network.silences.hold > .seconds(10))
    }

    @Test("A return that lasts ten minutes counts as ten minutes")
    func lasting() {
        var bench = Self.bench()
        fail(&bench)
        _ = bench.time(until: .unreachable)
        bench.hub = .responses
        _ = bench.time(until: .reachable)
        bench.run(for: .seconds(700))
        fail(&bench)
        #expect(returns(bench) == [600])
    }

    @Test("Time that was suspended and paths that changed are never learned")
    func unwatched() {
        var suspended = Self.bench()
        fail(&suspended)
        _ = suspended.play("xxxxx")
        suspended.feed(.clockGapObserved(.seconds(3_600)))
        _ = suspended.play("oooooooo")
        #expect(suspended.state == .reachable)
        #expect(silences(suspended) == [])
        var moved = Self.bench()
        fail(&moved)
        _ = moved.play("xxxx|")
        _ = moved.play("___________")
        moved.hub = .responses
        moved.run(for: .seconds(60))
        #expect(moved.state == .reachable)
        #expect(silences(moved) == [])
    }

    @Test("A login page is no silence")
    func portal() {
        var bench = Self.bench()
        bench.hub = .portal
        bench.feed(.retryRequested)
        _ = bench.play("pppppp")
        _ = bench.play("oooooo")
        #expect(silences(bench) == [])
    }

    @Test("With the fixed rule the till learns too, and decides by its settings")
    func fixed() throws {
        let memory = try #require(SilenceMemory(silences: [14_000, 14_000, 14_000, 14_000], returns: []))
        let bench = Bench(startup: StartupState(silences: memory))
        #expect(bench.machine.network.silences.debounce == .seconds(19))
        #expect(bench.machine.network.debounce == .seconds(8))
        let learning = Bench(Self.learning, startup: StartupState(silences: memory))
        #expect(learning.machine.network.debounce == .seconds(19))
    }
}
