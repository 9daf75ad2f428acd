import Foundation
import LinuxRuntime
import TestKit
import Testing

@testable import Agent

@Suite("The lock of the data folder", .timeLimit(.minutes(1)))
struct HomeGuardTests {
    private func taken(_ home: TerminalHome) throws -> HomeLock {
        guard case .taken(let lock) = try HomeLock.attempt(home) else { throw LoopbackError.closed }
        return lock
    }

    @Test("It is this process's while its name leads to it", arguments: ["removed", "replaced", "renamed"])
    func name(change: String) throws {
        let folder = try TemporaryFolder()
        let home = TerminalHome(path: folder.url.path)
        let lock = try taken(home)
        #expect(lock.isNamed && HomeLock.isHeld(home))
        switch change {
        case "removed": unlink(home.lock)
        case "renamed": rename(home.lock, home.lock + ".old")
        default: try Data().write(to: URL(fileURLWithPath: home.lock), options: .atomic)
        }
        #expect(!lock.isNamed)
        // Whoever comes now owns the folder.
        #expect(try taken(home).isNamed)
    }

    @Test("A lock that was released is free, while somebody still has the object or a copy of its descriptor")
    func release() throws {
        let folder = try TemporaryFolder()
        let home = TerminalHome(path: folder.url.path)
        let lock = try taken(home)
        lock.release()
        #expect(!HomeLock.isHeld(home))
        let next = try taken(home)
        #expect(next.isNamed && HomeLock.isHeld(home))
        // The first one's end takes nothing from the next one.
        withExtendedLifetime(lock) {}
        #expect(HomeLock.isHeld(home))
    }

    @Test("An agent without its lock ends as soon as the name is gone, with an error that says why")
    func end() async throws {
        let folder = try TemporaryFolder()
        let home = TerminalHome(path: folder.url.path)
        let thread = try EventLoopThread(named: "home-guard")
        defer { thread.end() }
        let names = HomeGuard(home: home, lock: try taken(home), server: nil, loop: thread.loop)
        let watching = Task { () -> TerminalError? in
            do throws(TerminalError) {
                try await names.run()
                return nil
            } catch {
                return error
            }
        }
        // Other names come and go.
        try Data("x".utf8).write(to: URL(fileURLWithPath: home.path + "/other"))
        unlink(home.lock)
        let error = await watching.value
        #expect(error?.code == "lock_lost" && error?.kind == .tryAgain)
    }
}

@Suite("The speed of the disk")
struct DiskSpeedTests {
    @Test("Nineteen of twenty sales decide, and no single one; a disk that is well again is so after as many")
    func slow() {
        let disk = DiskSpeed()
        let (fast, slow) = (Duration.milliseconds(4), Duration.milliseconds(800))
        #expect(disk.percentile95 == nil && !disk.isSlow)
        for elapsed in [fast, fast, slow, fast] { #expect(!disk.note(elapsed)) }
        #expect(disk.percentile95 == fast && !disk.isSlow)
        let turned = disk.note(slow)
        #expect(turned && disk.isSlow && disk.percentile95 == slow)
        let again = (1...20).map { _ in disk.note(fast) }
        #expect(again.filter { $0 }.count == 1 && !disk.isSlow)
        for _ in 1...20 { _ = disk.note(DiskSpeed.limit) }
        #expect(!disk.isSlow)
    }
}
