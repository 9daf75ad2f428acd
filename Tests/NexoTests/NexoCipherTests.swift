import HubProtocol
import Testing

@testable import Nexo

@Suite("The encryption of nexo's messages")
struct NexoCipherTests {
    private static let plain = Array(#"{"SaleToPOIRequest":{}}"#.utf8)

    private func cipher(_ passphrase: String = "till-7 passphrase 2026") throws -> NexoCipher {
        try #require(NexoCipher(passphrase: passphrase, identifier: "k1", version: 2))
    }

    @Test("is the one that another implementation computed")
    func vector() throws {
        let sealed = try #require(try cipher().sealed(Self.plain, nonce: Array(0..<16)))
        #expect(sealed["NexoBlob"] == "hJr5jsxqJfbETsGgj+Ymtfhe2gq9u15b0sqtbdeqg8U=")
        let trailer = try #require(sealed["SecurityTrailer"])
        #expect(trailer["Hmac"] == "8NK3j0S+kAn9mhrf+Ez5JFdvEPuy1yKqLCAslqUjSN0=")
        #expect(trailer["Nonce"] == "AAECAwQFBgcICQoLDA0ODw==")
        #expect(trailer["KeyIdentifier"] == "k1" && trailer["KeyVersion"] == 2)
        #expect(try cipher().opened(.object(sealed)) == Self.plain)
    }

    @Test("opens nothing of another key, and nothing that was changed")
    func changed() throws {
        let sealed = try #require(try cipher().sealed(Self.plain, nonce: Array(0..<16)))
        #expect(try cipher("till-8 passphrase 2026").opened(.object(sealed)) == nil)
        #expect(try cipher().sealed(Self.plain, nonce: [1]) == nil)
        for (member, text) in [("NexoBlob", "hJr5jsxqJfbETsGgj+YmtA=="), ("NexoBlob", ""), ("NexoBlob", "*")]
        {
            var other = sealed
            other[member] = .string(text)
            #expect(try cipher().opened(.object(other)) == nil)
        }
        for (member, text) in [
            ("Hmac", "8NK3j0S+kAn9mhrf+Ez5JFdvEPuy1yKqLCAslqUjSN4="), ("Hmac", ""), ("Nonce", "AAEC"),
            ("Nonce", "AQECAwQFBgcICQoLDA0ODw=="),
        ] {
            var (other, trailer) = (sealed, try #require(sealed["SecurityTrailer"]?.object))
            trailer[member] = .string(text)
            other["SecurityTrailer"] = .object(trailer)
            #expect(try cipher().opened(.object(other)) == nil)
        }
        #expect(try cipher().opened([:]) == nil)
    }

    @Test("shows its keys to nobody")
    func secret() throws {
        let text = "\(try cipher())"
        #expect(text.contains("k1") && !text.contains("242") && text.contains("…"))
    }
}
