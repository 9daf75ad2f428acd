import Base
import HubCore
import HubProtocol
import OfflineCore
import OfflineMode
import Retail

@testable import CurlTransport
@testable import LinuxNetwork

extension Parser {
    /// Single values written as text.
    static let texts = [
        value("ulid", ["01KAH3Z0000000000000000001", "7zzzzzzzzzzzzzzzzzzzzzzzzz"]) { text in
            guard let ulid = ULID(text) else { return nil }
            return ulid.description == text.uppercased() ? nil : "it is written otherwise"
        },
        value("timestamp", ["2026-11-21T04:05:06.789Z", "2024-02-29t23:59:60+14:00"]) { text in
            guard let moment = Timestamp.milliseconds(of: text),
                (-62_167_219_200_000..<253_402_300_800_000).contains(moment)
            else { return nil }
            let again = Timestamp.milliseconds(of: Timestamp.text(milliseconds: moment))
            return again == moment ? nil : "it is read back otherwise"
        },
        value("order-number", ["S1-1-20261121-0001", "a-b-2-20240229-12345"]) { text in
            guard let number = OrderNumber(text) else { return nil }
            return OrderNumber(number.description) == number ? nil : "it is read back otherwise"
        },
        value("clock", ["1795234567000-000001"]) { text in
            guard let clock = HybridLogicalClock(text) else { return nil }
            return HybridLogicalClock(clock.description) == clock ? nil : "it is read back otherwise"
        },
        value("barcode-rule", ["21AAAAAWWWWWC", "22AAAAAVPPPPC"]) { text in
            guard let rule = BarcodeRule(text) else { return nil }
            guard let reading = rule.reading(of: text) else { return nil }
            return "\(reading) is read from its own rule"
        },
        value(
            "element-string",
            ["0104006381333931310300035710LOT7\u{1D}3922457", "(01)04006381333931(17)261231(3103)000357"]
        ) { text in
            guard let elements = ElementString(text) else { return nil }
            guard elements.articles.first == elements.gtin else { return "its GTIN is no article" }
            return elements.weightMilli ?? 0 >= 0 && elements.priceMinor(decimals: 2) ?? 0 >= 0
                ? nil : "a weight or price is negative"
        },
        value("cursor", ["feed.12"]) { text in
            _ = ChangeCursor(text)
            return nil
        },
        value("retry-after", ["120", "Sat, 21 Nov 2026 04:05:06 GMT"]) { text in
            guard let wait = RetryAfter.duration(of: text, wallMilliseconds: 1_795_234_567_000) else {
                return nil
            }
            return wait >= .zero && wait <= RetryAfter.longest ? nil : "a wait of \(wait)"
        },
        value("content-range", ["bytes 0-4/5", "bytes */5"]) { text in
            guard let range = ContentRange(text) else { return nil }
            return ContentRange(range.text) == range ? nil : "it is read back otherwise"
        },
        value("received-range", ["bytes=0-41"]) { text in
            guard let received = ReceivedRange.received(text) else { return nil }
            return ReceivedRange.received(ReceivedRange.text(received: received)) == received
                ? nil : "it is read back otherwise"
        },
        value("address", ["192.0.2.1", "2001:db8::1%eth0", "::ffff:1.2.3.4"]) { text in
            guard let address = IPAddress(text) else { return nil }
            return IPAddress(address.description) == address ? nil : "it is read back otherwise"
        },
        value("flight-line", [recordingLine]) { text in
            guard let (moment, line) = try? RecordingLine.read(text) else { return nil }
            let again = try? RecordingLine.read(line.text(at: moment))
            return again?.at == moment && again?.line == line ? nil : "it is read back otherwise"
        },
    ]

    private static let recordingLine = RecordingLine.started(
        RunStart(settings: OfflineSettings(), apis: .standard, startup: StartupState(), seed: 7)
    ).text(at: Instant(nanoseconds: 1))

    private static func value(
        _ name: String, _ seeds: [String], check: @escaping @Sendable (String) -> String?
    ) -> Parser {
        Parser(name, seeds: seeds) { bytes in
            String(validating: bytes, as: UTF8.self).flatMap(check)
        }
    }
}
