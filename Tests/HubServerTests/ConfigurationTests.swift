import HubCore
import HubProtocol
import HubServer
import TestKit
import Testing

@Suite("The hub's configuration keys")
struct ConfigurationTests {
    private let standard = HubConfiguration(store: .sqlite(path: "hub.sqlite"))

    /// Why a file is not taken; nil for one that is.
    private func refusal(_ text: String) throws -> String? {
        var configuration = standard
        let json = try JSONParser.parse(text.utf8)
        do {
            try configuration.read(json)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("The reference has a row for each key with its default, range and meaning")
    func reference() throws {
        #expect(
            try ReferencePage("docs/reference/configuration.md").holds(HubConfigurationKey.referenceTable))
    }

    @Test("What is shown is read back as it was")
    func shown() throws {
        var changed = standard
        changed.limits.requestsPerMinute = 61
        changed.tls = TLSFiles(certificate: "c", key: "k")
        changed.roles = [.qos]
        changed.qos.probes = ["order": "http://a"]
        changed.renewalHosts = ["a.example"]
        changed.payments = .simulator(.decline)
        changed.retention[.leases] = 91
        for configuration in [standard, changed] {
            var read = standard
            try read.read(configuration.json)
            #expect(read == configuration)
        }
    }

    @Test(
        "A number at the end of its range is taken, one past it is refused with the range",
        arguments: [
            ("tokens", "lifetimeSeconds", 1, 34_560_000), ("limits", "requestsPerMinute", 60, 10_000_000),
            ("limits", "bytesPerDay", 33_554_432, 1_000_000_000_000),
            ("limits", "plausibleSaleAmount", 1, 9_007_199_254_740_991), ("schemas", "minimum", 0, 1_000_000),
            ("qos", "pollSeconds", 1, 300), ("qos", "recoverySeconds", 1, 600),
            ("retention", "responsesDays", 30, 3650), ("retention", "memberChangesDays", 1, 3650),
            ("attachments", "urlLifetimeSeconds", 1, 86_400),
        ] as [(String, String, Int64, Int64)])
    func ranges(group: String, key: String, least: Int64, most: Int64) throws {
        for value in [least, most] { #expect(try refusal("{\"\(group)\":{\"\(key)\":\(value)}}") == nil) }
        for value in [least - 1, most + 1] {
            #expect(
                try refusal("{\"\(group)\":{\"\(key)\":\(value)}}")
                    == "\(group).\(key) is a whole number from \(least) to \(most)")
        }
    }

    @Test(
        "What is no value of its key is refused in one line",
        arguments: [
            (#"{"lisen":"x"}"#, "the key lisen is not known; did you mean listen?"),
            (
                #"{"qos":{"pollSecond":1}}"#,
                "the key qos.pollSecond is not known; did you mean qos.pollSeconds?"
            ),
            (#"{"ops":{"open":1}}"#, "ops.open is true or false"), (#"{"listen":1}"#, "listen is a text"),
            (#"{"listen":"x"}"#, "listen is HOST:PORT, for example 127.0.0.1:8080, not \"x\""),
            (#"{"roles":["till"]}"#, "roles are qos, sync and ops, separated by commas, not \"till\""),
            (#"{"roles":"qos"}"#, "roles are qos, sync and ops, separated by commas, not \"\""),
            (#"{"tls":{"keyFile":"k"}}"#, "tls.certificateFile and tls.keyFile go together"),
            (
                #"{"limits":{"trustedAddresses":["10.0.0.0/33"]}}"#,
                "limits.trustedAddresses: \"10.0.0.0/33\" is no address; write 10.1.2.3, 10.0.0.0/8 or "
                    + "2001:db8::/32"
            ),
            ("[]", "the file is an object"),
        ])
    func refused(text: String, line: String) throws {
        #expect(try refusal(text) == line)
    }
}
