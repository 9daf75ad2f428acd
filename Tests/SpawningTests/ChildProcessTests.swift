import Foundation
import Spawning
import Testing

@Suite("A child process")
struct ChildProcessTests {
    /// The output of a child, once it has ended.
    private func text(_ descriptor: Int32?) throws -> String {
        let file = FileHandle(fileDescriptor: try #require(descriptor), closeOnDealloc: true)
        return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    }

    @Test("reads and writes through its pipes and ends with its code")
    func pipes() throws {
        let child = try ChildProcess(
            "sh", ["-c", "read line; echo \"got $line\"; echo trouble >&2; exit 7"], input: .pipe,
            output: .pipe, errors: .pipe)
        let input = FileHandle(fileDescriptor: try #require(child.input), closeOnDealloc: true)
        try input.write(contentsOf: Data("tea\n".utf8))
        #expect(try text(child.output) == "got tea\n")
        #expect(try text(child.errors) == "trouble\n")
        #expect(child.wait()?.code == 7)
        #expect(child.wait() == nil)
    }

    @Test("that a signal ended reports the signal, and one that runs has not ended")
    func signals() throws {
        let child = try ChildProcess("sleep", ["600"])
        #expect(child.endingIfAny() == nil)
        kill(child.pid, SIGTERM)
        #expect(child.wait()?.code == 128 + SIGTERM)
    }

    @Test("starts in the folder, with the environment and appends to the file that it was given")
    func surroundings() throws {
        let file = NSTemporaryDirectory() + "child-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        for word in ["one", "two"] {
            let child = try ChildProcess(
                "sh", ["-c", "pwd; echo $WORD; echo $HOME"],
                environment: ["WORD": word, "PATH": "/usr/bin:/bin"],
                folder: "/proc", output: .file(file))
            #expect(child.wait()?.code == 0)
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "/proc\none\n\n/proc\ntwo\n\n")
    }

    @Test("inherits neither descriptors nor blocked signals")
    func inheritsNothing() throws {
        let others = try (0..<4).map { _ in try ChildProcess("cat", input: .pipe, output: .pipe) }
        let before = Self.block(SIGTERM)
        let child = try ChildProcess("grep", ["SigBlk", "/proc/self/status"], output: .pipe)
        Self.restore(before)
        #expect(try text(child.output) == "SigBlk:\t0000000000000000\n")
        #expect(child.wait()?.code == 0)
        // If a later child had the pipe's end, the earlier one would never read the end of its input.
        for other in others {
            close(try #require(other.input))
            #expect(try text(other.output) == "")
            #expect(other.wait()?.code == 0)
        }
    }

    private static func block(_ signal: Int32) -> sigset_t {
        var (blocked, before) = (sigset_t(), sigset_t())
        sigemptyset(&blocked)
        sigaddset(&blocked, signal)
        pthread_sigmask(SIG_BLOCK, &blocked, &before)
        return before
    }

    private static func restore(_ mask: sigset_t) {
        var mask = mask
        pthread_sigmask(SIG_SETMASK, &mask, nil)
    }

    @Test("that does not exist is an error with its path")
    func missing() {
        #expect(throws: SpawnError(path: "/nowhere/pos", code: ENOENT)) { try ChildProcess("/nowhere/pos") }
    }
}
