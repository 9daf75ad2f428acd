import Testing

@testable import Credentials

@Suite struct SealedPINTests {
    private let secret = DeviceSecret()

    @Test("matches the PIN that was sealed, under the same secret alone") func matches() throws {
        let hash = try #require(PINHash(hashing: "4711"))
        let sealed = try #require(SealedPIN(sealing: hash, with: secret))
        #expect(sealed.matches("4711", with: secret))
        #expect(SealedPIN(text: sealed.text).matches("4711", with: try #require(DeviceSecret(secret.bytes))))
        #expect(!sealed.matches("4712", with: secret))
        #expect(!sealed.matches("4711", with: DeviceSecret()))
        // The same again: what is pulled twice is the same row.
        #expect(SealedPIN(sealing: hash, with: secret) == sealed)
    }

    @Test("holds nothing of what the hub checks by") func hidesOutput() throws {
        let hash = try #require(PINHash(hashing: "4711"))
        let sealed = try #require(SealedPIN(sealing: hash, with: secret))
        let output = try #require(hash.text.split(separator: "$").last)
        #expect(!sealed.text.contains(output))
        #expect(!PINHash(text: sealed.text).matches("4711"))
    }

    @Test("knows what a guess costs", arguments: [("ln=16,r=8,p=2", 131_072), ("ln=14,r=8,p=1", 16_384)])
    func work(costs: String, expected: Int64) throws {
        let hash = PINHash(text: "$scrypt$\(costs)$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZg")
        #expect(try #require(SealedPIN(sealing: hash, with: secret)).work == expected)
        #expect(expected < SealedPIN.fullWork || expected == SealedPIN.fullWork)
    }

    @Test(
        "matches nothing where it is malformed",
        arguments: ["", "$", "$hmac-scrypt$ln=14,r=8,p=1$32$MDEyMzQ1Njc4OWFiY2RlZg$MDEy", "$scrypt$a$b$c"])
    func malformed(text: String) {
        #expect(!SealedPIN(text: text).matches("1234", with: secret))
        #expect(SealedPIN(text: text).work == nil)
        #expect(SealedPIN(sealing: PINHash(text: text), with: secret) == nil)
    }

    @Test("a secret is 32 bytes, and its fingerprint names it") func secrets() {
        #expect(DeviceSecret([1, 2, 3]) == nil)
        #expect(secret.bytes.count == 32)
        #expect(DeviceSecret(secret.bytes)?.fingerprint == secret.fingerprint)
        #expect(DeviceSecret().fingerprint != secret.fingerprint)
        #expect(secret.fingerprint.count == 16)
    }
}
