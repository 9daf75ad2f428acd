import Base
import LinuxRuntime
import MachineRuntime
import Foundation
import Glibc
import Synchronization
import Testing

@Suite("Event loop", .timeLimit(.minutes(1)))
struct EventLoopTests {
    @Test("work of one thread runs in order, on the loop's thread")
    func order() async throws {
        let thread = try EventLoopThread(named: "loop-test")
        let seen = Mutex<[Int]>([])
        for index in 0..<1000 { thread.loop.enqueue { seen.withLock { $0.append(index) } } }
        #expect(await onLoop(thread.loop) { thread.loop.isCurrent })
        #expect(!thread.loop.isCurrent)
        #expect(seen.withLock { $0 } == Array(0..<1000))
    }

    @Test("work that was queued before the end runs, the end waits for it")
    func end() throws {
        let count = Mutex(0)
        let thread = try EventLoopThread(named: "loop-test")
        for _ in 0..<1000 { thread.loop.enqueue { count.withLock { $0 += 1 } } }
        thread.end()
        thread.end()
        #expect(count.withLock { $0 } == 1000)
    }

    @Test("timers fire in the order of their times and not before; a cancelled one never does")
    func timers() async throws {
        let thread = try EventLoopThread(named: "loop-test")
        let loop = thread.loop
        let rings = AsyncStream.makeStream(of: String.self)
        let start = now()
        loop.enqueue {
            loop.schedule(at: start + .milliseconds(60)) { rings.continuation.yield("c") }
            let cancelled = loop.schedule(at: start + .milliseconds(20)) { rings.continuation.yield("x") }
            loop.schedule(at: start + .milliseconds(40)) { rings.continuation.yield("b") }
            loop.schedule(at: start) { rings.continuation.yield("a") }
            loop.cancel(cancelled)
        }
        var seen: [String] = []
        for await ring in rings.stream {
            seen.append(ring)
            if ring == "c" { break }
        }
        #expect(seen == ["a", "b", "c"])
        #expect(now() - start >= .milliseconds(60))
    }

    @Test("a sleeper returns when its time has come, or as soon as it is cancelled")
    func sleeping() async throws {
        let thread = try EventLoopThread(named: "loop-test")
        // The kernel's timer is under test: it can be early only on the real clock.
        let start = now()
        try await thread.loop.sleep(until: start + .milliseconds(50))
        #expect(now() - start >= .milliseconds(50))
        let sleeper = Task { try await thread.loop.sleep(until: start + .seconds(3600)) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test("a reader waits for bytes and for the other side's end")
    func readiness() async throws {
        let thread = try EventLoopThread(named: "loop-test")
        let pipe = try TestPipe()
        let reader = Task { try await thread.loop.waitUntilReady(pipe.reading, for: .read) }
        pipe.write("x")
        try await reader.value
        #expect(pipe.readByte() == UInt8(ascii: "x"))
        let last = Task { try await thread.loop.waitUntilReady(pipe.reading, for: .read) }
        pipe.closeWriting()
        try await last.value
        #expect(pipe.readByte() == nil)
    }

    @Test("a plain file cannot be watched, since it is always ready")
    func plainFile() async throws {
        let thread = try EventLoopThread(named: "loop-test")
        let file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        await #expect(throws: EventLoopError.self) {
            try await thread.loop.waitUntilReady(file, for: .read)
        }
    }

    @Test("a cancelled watch does not end the watch of its descriptor's next owner")
    func reusedNumber() async throws {
        let thread = try EventLoopThread(named: "loop-test")
        let loop = thread.loop
        let pipe = try TestPipe()
        let heard = AsyncStream.makeStream(of: Readiness.self)
        let isOver = await onLoop(loop) {
            guard let first = try? loop.watch(pipe.reading, for: .read, { _ in }) else { return false }
            let second = try? loop.watch(pipe.reading, for: .read) { heard.continuation.yield($0) }
            loop.ignore(first)
            return second != nil
        }
        #expect(isOver)
        pipe.write("x")
        var iterator = heard.stream.makeAsyncIterator()
        #expect(await iterator.next()?.contains(.read) == true)
    }

    @Test("an idle loop does not wake up, not for a timer that was cancelled either")
    func idle() async throws {
        let thread = try EventLoopThread(named: "loop-idle")
        let loop = thread.loop
        let sleeper = Task { try await loop.sleep(until: now() + .milliseconds(300)) }
        let link = await onLoop(loop) {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
        }
        let task = "/proc/" + (try #require(link))
        sleeper.cancel()
        _ = await sleeper.result
        try await Task.sleep(for: .milliseconds(100))
        let rested = try wakeups(of: task)
        try await Task.sleep(for: .milliseconds(500))
        #expect(try wakeups(of: task) == rested)
    }

    /// Voluntary context switches of the thread in the folder `task`.
    private func wakeups(of task: String) throws -> Int {
        let status = try String(contentsOfFile: task + "/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("voluntary") })
        return try #require(line.split(separator: "\t").last.flatMap { Int($0) })
    }
}

/// What `body` returns on the loop's thread.
private func onLoop<Value: Sendable>(_ loop: EventLoop, _ body: @escaping @Sendable () -> Value) async
    -> Value
{
    await withCheckedContinuation { continuation in
        loop.enqueue { continuation.resume(returning: body()) }
    }
}

private func now() -> Instant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
}

/// A pipe to wait for.
private final class TestPipe: Sendable {
    let reading: Int32
    private let writing: Mutex<Int32?>

    init() throws {
        var ends: [Int32] = [0, 0]
        let code = pipe(&ends)
        try #require(code == 0)
        reading = ends[0]
        writing = Mutex(ends[1])
    }

    deinit {
        closeWriting()
        close(reading)
    }

    func write(_ text: String) {
        writing.withLock { if let end = $0 { _ = Glibc.write(end, text, text.utf8.count) } }
    }

    func closeWriting() {
        writing.withLock { if let end = $0.take() { close(end) } }
    }

    /// Nil at the end.
    func readByte() -> UInt8? {
        var byte: UInt8 = 0
        return read(reading, &byte, 1) == 1 ? byte : nil
    }
}
