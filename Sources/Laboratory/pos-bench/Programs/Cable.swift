internal import Glibc

/// A cable between a till and a hub, each in a network namespace of its own; both go with this object.
final class Cable {
    static let tillAddress = "10.217.64.1"
    static let hubAddress = "10.217.64.2"
    static let tillEnd = "till0"
    private static let hubEnd = "hub0"

    private let till = "hf-bench-till-\(getpid())"
    private let hub = "hf-bench-hub-\(getpid())"
    private let log: String

    /// Lays the cable and waits until both ends have a carrier.
    ///
    /// - Throws: ``BenchFailure/notHere(_:)`` where namespaces cannot be made.
    init(log: String) throws(BenchFailure) {
        self.log = log
        guard getuid() == 0 else { throw .notHere("network namespaces need root") }
        removeLeftovers()
        for name in [till, hub] {
            do throws(BenchFailure) {
                try ip("netns", "add", name)
            } catch {
                throw .notHere("the system lets no network namespace be made: \(error)")
            }
        }
        try ip(
            "-n", till, "link", "add", Self.tillEnd, "type", "veth", "peer", "name", Self.hubEnd, "netns", hub
        )
        for (name, end, address) in [
            (till, Self.tillEnd, Self.tillAddress), (hub, Self.hubEnd, Self.hubAddress),
        ] {
            try ip("-n", name, "address", "add", address + "/24", "dev", end)
            try ip("-n", name, "link", "set", "lo", "up")
            try ip("-n", name, "link", "set", end, "up")
        }
        try waitForCarrier()
    }

    deinit {
        for name in [till, hub] { _ = try? ip("netns", "delete", name) }
    }

    /// What runs that were interrupted could not remove.
    private func removeLeftovers() {
        for line in ((try? ip("netns", "list")) ?? "").split(separator: "\n")
        where line.hasPrefix("hf-bench-") {
            let name = String(line.prefix { $0 != " " })
            guard let process = name.split(separator: "-").last.flatMap({ pid_t($0) }) else { continue }
            if kill(process, 0) != 0 { _ = try? ip("netns", "delete", name) }
        }
    }

    /// The arguments before a program of the till; it keeps its process id.
    var behindTill: [String] { ["ip", "netns", "exec", till, "env", "POS_HUB_ALLOW_INSECURE=true"] }

    /// The arguments before a program of the hub.
    var behindHub: [String] { ["ip", "netns", "exec", hub] }

    /// The hub's end drops every response silently, and the till's kernel does not detect it.
    func setSilent(_ isSilent: Bool) throws(BenchFailure) {
        try ip(
            "-n", hub, "route", isSilent ? "add" : "delete", "blackhole", Self.tillAddress + "/32", "metric",
            "1")
    }

    /// Switches the hub's end off, by which the till's loses its carrier, or on again.
    func setCarrier(_ isThere: Bool) throws(BenchFailure) {
        try ip("-n", hub, "link", "set", Self.hubEnd, isThere ? "up" : "down")
        if isThere { try waitForCarrier() }
    }

    /// Whether the till's own routing table refuses the way to the hub.
    func setRefused(_ isRefused: Bool) throws(BenchFailure) {
        try ip(
            "-n", till, "route", isRefused ? "add" : "delete", "blackhole", Self.hubAddress + "/32", "metric",
            "1")
    }

    /// Adds or deletes so many routes at the till, faster than anybody who does not listen can keep.
    func flood(_ verb: String, routes: Int) throws(BenchFailure) {
        let lines = (0..<routes).map { index in
            "route \(verb) 10.\(100 + index / 62_500).\(index / 250 % 250).\(index % 250) via \(Self.hubAddress)"
        }
        let file = log + ".routes"
        try TextFile.write(lines.joined(separator: "\n"), to: file)
        try ip("-n", till, "-batch", file)
    }

    /// Causes an announcement without meaning.
    func makeNoise() throws(BenchFailure) {
        try ip("-n", till, "link", "set", "lo", "alias", "noise")
    }

    /// Another program that prints the kernel's announcements about the till's links, a line each.
    func monitor() throws(BenchFailure) -> BuiltProgram {
        try BuiltProgram("/usr/bin/env", ["ip", "-n", till, "-oneline", "monitor", "link"], log: log)
    }

    private func waitForCarrier() throws(BenchFailure) {
        for _ in 0..<250 {
            if try ip("-n", till, "link", "show", "dev", Self.tillEnd).contains("state UP") { return }
            usleep(20_000)
        }
        throw .programFailed(
            name: "ip", detail: "no carrier after 5 s", lastErrors: TextFile.lastLine(of: log))
    }

    @discardableResult
    private func ip(_ arguments: String...) throws(BenchFailure) -> String {
        try BuiltProgram("/usr/bin/env", ["ip"] + arguments, log: log).finish()
    }
}
