import Testing

@testable import LinuxNetwork

@Suite("D-Bus messages")
struct DBusMessageTests {
    /// `RequestName`-like call as libdbus 1.14 sends it: the same fields in the same places.
    private let call = DBusMessage.call(
        serial: 2, to: "a.b", path: "/a", interface: "a.b", member: "Get", ["x", "yz"])

    /// A reply to `serial` with a variant of `u`, little endian.
    private func reply(_ serial: UInt8, metered: UInt8) -> [UInt8] {
        // Fields: reply serial (5, u), signature (8, g) "v"; the body is the variant.
        [0x6C, 2, 1, 1, 8, 0, 0, 0, 9, 0, 0, 0, 15, 0, 0, 0]
            + [5, 1, 0x75, 0, serial, 0, 0, 0, 8, 1, 0x67, 0, 1, 0x76, 0, 0]
            + [1, 0x75, 0, 0, metered, 0, 0, 0]
    }

    @Test("A call has the layout of the specification")
    func layout() {
        #expect(call.prefix(12) == [0x6C, 1, 2, 1, 15, 0, 0, 0, 2, 0, 0, 0])
        #expect(call.count % 8 == 7)
        #expect(call.suffix(15) == [1, 0, 0, 0, 0x78, 0, 0, 0, 2, 0, 0, 0, 0x79, 0x7A, 0])
        var bytes = call
        #expect(throws: Never.self) { try DBusMessage.take(from: &bytes) }
        #expect(bytes.isEmpty)
    }

    @Test("A reply gives its serial and its value, in either byte order")
    func replies() throws {
        var bytes = reply(7, metered: 3) + reply(8, metered: 1)
        let first = try #require(try DBusMessage.take(from: &bytes))
        #expect(first.kind == .methodReturn)
        #expect(first.replySerial == 7)
        #expect(first.value == .number(3))
        #expect(try DBusMessage.take(from: &bytes)?.replySerial == 8)
        #expect(bytes.isEmpty)
        var big: [UInt8] =
            [0x42, 2, 1, 1, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0, 15]
            + [5, 1, 0x75, 0, 0, 0, 0, 7, 8, 1, 0x67, 0, 1, 0x76, 0, 0] + [1, 0x75, 0, 0, 0, 0, 0, 2]
        let message = try #require(try DBusMessage.take(from: &big))
        #expect(message.replySerial == 7)
        #expect(message.value == .number(2))
    }

    @Test("Cut at every byte it waits for the rest; with any byte changed it is another message or malformed")
    func cutAndCorrupt() throws {
        let whole = reply(7, metered: 3)
        for count in whole.indices {
            var bytes = Array(whole[..<count])
            #expect(try DBusMessage.take(from: &bytes) == nil)
            #expect(bytes.count == count)
        }
        for index in whole.indices {
            for value in [UInt8(0), 1, 0x7F, 0xFF] {
                var bytes = whole
                bytes[index] = value
                _ = try? DBusMessage.take(from: &bytes)
            }
        }
    }

    @Test(
        "The bus is the first socket that the environment names",
        arguments: [
            ([:], "/var/run/dbus/system_bus_socket"),
            (["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/a,guid=1;unix:path=/b"], "/a"),
            (["DBUS_SYSTEM_BUS_ADDRESS": "tcp:host=x;unix:guid=1,path=/b"], "/b"),
            (["DBUS_SYSTEM_BUS_ADDRESS": "unix:abstract=x"], "/var/run/dbus/system_bus_socket"),
        ])
    func addresses(environment: [String: String], path: String) {
        #expect(SystemBus.path(environment: environment) == path)
    }
}
