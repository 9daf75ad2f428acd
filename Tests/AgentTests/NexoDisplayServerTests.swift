import Base
import LinuxRuntime
import Logging
import Nexo
import PinnedTLS
import TestKit
import Testing

@testable import Agent

/// What a machine sends by itself, over real sockets.
@Suite("Notifications of a card machine")
struct NexoDisplayServerTests {
    private let thread: EventLoopThread

    init() throws { thread = try EventLoopThread(named: "display") }

    /// The status of the response to a message from 127.0.0.1; nil: the connection was closed without one.
    private func status(fromMachineAt machine: String, bytes: Int) async throws -> Int? {
        let port = try FreePort.number()
        let server = NexoDisplayServer(
            address: try #require(SocketAddress("127.0.0.1:\(port)", defaultPort: 0)),
            machine: try #require(SocketAddress(machine, defaultPort: 0)), loop: thread.loop,
            time: LinuxSystemTime(loop: thread.loop), logger: Logger(label: "test"))
        let work = Task { await server.run { $0.isEmpty ? nil : Array("{}".utf8) } }
        defer { work.cancel() }
        for _ in 0..<1_000 {
            do {
                let body = String(repeating: " ", count: bytes)
                return try LoopbackClient(.tcp(port: port), timeout: 10).request("POST", "/", body: body)
                    .status
            } catch LoopbackError.notConnected {
                // Until the server listens, which nobody announces.
                try await Task.sleep(for: .milliseconds(5))
            } catch {
                return nil
            }
        }
        return nil
    }

    @Test("count from the machine's own address, up to 16 KiB")
    func senders() async throws {
        let limit = NexoNotification.longestBytes
        #expect(try await status(fromMachineAt: "127.0.0.1", bytes: limit) == 200)
        #expect(try await status(fromMachineAt: "127.0.0.1", bytes: limit + 1) != 200)
        #expect(try await status(fromMachineAt: "127.0.0.9", bytes: 10) == nil)
    }
}
