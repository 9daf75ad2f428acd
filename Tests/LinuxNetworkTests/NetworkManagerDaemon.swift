import Foundation
import Glibc
import TestKit

/// NetworkManager itself, on a bus and in a network namespace of the test's own: it manages one cable there,
/// `till0`, and not the machine's own interfaces.
final class NetworkManagerDaemon: Sendable {
    private let bus: PlayedBus
    private let till: NetworkNamespace
    private let shop: NetworkNamespace
    private let folder: TemporaryFolder
    private let program: ProgramUnderTest

    /// Why it cannot run here; nil when it can.
    static let obstacle: String? = {
        if let obstacle = NetworkNamespace.obstacle ?? PlayedBus.obstacle { return obstacle }
        guard (try? Command.run(["NetworkManager", "--version"])) != nil else {
            return "NetworkManager is not installed"
        }
        return nil
    }()

    var socket: String { bus.socket }

    /// Starts it and waits until its cable is up, at most 30 s.
    init(metered: Bool) throws {
        bus = try PlayedBus()
        (till, shop) = (try NetworkNamespace("till"), try NetworkNamespace("shop"))
        try till.connect("till0", "10.79.0.2/24", to: shop, "shop0", "10.79.0.1/24")
        folder = try TemporaryFolder()
        try Self.settings(in: folder).write(
            toFile: folder.path("manager.conf"), atomically: true, encoding: .utf8)
        let profile = folder.path("cable.nmconnection")
        try Self.cable(metered).write(toFile: profile, atomically: true, encoding: .utf8)
        chmod(profile, 0o600)
        program = try Self.start(till, socket: bus.socket, folder: folder)
        // The cable has its address already, which NetworkManager keeps unless it is configured otherwise.
        for _ in 0..<300 {
            if (try? client("connection", "up", "cable")) != nil { return }
            usleep(100_000)
        }
        throw CommandError(command: "NetworkManager", status: -1, words: "till0 was not connected after 30 s")
    }

    deinit {
        stop()
        for end in [till, shop] { end.remove() }
    }

    func stop() { program.kill() }

    /// Changes the cable's profile and applies it to the device.
    func set(metered: Bool) throws {
        try client("connection", "modify", "cable", "connection.metered", metered ? "yes" : "no")
        try client("device", "reapply", "till0")
    }

    @discardableResult
    private func client(_ arguments: String...) throws -> String {
        try Command.run(["env", "DBUS_SYSTEM_BUS_ADDRESS=unix:path=\(socket)", "nmcli"] + arguments)
    }

    private static func start(
        _ till: NetworkNamespace, socket: String, folder: TemporaryFolder
    ) throws -> ProgramUnderTest {
        let files = ["state-file": "state", "pid-file": "pid", "intern-config": "intern.conf"]
            .map { "--\($0)=\(folder.path($1))" }
        let folders = ["config-dir", "system-config-dir"].map { "--\($0)=\(folder.path($0))" }
        let command =
            ["exec", "NetworkManager", "--no-daemon", "--config=\(folder.path("manager.conf"))"] + files
            + folders
        // Where /sys cannot be written it runs as in a container and waits for no udev.
        let script = "mount -o remount,ro /sys && \(command.joined(separator: " "))"
        return try ProgramUnderTest(
            command: till.argumentsToRun(["sh", "-c", script]),
            environment: [
                "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(socket)", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            ])
    }

    private static func settings(in folder: TemporaryFolder) -> String {
        """
        [main]
        plugins=keyfile
        dns=none
        rc-manager=unmanaged
        auth-polkit=false
        [keyfile]
        path=\(folder.url.path)

        """
    }

    private static func cable(_ metered: Bool) -> String {
        """
        [connection]
        id=cable
        uuid=6b1c1f0e-27a5-4a0c-9a53-6d8c7a0b2e11
        type=ethernet
        interface-name=till0
        metered=\(metered ? 1 : 2)
        [ipv4]
        method=manual
        address1=10.79.0.2/24,10.79.0.1
        [ipv6]
        method=disabled

        """
    }
}
