import Foundation
import Glibc
import Spawning

/// A PostgreSQL server of the tests' own: a data folder under the system's temporary one, a free port on
/// loopback, run as a user without rights. It ends, and its folder goes, with this process at the latest.
package final class PostgresServer: @unchecked Sendable {
    // The running program is behind `lock`; everything else is immutable.
    package let port: UInt16
    private let folder: TemporaryFolder
    private let lock = NSLock()
    private var program: ChildProcess?

    /// The server that tests share, or why there is none.
    package static let shared: Result<PostgresServer, any Error> = Result { try PostgresServer() }

    /// Why there is no server here, for the reason of a skipped test; nil when there is one.
    package static let obstacle: String? = {
        switch shared {
        case .success: nil
        case .failure(let error): "no PostgreSQL could be started here: \(error)"
        }
    }()

    package static var isAvailable: Bool { obstacle == nil }

    /// Makes a data folder and starts a server on it.
    package init() throws {
        folder = try TemporaryFolder()
        port = try FreePort.number()
        let user = getuid() == 0 ? "postgres" : NSUserName()
        if getuid() == 0 { try Command.run(["chown", user, folder.url.path]) }
        try Command.run(
            Self.withoutRights([
                try Self.program("initdb"), "-D", folder.path("data"), "-U", "holdfast", "-A", "trust", "-E",
                "UTF8", "--locale=C", "--no-sync",
            ]))
        try start()
    }

    deinit { stop() }

    /// Starts the server again, after ``stop(crashing:)``.
    package func start() throws {
        // The server ends when the pipe to this process does, however that comes.
        let script = """
            trap : INT TERM
            "$@" >"$LOG" 2>&1 &
            server=$!
            read -r word
            [ "$word" = crash ] && kill -QUIT $server || kill -INT $server
            wait $server
            [ -n "$word" ] || rm -rf "$FOLDER"
            """
        let command = Self.withoutRights([
            try Self.program("postgres"), "-D", folder.path("data"), "-h", "127.0.0.1", "-p", "\(port)", "-k",
            folder.url.path, "-c", "max_connections=300", "-c", "shared_buffers=32MB",
        ])
        let own = ["LOG": folder.path("log"), "FOLDER": folder.url.path]
        let started = try ChildProcess(
            "bash", ["-c", script, "bash"] + command,
            environment: ChildProcess.ownEnvironment.merging(own) { $1 }, input: .pipe)
        lock.withLock { program = started }
        for _ in 0..<600 {
            if (try? sql("SELECT 1")) != nil { return }
            usleep(50_000)
        }
        let log = (try? String(contentsOfFile: folder.path("log"), encoding: .utf8)) ?? ""
        throw PostgresServerError.notStarted(log: log)
    }

    /// Ends the server; `crashing` without a checkpoint, as a power cut would.
    package func stop(crashing: Bool = false) {
        guard
            let started = lock.withLock({
                defer { program = nil }; return program
            })
        else { return }
        guard let input = started.input else { return }
        let word = crashing ? "crash\n" : "stop\n"
        _ = word.withCString { write(input, $0, strlen($0)) }
        close(input)
        _ = started.wait()
    }

    /// Stops every process of the server at once, as a dead disk would; ``thaw()`` lets them go on.
    package func freeze() throws { try signalAll(SIGSTOP) }

    package func thaw() throws { try signalAll(SIGCONT) }

    /// The process id of the postmaster is in its own file; its children come from the kernel.
    private func signalAll(_ number: Int32) throws {
        let file = try String(contentsOfFile: folder.path("data/postmaster.pid"), encoding: .utf8)
        guard let first = file.split(separator: "\n").first, let postmaster = pid_t(first) else { return }
        let children = try String(
            contentsOfFile: "/proc/\(postmaster)/task/\(postmaster)/children", encoding: .utf8)
        for process in [postmaster] + children.split(separator: " ").compactMap({ pid_t($0) }) {
            kill(process, number)
        }
    }

    /// The connection string of a new, empty schema of the test alone.
    package func freshSchema() throws -> String {
        let name = "t" + UUID().uuidString.prefix(12).lowercased().filter { $0 != "-" }
        try sql("CREATE SCHEMA \(name)")
        return "postgresql://holdfast@127.0.0.1:\(port)/postgres?options=-csearch_path%3D\(name)"
    }

    /// The same schema for programs in a network namespace, which do not reach this computer's loopback.
    package func overItsSocket(_ url: String) -> String {
        url.replacingOccurrences(of: "@127.0.0.1:\(port)/postgres?", with: "@/postgres?")
            + "&host=\(folder.url.path)&port=\(port)"
    }

    /// Runs one statement in `schema` and gives what it prints.
    @discardableResult
    package func sql(_ statement: String, on url: String? = nil) throws -> String {
        try Command.run([
            "psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-c", statement,
            url ?? "postgresql://holdfast@127.0.0.1:\(port)/postgres",
        ])
    }

    private static func withoutRights(_ command: [String]) -> [String] {
        guard getuid() == 0 else { return command }
        return ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups", "--"] + command
    }

    /// Debian puts the server's programs beside no others; the newest version wins.
    private static func program(_ name: String) throws -> String {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let paths = versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "\(root)/\($0)/bin/\(name)" }
        guard let path = paths.first(where: { access($0, X_OK) == 0 }) else {
            throw PostgresServerError.notInstalled(program: name)
        }
        return path
    }
}

/// Why a server of the tests' own is not there.
package enum PostgresServerError: Error, Equatable {
    /// Install Debian's package `postgresql`.
    case notInstalled(program: String)
    /// It does not respond; what it logged.
    case notStarted(log: String)
}

/// A port of loopback that was free a moment ago.
package enum FreePort {
    package static func number() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 ? getsockname(descriptor, address, &size) : -1
            }
        }
        guard code == 0 else { throw PostgresServerError.notStarted(log: "no free port") }
        return UInt16(bigEndian: address.sin_port)
    }
}
