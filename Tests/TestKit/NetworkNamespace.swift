import CLinux
import Foundation
import Glibc

/// A network namespace of a test's own, removed with this object and all that was in it.
///
/// Made with `ip`, so that what a test does to it reads like what an administrator would type.
package final class NetworkNamespace: Sendable {
    package let name: String

    /// Why namespaces cannot be made here, for the reason of a skipped test; nil when they can.
    package static let obstacle: String? = {
        guard getuid() == 0 else { return "network namespaces need root" }
        guard (try? Command.run(["ip", "netns", "list"])) != nil else { return "there is no `ip` here" }
        guard let trial = try? NetworkNamespace("trial") else { return "the system lets none be made" }
        _ = trial
        return nil
    }()

    package static var isAvailable: Bool { obstacle == nil }

    /// - Parameter role: part of the name, for whoever looks at `ip netns list`.
    package init(_ role: String) throws {
        name = "hf-\(role)-\(getpid())-\(Self.numbers.next())"
        try Command.run(["ip", "netns", "add", name])
        try ip("link", "set", "lo", "up")
    }

    deinit { remove() }

    /// Removes the namespace now, whoever still refers to it; threads inside keep it alive without its name.
    package func remove() {
        guard access(path, F_OK) == 0 else { return }
        _ = try? Command.run(["ip", "netns", "delete", name])
    }

    private var path: String { "/run/netns/\(name)" }

    /// Runs a program inside to its end and gives its standard output.
    ///
    /// - Throws: ``CommandError`` with its output when it did not end with 0.
    @discardableResult
    package func run(_ arguments: [String]) throws -> String {
        try Command.run(argumentsToRun(arguments))
    }

    /// The command line that runs `arguments` inside, for programs that keep running; it keeps its process
    /// id.
    package func argumentsToRun(_ arguments: [String]) -> [String] {
        ["ip", "netns", "exec", name] + arguments
    }

    /// `ip` inside.
    @discardableResult
    package func ip(_ arguments: String...) throws -> String {
        try Command.run(["ip", "-n", name] + arguments)
    }

    /// Many lines of `ip` at once, without the start of a program for each.
    package func batch(_ lines: [String]) throws {
        let folder = try TemporaryFolder()
        let file = folder.path("batch")
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        try Command.run(["ip", "-n", name, "-batch", file])
    }

    /// Lays a cable (a veth pair) to `other`; both ends are up and have their addresses, without waiting for
    /// IPv6's duplicate detection.
    package func connect(
        _ interface: String, _ address: String, to other: NetworkNamespace, _ otherInterface: String,
        _ otherAddress: String
    ) throws {
        try ip(
            "link", "add", interface, "type", "veth", "peer", "name", otherInterface, "netns", other.name)
        for (namespace, end, address) in [(self, interface, address), (other, otherInterface, otherAddress)] {
            let isSix = address.contains(":")
            var words = ["ip", "-n", namespace.name, "address", "add", address, "dev", end]
            if isSix { words.append("nodad") }
            try Command.run(words)
            try namespace.ip("link", "set", end, "up")
        }
        try waitUntilUp(interface)
        try other.waitUntilUp(otherInterface)
    }

    /// Waits until the kernel calls the interface up; it may take a second to notice a carrier.
    private func waitUntilUp(_ interface: String) throws {
        for _ in 0..<250 {
            if try ip("link", "show", "dev", interface).contains("state UP") { return }
            usleep(20_000)
        }
        throw CommandError(command: "wait for \(interface)", status: -1, words: "no carrier after 5 s")
    }

    /// Pulls the cable of `interface` out or puts it back.
    package func setLink(_ interface: String, up: Bool) throws {
        try ip("link", "set", interface, up ? "up" : "down")
    }

    /// Drops everything towards `prefix` without a response, or stops doing so. On the far end of a cable it
    /// makes a silence that the near end's kernel does not notice.
    package func setBlackhole(_ prefix: String, _ on: Bool) throws {
        try ip("route", on ? "add" : "delete", "blackhole", prefix, "metric", "1")
    }

    /// Drops what a server's TCP port inside sends, or stops doing so: no client connects, and what is open
    /// falls silent, while the machine goes on responding to pings.
    package func setPort(_ port: UInt16, dropped: Bool) throws {
        try ip(
            "rule", dropped ? "add" : "delete", "pref", "1", "ipproto", "tcp", "sport", "\(port)", "blackhole"
        )
    }

    /// Moves the calling thread into the namespace for good; for threads that end with the test.
    package func enter() {
        guard clinux_enter_network_namespace(path) == 0 else {
            preconditionFailure("cannot enter the namespace \(name): errno \(errno)")
        }
    }

    /// Runs `body` on a thread inside; the sockets that it makes stay there.
    package func perform<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        let result = Outcome<Value>()
        Thread.detachNewThread { [self] in
            enter()
            result.end(with: Result(catching: body))
        }
        return try result.wait()
    }

    private static let numbers = Counter()
}

/// What a thread comes to.
private final class Outcome<Value: Sendable>: @unchecked Sendable {
    // Written before the signal and read behind it.
    private var result: Result<Value, any Error>?
    private let isThere = DispatchSemaphore(value: 0)

    func end(with result: Result<Value, any Error>) {
        self.result = result
        isThere.signal()
    }

    func wait() throws -> Value {
        isThere.wait()
        guard let result else { preconditionFailure("no result behind its signal") }
        return try result.get()
    }
}

/// Counts from 1, for names that must not repeat.
final class Counter: @unchecked Sendable {
    // Guarded by `lock`.
    private let lock = NSLock()
    private var value = 0

    func next() -> Int {
        lock.withLock {
            value += 1
            return value
        }
    }
}
