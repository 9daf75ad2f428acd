import Foundation
import HubProtocol
import OfflineCore
import Testing

@testable import Agent

@Suite("Terminal configuration")
struct TerminalConfigurationTests {
    private let minimal = #"{"hub":{"url":"http://127.0.0.1:8080"}}"#

    private func load(_ text: String, _ variables: [String: String] = [:]) async throws
        -> TerminalConfiguration
    {
        let path = NSTemporaryDirectory() + "configuration-\(UUID().uuidString).json"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await TerminalConfiguration.load(path: path, environment: variables)
    }

    private func refusal(_ text: String, _ variables: [String: String] = [:]) async -> String? {
        do {
            _ = try await load(text, variables)
            return nil
        } catch let error as TerminalError {
            return error.kind == .unusable ? error.message : "wrong kind: \(error)"
        } catch {
            return "\(error)"
        }
    }

    @Test("A file with the hub alone takes every default")
    func defaults() async throws {
        let configuration = try await load(minimal)
        #expect(configuration.debounce == .seconds(8))
        #expect(configuration.pathDebounce == .seconds(5))
        #expect(configuration.onlineBudget == .milliseconds(1500))
        #expect(configuration.maximumBackoff == .seconds(43_200))
        #expect(configuration.businessDayBegin == .standard)
        #expect(configuration.qosURL == "http://127.0.0.1:8080")
    }

    @Test("A key of words takes one of them, from the file or the environment, and no other")
    func choice() async throws {
        let together = #"{"hub":{"url":"http://127.0.0.1:8080"},"checkout":{"equalScans":"together"}}"#
        #expect(try await !load(minimal).joinsEqualScans)
        #expect(try await load(together).joinsEqualScans)
        #expect(try await !load(together, ["POS_CHECKOUT_EQUAL_SCANS": "apart"]).joinsEqualScans)
        let wrong = #"{"hub":{"url":"http://127.0.0.1:8080"},"checkout":{"equalScans":"never"}}"#
        #expect(await refusal(wrong)?.contains("apart or together (default apart)") == true)
        let words = await refusal(minimal, ["POS_CHECKOUT_EQUAL_SCANS": "never"])
        #expect(words?.contains("apart or together (default apart)") == true)
    }

    @Test("The environment wins over the file")
    func environment() async throws {
        let text = #"{"hub":{"url":"http://127.0.0.1:1"},"network":{"debounceSeconds":5}}"#
        let configuration = try await load(
            text,
            [
                "POS_NETWORK_DEBOUNCE_SECONDS": "3", "POS_CHECKOUT_ONLINE_BUDGET_MILLISECONDS": "100",
                "POS_NETWORK_METERED_INTERFACES": "usb0, wwan1", "POS_HUB_URL": "http://localhost:9",
                "POS_NETWORK_INTERNET_PROBE_URL": "http://127.0.0.1:7/x",
            ])
        #expect(configuration.debounce == .seconds(3))
        #expect(configuration.onlineBudget == .milliseconds(100))
        #expect(configuration.meteredInterfaces == ["usb0", "wwan1"])
        #expect(configuration.hubURL == "http://localhost:9")
        #expect(configuration.internetProbeURL == "http://127.0.0.1:7/x")
    }

    @Test("An unknown key is refused with the nearest known one")
    func unknownKey() async {
        let text = #"{"hub":{"url":"http://127.0.0.1:1"},"network":{"debounceSecond":5}}"#
        let message = await refusal(text)
        #expect(
            message?.contains("did you mean network.debounceSeconds?") == true, "\(message ?? "accepted")")
    }

    @Test(
        "A malformed or out-of-range value is refused with its unit and range",
        arguments: ["0", "121", "\"8\"", "2.5", "null", "[8]"])
    func badValue(value: String) async {
        let text = #"{"hub":{"url":"http://127.0.0.1:1"},"network":{"debounceSeconds":\#(value)}}"#
        let message = await refusal(text)
        #expect(message?.contains("1 to 120 s") == true, "\(message ?? "accepted")")
    }

    @Test(
        "A bad value in the environment is refused, naming the variable", arguments: ["", "0", "abc", "1e3"])
    func badVariable(value: String) async {
        let message = await refusal(minimal, ["POS_NETWORK_DEBOUNCE_SECONDS": value])
        #expect(message?.contains("POS_NETWORK_DEBOUNCE_SECONDS") == true, "\(message ?? "accepted")")
    }

    @Test("http is for loopback, unless it is allowed")
    func insecure() async throws {
        #expect(await refusal(#"{"hub":{"url":"http://hub.example"}}"#)?.contains("loopback") == true)
        let allowed = try await load(#"{"hub":{"url":"http://hub.example/","allowInsecure":true}}"#)
        #expect(allowed.hubURL == "http://hub.example")
    }

    @Test("What is no JSON, or JSON with a repeated key, is refused with its place")
    func malformed() async {
        #expect(await refusal("{")?.contains("at byte 1") == true)
        #expect(await refusal(#"{"hub":{},"hub":{}}"#)?.contains("twice") == true)
        #expect(await refusal("[]")?.contains("object") == true)
    }
}
