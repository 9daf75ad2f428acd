import OfflineCore
import Testing

@testable import LinuxNetwork

@Suite("Link hardware")
struct LinkHardwareTests {
    @Test(
        "name, number and sysfs decide the transport",
        arguments: [
            ("eth0", UInt16(1), false, Transport.ethernet), ("wlan0", 1, true, .wifi),
            ("enp3s0", 1, false, .ethernet), ("wwan0", 1, false, .cellular), ("ppp0", 512, false, .cellular),
            ("rmnet_data0", 519, false, .cellular), ("usb9", 519, false, .cellular),
            ("tun0", 65534, false, .unknown),
        ])
    func transport(name: String, hardware: UInt16, isWireless: Bool, expected: Transport) {
        let link = Link(index: 1, name: name, isUp: true, hasCarrier: true, hardware: hardware)
        #expect(LinkHardware.transport(of: link, isWireless: isWireless) == expected)
    }
}
