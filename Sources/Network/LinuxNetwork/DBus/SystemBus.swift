/// Where the machine's message bus listens.
enum SystemBus {
    /// The path of the first Unix-domain socket in `DBUS_SYSTEM_BUS_ADDRESS`, or the well-known one
    /// (D-Bus Specification 0.43, "Well-known Message Bus Instances").
    static func path(environment: [String: String]) -> String {
        let addresses = environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? ""
        for address in addresses.split(separator: ";") where address.hasPrefix("unix:") {
            let parts = address.dropFirst(5).split(separator: ",")
            if let path = parts.first(where: { $0.hasPrefix("path=") }) { return String(path.dropFirst(5)) }
        }
        return "/var/run/dbus/system_bus_socket"
    }
}
