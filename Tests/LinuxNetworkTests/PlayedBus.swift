import Foundation
import Glibc
import TestKit

/// A message bus of the test's own and on it a small NetworkManager in Python, with a device whose metering
/// the test sets. Both end with this object, by their process ids.
final class PlayedBus: @unchecked Sendable {
    // Set once before anybody else sees the object.
    private let folder: TemporaryFolder
    private let bus: Process
    private var service: Process?
    private var commands: FileHandle?
    let socket: String

    /// Why it cannot be played here; nil when it can.
    static let obstacle: String? = {
        guard (try? Command.run(["dbus-daemon", "--version"])) != nil else {
            return "there is no `dbus-daemon`"
        }
        guard (try? Command.run(["/usr/bin/python3", "-c", "import dbus, gi"])) != nil else {
            return "python3 has no dbus or gi"
        }
        return nil
    }()

    /// Starts the bus alone.
    init() throws {
        folder = try TemporaryFolder()
        socket = folder.path("bus")
        let configuration = folder.path("bus.conf")
        try """
        <busconfig><type>custom</type><listen>unix:path=\(socket)</listen><auth>EXTERNAL</auth>
        <policy context="default"><allow send_destination="*"/><allow eavesdrop="true"/><allow own="*"/>
        <allow user="*"/></policy></busconfig>
        """.write(toFile: configuration, atomically: true, encoding: .utf8)
        bus = Process()
        bus.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        bus.arguments = ["dbus-daemon", "--config-file=" + configuration, "--nofork", "--print-address"]
        let output = Pipe()
        bus.standardOutput = output
        bus.standardError = FileHandle.nullDevice
        try bus.run()
        _ = output.fileHandleForReading.availableData
    }

    deinit {
        stopService()
        kill(bus.processIdentifier, SIGKILL)
    }

    /// Starts NetworkManager with one device, `interface`, metered as `number` of NMMetered says.
    func startService(_ interface: String, metered number: Int) throws {
        let program = folder.path("manager.py")
        try Self.program.write(toFile: program, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [program, interface, String(number)]
        process.environment = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=" + socket, "PATH": "/usr/bin:/bin"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        _ = output.fileHandleForReading.availableData
        service = process
        commands = input.fileHandleForWriting
    }

    /// Changes the device's metering and announces it.
    func set(metered number: Int) { commands?.write(Data("\(number)\n".utf8)) }

    /// Ends NetworkManager; the bus goes on.
    func stopService() {
        // Threads of Dispatch block the signals that may be blocked, and their children inherit that.
        if let service { kill(service.processIdentifier, SIGKILL) }
        service = nil
    }

    private static let program = """
        exec('import dbus, dbus.service, dbus.mainloop.glib, sys')
        from gi.repository import GLib
        NM = 'org.freedesktop.NetworkManager'
        PROPS = 'org.freedesktop.DBus.Properties'
        dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
        bus = dbus.SystemBus()
        class Device(dbus.service.Object):
            metered = int(sys.argv[2])
            @dbus.service.method(PROPS, in_signature='ss', out_signature='v')
            def Get(self, interface, name):
                assert (interface, name) == (NM + '.Device', 'Metered')
                return dbus.UInt32(self.metered)
            @dbus.service.signal(PROPS, signature='sa{sv}as')
            def PropertiesChanged(self, interface, changed, invalidated): pass
        class Root(dbus.service.Object):
            @dbus.service.method(NM, in_signature='s', out_signature='o')
            def GetDeviceByIpIface(self, interface):
                if interface != sys.argv[1]:
                    raise dbus.DBusException('none', name=NM + '.UnknownDevice')
                return dbus.ObjectPath('/org/freedesktop/NetworkManager/Devices/1')
        device = Device(bus, '/org/freedesktop/NetworkManager/Devices/1')
        manager = Root(bus, '/org/freedesktop/NetworkManager')
        name = dbus.service.BusName(NM, bus)
        def command(source, condition):
            line = sys.stdin.readline()
            if not line: sys.exit()
            device.metered = int(line)
            device.PropertiesChanged(NM + '.Device', {'Metered': dbus.UInt32(device.metered)}, [])
            return True
        GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, command)
        print('ready', flush=True)
        GLib.MainLoop().run()
        """
}
