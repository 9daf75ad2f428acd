internal import CurlHTTP
internal import Foundation
internal import Glibc
internal import HubProtocol
internal import Nexo
internal import PinnedTLS
internal import Retail
internal import ZVT

/// How the terminal's own card machine is used: the keys `cardMachine.*`.
struct CardMachineSettings: Hashable, Sendable {
    /// Where the machine is, and what its protocol needs.
    enum Way: Hashable, Sendable {
        case simulated(DeviceAddress)
        case zvt(DeviceAddress, ZVTPassword)
        case nexo(NexoPlace, saleId: String?)
    }

    let way: Way
    /// Whether it takes every card, with the hub's payment service or without it.
    let isFirst: Bool
    /// Nil: the adapter's own.
    let timeout: Duration?
    /// Whether the till's owner gave it a password or a key; otherwise it has that of every new machine, or
    /// none.
    let isSecretSet: Bool

    var kind: DeviceKind {
        switch way {
        case .simulated: .simulated
        case .zvt: .zvt
        case .nexo: .nexo
        }
    }

    /// Nil without an address.
    init?(from source: ConfigurationSources) throws(TerminalError) {
        guard let text = try source.text("cardMachine.address") else { return nil }
        let kind = DeviceKind(rawValue: try source.choice("cardMachine.kind")) ?? .simulated
        let file = try source.text(kind == .nexo ? "cardMachine.keyFile" : "cardMachine.passwordFile")
        switch kind {
        // The configuration has no name for the others.
        case .simulated, .hub, .token: way = .simulated(try Self.place(text))
        case .zvt:
            way = .zvt(
                try Self.place(text),
                try file.map { file throws(TerminalError) in try Self.password(in: file) } ?? .standard)
        case .nexo:
            let (place, saleId) = try Self.nexo(text, keyFile: file, source)
            way = .nexo(place, saleId: saleId)
        }
        isSecretSet = file != nil
        isFirst = try source.decision("cardMachine.first") ?? (kind != .simulated)
        timeout = try source.refundLimit("cardMachine.timeoutSeconds").least.map { .seconds($0) }
    }

    private static func refusal(_ value: String, of key: String, _ expected: String) -> TerminalError {
        TerminalError(.unusable, code: "configuration_value") {
            $0.wrongValue("\"\(value)\"", of: key, .form(expected))
        }
    }

    private static func place(_ text: String) throws(TerminalError) -> DeviceAddress {
        guard let address = DeviceAddress(text) else {
            throw refusal(text, of: "cardMachine.address", "tcp:HOST:PORT")
        }
        return address
    }

    private static func password(in file: String) throws(TerminalError) -> ZVTPassword {
        let text = String(decoding: try secret(in: file, "cardMachine.passwordFile"), as: UTF8.self)
        guard let password = ZVTPassword(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw refusal(file, of: "cardMachine.passwordFile", "a file with six digits")
        }
        return password
    }

    /// Bytes of a file with a password or a key; real ones have some hundred.
    private static let longestSecret = 4_096

    private static func secret(in file: String, _ key: String) throws(TerminalError) -> Data {
        var status = stat()
        guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= longestSecret,
            let bytes = FileManager.default.contents(atPath: file)
        else { throw refusal(file, of: key, "a file that can be read") }
        guard status.st_mode & 0o077 == 0 else {
            throw refusal(file, of: key, "a file that nobody else can read: chmod 600")
        }
        return bytes
    }
}

/// What nexo needs.
extension CardMachineSettings {
    private static func nexo(
        _ text: String, keyFile: String?, _ source: ConfigurationSources
    ) throws(TerminalError) -> (NexoPlace, saleId: String?) {
        guard let url = try? ServerURL(text), url.isSecure || url.isLoopback else {
            throw refusal(text, of: "cardMachine.address", "https://HOST:8443/nexo")
        }
        let poiId = try source.text("cardMachine.poiId")
        guard let poiId, isName(poiId) else {
            throw refusal(poiId ?? "", of: "cardMachine.poiId", "MODEL-SERIAL, as the machine shows it")
        }
        let saleId = try source.text("cardMachine.saleId")
        guard saleId.map(isName) ?? true else {
            throw refusal(saleId ?? "", of: "cardMachine.saleId", "1 to 40 letters, digits and dashes")
        }
        let cipher = try keyFile.map { file throws(TerminalError) in try Self.cipher(in: file) }
        var place = NexoPlace(
            url: url, poiId: poiId, cipher: cipher, caFile: try source.text("cardMachine.caFile"))
        if let text = try source.text("cardMachine.displayListen") {
            place.displayListen = SocketAddress(text, defaultPort: 0)
            guard let listen = place.displayListen, listen.port > 0 else {
                throw refusal(
                    text, of: "cardMachine.displayListen", "ADDRESS:PORT, for example 192.168.1.7:8080")
            }
            // Messages count from the machine's own address alone.
            guard place.display != nil else {
                throw refusal(
                    url.base, of: "cardMachine.address",
                    "an address of numbers where cardMachine.displayListen is set")
            }
        }
        return (place, saleId)
    }

