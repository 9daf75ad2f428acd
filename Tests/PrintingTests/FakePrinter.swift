import Glibc
import LinuxRuntime
import Synchronization

/// A network printer on loopback: one connection at a time, everything it gets is kept.
final class FakePrinter: Sendable {
    /// How it behaves from the next connection on.
    struct Manner: Sendable {
        /// The response to `DLE EOT 4`; nil: none.
        var paperByte: UInt8?
        /// It resets the connection after as many bytes of a job; nil: never.
        var resetsAfter: Int?
        /// Called at the first bytes of a job.
        var onFirstByte: (@Sendable () -> Void)?
    }

    private struct State {
        var manner: Manner
        var jobs: [[UInt8]] = []
        var connections = 0
        var listener: Int32
    }

    let port: UInt16
    private let state: Mutex<State>

    init(_ manner: Manner = Manner()) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard bound else { throw FakePrinterError(code: errno) }
        port = UInt16(bigEndian: address.sin_port)
        state = Mutex(State(manner: manner, listener: listener))
        try PosixThread.detach { [weak self] in
            // Its number could be another printer's as soon as it is closed, so the thread that uses it
            // closes it.
            defer { close(listener) }
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, let self else { return }
                self.serve(connection)
            }
        }
    }

    deinit { stop() }

    /// The bytes of every connection that had some of a job, without the requests for the paper sensor.
    var jobs: [[UInt8]] { state.withLock { $0.jobs } }
    var connections: Int { state.withLock { $0.connections } }

    func behave(_ manner: Manner) { state.withLock { $0.manner = manner } }

    /// Nobody listens on the port any more.
    func stop() {
        let listener = state.withLock { state in
            defer { state.listener = -1 }
            return state.listener
        }
        guard listener >= 0 else { return }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func serve(_ connection: Int32) {
        let manner = state.withLock { state in
            state.connections += 1
            return state.manner
        }
        var job: [UInt8] = []
        var hasBegun = false
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(connection, &chunk, chunk.count)
            guard count > 0 else { break }
            job += chunk[..<count]
            while let place = job.indices.first(where: { job[$0...].starts(with: [0x10, 0x04, 0x04]) }) {
                job.removeSubrange(place..<place + 3)
                if var byte = manner.paperByte { write(connection, &byte, 1) }
            }
            if !job.isEmpty, !hasBegun {
                hasBegun = true
                manner.onFirstByte?()
            }
            if let limit = manner.resetsAfter, job.count >= limit {
                var lingering = linger(l_onoff: 1, l_linger: 0)
                setsockopt(
                    connection, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
                break
            }
        }
        if !job.isEmpty { state.withLock { $0.jobs.append(job) } }
        close(connection)
    }
}

struct FakePrinterError: Error {
    let code: Int32
}

/// The result of `body`, which blocks and so has a thread of its own.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        do throws(EventLoopError) {
            try PosixThread.detach { continuation.resume(returning: body()) }
        } catch {
            preconditionFailure("no thread: \(error)")
        }
    }
}
