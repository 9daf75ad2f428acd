import Base
import Foundation
import Glibc
import Retail
import Synchronization
import TestKit
import Testing

@testable import Agent

@Suite("The connection to a card machine", .timeLimit(.minutes(2)))
struct SimulatedCardMachineTests {
    /// A machine on loopback that accepts one connection and responds with nothing, or with a space after
    /// each pause, until its caller is gone.
    private final class SlowMachine: Sendable {
        let port: UInt16
        let isConnected = Atomic(false)
        private let listener: Int32

        init() throws {
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let (listener, length) = (listener, size)
            let isListening = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    bind(listener, pointer, length) == 0 && listen(listener, 1) == 0
                        && getsockname(listener, pointer, &size) == 0
                }
            }
            try #require(isListening)
            port = UInt16(bigEndian: address.sin_port)
        }

        deinit { close(listener) }

        func serve(pause: Int32?) {
            let connection = accept(listener, nil, nil)
            isConnected.store(true, ordering: .releasing)
            defer { close(connection) }
            var byte = UInt8(ascii: " ")
            var buffer = [UInt8](repeating: 0, count: 1_024)
            while true {
                var waiting = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
                if poll(&waiting, 1, pause ?? -1) > 0 {
                    guard recv(connection, &buffer, buffer.count, 0) > 0 else { return }
                } else if send(connection, &byte, 1, Int32(MSG_NOSIGNAL)) <= 0 {
                    return
                }
            }
        }
    }

    private let request = DeviceRequest(
        .charge, key: "K1", chargeKey: "K1", amount: 5, currency: "CNY", openedAt: 0)

    private func charge(
        at port: UInt16, within deadline: Duration, until giveUp: GiveUp = GiveUp()
    ) async throws -> DeviceResponse {
        let place = try #require(DeviceAddress("tcp:127.0.0.1:\(port)"))
        return await SimulatedCardMachine(place, deadline: deadline).perform(
            request, original: nil,
            DeviceSteps(open: { _ in true }, report: { _ in true }, show: { _ in }, giveUp: giveUp))
    }

    @Test("a machine that sends byte by byte has no more time than one that sends nothing")
    func trickling() async throws {
        let slow = try SlowMachine()
        Thread { slow.serve(pause: 200) }.start()
        let start = ContinuousClock.now
        let response = try await charge(at: slow.port, within: .seconds(1))
        #expect(response == .lost(detail: "the card machine did not respond"))
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test("a sale that is given up does not wait for the machine")
    func cancelled() async throws {
        let slow = try SlowMachine()
        Thread { slow.serve(pause: nil) }.start()
        let port = slow.port
        let giveUp = GiveUp()
        let work = Task { try await charge(at: port, within: .seconds(300), until: giveUp) }
        await eventually { slow.isConnected.load(ordering: .acquiring) }
        let start = ContinuousClock.now
        giveUp.request()
        #expect(try await work.value == .lost(detail: "the card machine did not respond"))
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test("where nothing listens nothing is sent, and that is known at once")
    func nothing() async throws {
        let port = try SlowMachine().port
        #expect(try await charge(at: port, within: .seconds(300)) == .notSent(.unreachable))
    }
}
