import Foundation
import TestKit

/// A message bus of the test's own and on it a small NetworkManager in Python, with a device whose metering
/// the test sets. Both end with this object, by their process ids.
final class PlayedBus: @unchecked Sendable {
    // Set once before anybody else sees the object.
    private let folder: TemporaryFolder
    private let bus: ProgramUnderTest
    private var service: ProgramUnderTest?
    let socket: String

    /// Why it cannot run here; nil when it can.
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
        bus = try ProgramUnderTest(
            command: ["dbus-daemon", "--config-file=" + configuration, "--nofork", "--print-address"])
        try bus.line { $0.hasPrefix("unix:") }
    }

    deinit {
        stopService()
        bus.kill()
    }

    /// Starts NetworkManager with one device, `interface`, with `number` of NMMetered.
    func startService(_ interface: String, metered number: Int) throws {
        let program = folder.path("manager.py")
        try Self.program.write(toFile: program, atomically: true, encoding: .utf8)
        let service = try ProgramUnderTest(
            command: ["/usr/bin/python3", program, interface, String(number)],
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=" + socket])
        try service.line { $0 == "ready" }
        self.service = service
    }

    /// Changes the device's metering and announces it.
    func set(metered number: Int) { try? service?.write(line: String(number)) }

    /// Ends NetworkManager; the bus continues.
    func stopService() {
        service?.kill()
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
