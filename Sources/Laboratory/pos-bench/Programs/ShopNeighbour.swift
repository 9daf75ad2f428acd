import Base

internal import Foundation
internal import Glibc
internal import HubProtocol

/// A till whose agent sees the others of its store, at a port of its own on loopback.
final class ShopNeighbour {
    let home: String
    let place: String
    private let pos: String
    private let log: String
    private let settings: [String]
    private var agent: BuiltProgram?

    /// Enrols it.
    ///
    /// - Parameters:
    ///   - home: its folder; those of keepers lie on another disk than the sales that are measured.
    ///   - others: whom it greets, `ADDRESS:PORT` each; nil: it does not follow the setting of its store.
    init(_ shop: Shop, home: String, at place: String, greeting others: [String]?) throws(BenchFailure) {
        (self.home, self.place) = (home, place)
        (pos, log) = (shop.terminalProgram, shop.log)
        settings = [
            "POS_NEIGHBOURS_ENABLED=\(others == nil ? "off" : "on")", "POS_NEIGHBOURS_LISTEN=\(place)",
            "POS_NEIGHBOURS_ADDRESSES=\(others?.joined(separator: ",") ?? "")",
        ]
        let code = try shop.enrolmentCode()
        _ = try start(["init", "--hub", "http://" + shop.address, "--enrol", code]).finish()
    }

    deinit { agent?.stop() }

    /// Of its agent, which runs.
    var process: Int32 { agent?.processIdentifier ?? 0 }

    /// Starts a command of this till without waiting for its end.
    func start(_ arguments: [String], with more: [String] = []) throws(BenchFailure) -> BuiltProgram {
        try BuiltProgram(
            "/usr/bin/env", settings + more + [pos] + arguments + ["--json", "--home", home], log: log)
    }

    /// - Parameter more: settings of the agent, as `NAME=VALUE`.
    func startAgent(with more: [String] = []) throws(BenchFailure) {
        let agent = try BuiltProgram(
            "/usr/bin/env", settings + more + [pos, "agent", "--home", home], log: log)
        guard try agent.readLine() == "ready" else { throw agent.failure("it is not ready") }
        self.agent = agent
    }

    func stopAgent() {
        agent?.stop()
        agent = nil
    }

    /// What the agent shows of the others.
    func picture() throws(BenchFailure) -> JSONValue {
        let response = try HubConnection(socketAt: home + "/agent.sock").query(
            HubConnection.request("GET", "/v1/neighbours"))
        return (try? JSONParser.parse(response.body)) ?? .null
    }

    /// How many tills are reachable from it.
    func reachable() throws(BenchFailure) -> Int {
        (try picture()["neighbours"]?.array ?? []).count { $0["state"]?.string == "reachable" }
    }

    /// Looks again and again, 60 s at most unless said otherwise.
    ///
    /// - Returns: how long it took, in nanoseconds.
    @discardableResult
    func wait(
        for what: String, seconds: Int64 = 60, _ isThere: () throws(BenchFailure) -> Bool
    ) throws(BenchFailure) -> Int64 {
        let start = Stopwatch.now()
        while try !isThere() {
            guard Stopwatch.now() - start < seconds * 1_000_000_000 else {
                throw .programFailed(
                    name: "pos", detail: "never there: \(what)", lastErrors: TextFile.lastLine(of: log))
            }
            usleep(5_000)
        }
        return Stopwatch.now() - start
    }

    /// How many entries of others it has on its disk, as the names of the files say.
    func keptEntries() -> Int64 {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: home + "/kept")) ?? []
        return names.reduce(0) { sum, name in
            let numbers = name.split { $0 == "_" || $0 == "." }.compactMap { Int64($0) }
            guard name.hasSuffix(".piece"), numbers.count >= 2 else { return sum }
            return sum + numbers[numbers.count - 1] - numbers[numbers.count - 2] + 1
        }
    }
}

/// A folder in memory: another disk than that of the sales that are measured.
final class MemoryFolder {
    let path: String

    /// - Throws: ``BenchFailure/notHere(_:)`` where the system has none.
    init(_ name: String) throws(BenchFailure) {
        path = "/dev/shm/hf-bench-\(getpid())-\(name)"
        guard mkdir(path, 0o700) == 0 else { throw .notHere("no folder in /dev/shm: error \(errno)") }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Ports of loopback that accept connections and never say anything.
final class SilentPorts {
    private let descriptors: [Int32]
    /// `ADDRESS:PORT` each.
    let places: [String]

    init(_ count: Int) throws(BenchFailure) {
        var (descriptors, places): ([Int32], [String]) = ([], [])
        for _ in 0..<count {
            let (descriptor, port) = try LoopbackPort.listening()
            descriptors.append(descriptor)
            places.append("127.0.0.1:\(port)")
        }
        (self.descriptors, self.places) = (descriptors, places)
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}

/// Ports that the system chooses.
enum LoopbackPort {
    /// A port where connections are accepted by the system's queue alone.
    static func listening() throws(BenchFailure) -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isListening else { throw .system(call: "listen", code: errno) }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// Places that are free just now, `ADDRESS:PORT` each.
    static func free(_ count: Int) throws(BenchFailure) -> [String] { try SilentPorts(count).places }
}
