internal import Foundation
internal import Glibc
internal import Retail
internal import ZVT

/// How the terminal's own card machine is used: the keys `cardMachine.*`.
struct CardMachineSettings: Hashable, Sendable {
    let kind: DeviceKind
    let address: DeviceAddress
    /// Whether it takes every card, with the hub's payment service or without it.
    let isFirst: Bool
    /// Nil: the adapter's own.
    let timeout: Duration?
    /// Of a ZVT machine; `000000` where no file was given.
    let password: ZVTPassword
    /// Whether it is the password that every machine has at first.
    let isPasswordSet: Bool

    /// Nil without an address.
    init?(from source: ConfigurationSources) throws(TerminalError) {
        guard let text = try source.text("cardMachine.address") else { return nil }
        guard let address = DeviceAddress(text) else {
            throw TerminalError(.unusable, code: "configuration_value") {
                $0.wrongValue("\"\(text)\"", of: "cardMachine.address", .form("tcp:HOST:PORT"))
            }
        }
        self.address = address
        kind = DeviceKind(rawValue: try source.choice("cardMachine.kind")) ?? .simulated
        isFirst = try source.decision("cardMachine.first") ?? (kind != .simulated)
        timeout = try source.refundLimit("cardMachine.timeoutSeconds").least.map { .seconds($0) }
        let file = try source.text("cardMachine.passwordFile")
        isPasswordSet = file != nil
        password = try file.map { file throws(TerminalError) in try Self.password(in: file) } ?? .standard
    }

    private static func password(in file: String) throws(TerminalError) -> ZVTPassword {
        func refusal(_ expected: String) -> TerminalError {
            TerminalError(.unusable, code: "configuration_value") {
                $0.wrongValue("\"\(file)\"", of: "cardMachine.passwordFile", .form(expected))
            }
        }
        var status = stat()
        guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= 64,
            let bytes = FileManager.default.contents(atPath: file)
        else { throw refusal("a file that can be read") }
        guard status.st_mode & 0o077 == 0 else {
            throw refusal("a file that nobody else can read: chmod 600")
        }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let password = ZVTPassword(text) else { throw refusal("a file with six digits") }
        return password
    }
}

extension ConfigurationKey {
    static let cardMachine = [
        ConfigurationKey(
            name: "cardMachine.kind", kind: .choice(["simulated", "zvt"], default: "simulated"),
            meaning:
                "The protocol of the card machine: `zvt` (PA00P015 over TCP, usual port 20007), or `simulated`, "
                + "the one of `pos-lab card-machine`, with which no money moves."),
        ConfigurationKey(
            name: "cardMachine.address", kind: .text(default: nil),
            meaning:
                "The terminal's own card machine, `tcp:HOST:PORT`; none when not given. ZVT has no "
                + "authentication: whoever reaches the cable says what was charged, so give it a cable or a "
                + "VLAN of its own."),
        ConfigurationKey(
            name: "cardMachine.first", kind: .decision(standard: "true for zvt, false for simulated"),
            meaning:
                "Whether the machine takes every card of the till, with the hub or without it; `false`: only "
                + "while the hub's payment service is away."),
        ConfigurationKey(
            name: "cardMachine.timeoutSeconds",
            kind: .limit(unit: "s", standard: "180 for zvt", range: 60...600),
            meaning:
                "How long the machine may be silent in a payment; each sign of life starts it again. At its end "
                + "the machine's abort is sent and its status is queried: the time alone decides nothing."),
        ConfigurationKey(
            name: "cardMachine.passwordFile", kind: .text(default: nil),
            meaning:
                "A file, mode 600, with the six digits that a ZVT machine wants; `000000` when not given, of "
                + "which `pos doctor` warns."),
    ]
}
