import Base
import Testing

@Suite("Secrets")
struct SecretTests {
    private struct Gateway: Hashable {
        let url = "https://pay"
        @Secret var token: String?
        @Secret var key: [UInt8]
    }

    @Test("No text that is made of a secret or of its holder shows it")
    func texts() {
        let gateway = Gateway(token: "gw-secret", key: [211, 212])
        var dumped = ""
        dump(gateway, to: &dumped)
        dump(Secret(wrappedValue: "gw-secret"), to: &dumped)
        let texts = [
            "\(gateway)", String(reflecting: gateway), "\([gateway])", "\(["a": gateway])",
            "\(gateway as Any)",
            "\(Secret(wrappedValue: "gw-secret"))", dumped,
            "\(Mirror(reflecting: gateway).children.map(\.value))",
        ]
        for text in texts {
            #expect(!text.contains("gw-secret") && !text.contains("211"), "\(text)")
        }
        #expect("\(gateway)".contains("https://pay"))
    }

    @Test("It is read, changed and compared as the value itself")
    func values() {
        var gateway = Gateway(token: "a", key: [1])
        #expect(gateway == Gateway(token: "a", key: [1]) && gateway != Gateway(token: "b", key: [1]))
        gateway.token = nil
        #expect(gateway.token == nil && gateway.key == [1])
    }
}
