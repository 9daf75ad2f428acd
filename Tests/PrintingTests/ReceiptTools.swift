import Foundation
import TestKit

/// The Python programs that the bytes of a receipt are compared with, where `.ci/setup test` could install
/// them.
enum ReceiptTools {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let python = root.appendingPathComponent(".build/receipts/bin/python").path

    static var isAvailable: Bool {
        FileManager.default.isExecutableFile(atPath: python)
            && FileManager.default.isExecutableFile(atPath: "/usr/bin/zbarimg")
    }

    static let obstacle = "python-escpos or zbarimg is not installed: `.ci/setup test` needs PyPI and apt"

    /// The receipt of that name, written by python-escpos, as hexadecimal digits.
    static func receipt(_ name: String) throws -> String {
        try Command.run([python, script("receipts.py"), name], environment: ["PYTHONUTF8": "1"])
    }

    /// What zbarimg reads in the QR codes of a stream, one line for each.
    static func codes(in stream: [UInt8], dots: Int) throws -> String {
        let folder = try TemporaryFolder()
        try Data(stream).write(to: URL(fileURLWithPath: folder.path("stream")))
        return try Command.run(
            [python, script("codes.py"), folder.path("stream"), "\(dots)"], environment: ["PYTHONUTF8": "1"])
    }

    private static func script(_ name: String) -> String {
        root.appendingPathComponent("Tests/Receipts").appendingPathComponent(name).path
    }
}
