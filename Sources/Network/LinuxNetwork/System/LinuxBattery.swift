internal import Glibc

/// The battery that the machine runs on, as sysfs reports it
/// (Documentation/ABI/testing/sysfs-class-power of the kernel).
package struct LinuxBattery: Sendable {
    private let folder: String

    /// - Parameter folder: where the kernel lists power supplies.
    package init(folder: String = "/sys/class/power_supply") {
        self.folder = folder
    }

    /// The charge in per cent while a battery of the system discharges, the lowest of several; nil on mains
    /// power, without a battery, and where nothing can be read.
    package var dischargingPercent: Int? {
        supplies.compactMap { supply in
            guard text(supply, "type") == "Battery", text(supply, "scope") != "Device",
                text(supply, "status") == "Discharging",
                let charge = text(supply, "capacity").flatMap({ Int($0) })
            else { return nil }
            return min(max(charge, 0), 100)
        }.min()
    }

    private var supplies: [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    private func text(_ supply: String, _ attribute: String) -> String? {
        let file = open("\(folder)/\(supply)/\(attribute)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = read(file, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count].prefix { $0 != 0x0A }, as: UTF8.self)
    }
}
