import Foundation
import LinuxNetwork
import TestKit
import Testing

@Suite("Battery")
struct LinuxBatteryTests {
    private func folder(_ supplies: [String: [String: String]]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (name, attributes) in supplies {
            try FileManager.default.createDirectory(
                atPath: folder.path(name), withIntermediateDirectories: true)
            for (attribute, text) in attributes {
                try (text + "\n").write(
                    toFile: folder.path("\(name)/\(attribute)"), atomically: true, encoding: .utf8)
            }
        }
        return folder
    }

    private func battery(_ status: String, _ charge: String, scope: String = "System") -> [String: String] {
        ["type": "Battery", "status": status, "capacity": charge, "scope": scope]
    }

    @Test("The lowest of the system's batteries counts while it discharges")
    func discharging() throws {
        let folder = try folder([
            "AC": ["type": "Mains", "online": "0"], "BAT0": battery("Discharging", "41"),
            "BAT1": battery("Discharging", "12"), "mouse": battery("Discharging", "3", scope: "Device"),
        ])
        #expect(LinuxBattery(folder: folder.url.path).dischargingPercent == 12)
    }

    @Test("Charging, full, absent and unreadable ones are mains power")
    func mains() throws {
        let folder = try folder([
            "BAT0": battery("Charging", "5"), "BAT1": battery("Full", "100"),
            "BAT2": battery("Discharging", "lots"), "BAT3": ["type": "Battery"],
        ])
        #expect(LinuxBattery(folder: folder.url.path).dischargingPercent == nil)
        #expect(LinuxBattery(folder: folder.path("nothing")).dischargingPercent == nil)
    }
}