    /// A name that a certificate can have.
    private static func isName(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            }
    }

    private static func cipher(in file: String) throws(TerminalError) -> NexoCipher {
        let json = try? JSONParser.parse(Array(try secret(in: file, "cardMachine.keyFile")))
        guard let passphrase = json?["passphrase"]?.string, !passphrase.isEmpty,
            let identifier = json?["keyIdentifier"]?.string, let version = json?["keyVersion"]?.integer,
            let cipher = NexoCipher(passphrase: passphrase, identifier: identifier, version: version)
        else {
            throw refusal(
                file, of: "cardMachine.keyFile", #"{"passphrase":…,"keyIdentifier":…,"keyVersion":NUMBER}"#)
        }
        return cipher
    }
}

extension ConfigurationKey {
    static let cardMachine = [
        ConfigurationKey(
            name: "cardMachine.kind",
            kind: .choice(["simulated", "zvt", "nexo"], default: "simulated"),
            meaning:
                "The protocol of the card machine: `zvt` (PA00P015 over TCP, usual port 20007), `nexo` (nexo "
                + "Retailer in JSON over HTTPS, usual port 8443), or `simulated`, the one of `pos-lab "
                + "card-machine`, with which no money moves."),
        ConfigurationKey(
            name: "cardMachine.address", kind: .text(default: nil),
            meaning:
                "The terminal's own card machine, `tcp:HOST:PORT`, for nexo `https://HOST:8443/nexo` (`http` on "
                + "loopback alone); none when not given. ZVT has no authentication: whoever reaches the cable "
                + "says what was charged, so give it a cable or a VLAN of its own."),
        ConfigurationKey(
            name: "cardMachine.first",
            kind: .decision(standard: "true for zvt and nexo, false for simulated"),
            meaning:
                "Whether the machine takes every card of the till, with the hub or without it; `false`: only "
                + "while the hub's payment service is away."),
        ConfigurationKey(
            name: "cardMachine.poiId", kind: .text(default: nil),
            meaning:
                "nexo: the machine's id, `MODEL-SERIAL`, which is also the name in its certificate, alone or "
                + "before `.live.terminal.adyen.com` or `.test.terminal.adyen.com`."),
        ConfigurationKey(
            name: "cardMachine.saleId", kind: .text(default: nil),
            meaning:
                "nexo: the till's name at the machine; when not given the beginning of its order numbers, "
                + "`STORE-TILL`."),
        ConfigurationKey(
            name: "cardMachine.keyFile", kind: .text(default: nil),
            meaning:
                "nexo: a file, mode 600, `{\"passphrase\",\"keyIdentifier\",\"keyVersion\"}`. With it messages "
                + "are encrypted and a plain response is refused; without it they go plain inside TLS, which "
                + "`pos doctor` notes."),
        ConfigurationKey(
            name: "cardMachine.caFile", kind: .text(default: nil),
            meaning: "nexo: the root of the machine's certificate, a PEM file, in place of the system's."),
        ConfigurationKey(
            name: "cardMachine.displayListen", kind: .text(default: nil),
            meaning:
                "nexo: `ADDRESS:PORT` of the till, numeric, to which the machine sends over plain HTTP what the "
                + "shopper has to do; none when not given. Messages count from the machine's address alone, about "
                + "the payment that is open, and for the screen alone."),
        ConfigurationKey(
            name: "cardMachine.timeoutSeconds",
            kind: .limit(unit: "s", standard: "180 for zvt, 150 for nexo", range: 60...600),
            meaning:
                "How long the machine may be silent in a payment; with zvt each sign of life starts it again. At "
                + "its end the machine's abort is sent and its status is queried: the time alone decides "
                + "nothing."),
        ConfigurationKey(
            name: "cardMachine.passwordFile", kind: .text(default: nil),
            meaning:
                "A file, mode 600, with the six digits that a ZVT machine wants; `000000` when not given, "
                + "which `pos doctor` notes."),
    ]
}
