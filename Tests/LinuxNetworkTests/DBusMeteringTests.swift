import Foundation
import TestKit
import MachineRuntime
import Testing

@testable import LinuxNetwork

@Suite(
    "NetworkManager's metering", .timeLimit(.minutes(1)),
    .enabled(if: PlayedBus.obstacle == nil, "\(PlayedBus.obstacle ?? "")"))
struct DBusMeteringTests {
    private func metering(_ path: String) -> DBusMetering {
        DBusMetering(options: .init(path: path, retry: .milliseconds(50)))
    }

    /// Waits until the value for `interface` is `expected`.
    private func becomes(
        _ expected: Bool?, _ metering: DBusMetering, of interface: String = "wlan0"
    ) async -> Bool {
        for _ in 0..<1000 {
            if metering.isMetered(interface) == expected { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    @Test("It stores what NetworkManager reports and each change of it, and notifies its listeners")
    func changes() async throws {
        let manager = try PlayedBus()
        try manager.startService("wlan0", metered: 1)
        let metering = metering(manager.socket)
        let (news, changes) = AsyncStream.makeStream(of: Void.self)
        _ = metering.responses.listen { _ in changes.yield() }
        #expect(metering.isMetered("wlan0") == nil)
        for await _ in news { break }
        #expect(metering.isMetered("wlan0") == true)
        for (number, expected) in [(2, false), (3, true), (4, false), (1, true), (0, nil)] as [(Int, Bool?)] {
            manager.set(metered: number)
            #expect(await becomes(expected, metering), "\(number)")
        }
        #expect(metering.isMetered("eth7") == nil)
        manager.set(metered: 1)
        #expect(await becomes(true, metering))
        #expect(metering.isMetered("eth7") == nil)
        metering.stop()
    }

    @Test("When NetworkManager stops the value is unknown, and when it starts it is found at once")
    func comesAndGoes() async throws {
        let manager = try PlayedBus()
        let metering = metering(manager.socket)
        #expect(await becomes(nil, metering))
        try manager.startService("wlan0", metered: 1)
        #expect(await becomes(true, metering))
        manager.stopService()
        #expect(await becomes(nil, metering))
        try manager.startService("wlan0", metered: 1)
        #expect(await becomes(true, metering))
        metering.stop()
    }

    @Test("Without a bus the value is unknown, and a bus that starts later is found")
    func noBus() async throws {
        let manager = try PlayedBus()
        let folder = try TemporaryFolder()
        let path = folder.path("later")
        let metering = metering(path)
        #expect(metering.isMetered("wlan0") == nil)
        try manager.startService("wlan0", metered: 3)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: manager.socket)
        #expect(await becomes(true, metering))
        metering.stop()
    }

    @Test(
        "With the real NetworkManager: its value, a change of it, and its end",
        .enabled(if: NetworkManagerDaemon.obstacle == nil, "\(NetworkManagerDaemon.obstacle ?? "")"))
    func realManager() async throws {
        let manager = try NetworkManagerDaemon(metered: true)
        let metering = metering(manager.socket)
        #expect(await becomes(true, metering, of: "till0"))
        try manager.set(metered: false)
        #expect(await becomes(false, metering, of: "till0"))
        #expect(await becomes(nil, metering, of: "shop0"))
        manager.stop()
        #expect(await becomes(nil, metering, of: "till0"))
        metering.stop()
    }
}
