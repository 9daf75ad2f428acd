import Foundation
import Testing

@testable import Credentials

@Suite("Keyed digests")
struct LookupKeyTests {
    private func key() throws -> LookupKey {
        try #require(LookupKey(base64: Data((0..<32).map { UInt8($0) }).base64EncodedString()))
    }

    @Test("agree with another implementation's HMAC-SHA-256 and base32")
    func standard() throws {
        // Python: base64.b32encode(hmac.digest(bytes(range(32)), b"SUMMER-2026", "sha256")[:16]).rstrip(b"=")
        #expect(try key().digest(ofCoupon: "SUMMER-2026") == "MO3WSMN2LNCOEOSBATBGCW6RJI")
        #expect(try key().digest(ofPhone: "8613800138000") == "IYNQIL4VTFQKVXUNMHYIVMJBWI")
    }

    @Test(
        "of one code are the same however it is typed",
        arguments: ["summer-2026", " Summer-2026 ", "SUM MER-2026", "ｓｕｍｍｅｒ－２０２６", "sum\u{3000}mer-2026"])
    func spellings(code: String) throws {
        #expect(try key().digest(ofCoupon: code) == key().digest(ofCoupon: "SUMMER-2026"))
    }

    @Test("of a text that nobody types are made of it as it is, since its normal form would cost seconds")
    func long() {
        let long = String(repeating: "\u{FDFA}", count: 250_000)
        #expect(CouponCode.normalForm(of: long) == long)
        let longest = String(repeating: "a", count: CouponCode.longest)
        #expect(CouponCode.normalForm(of: longest) == longest.uppercased())
        #expect(CouponCode.normalForm(of: longest + "a") == longest + "a")
    }

    @Test("differ by key and by code")
    func differ() throws {
        let fresh = LookupKey()
        #expect(fresh != LookupKey())
        #expect(LookupKey(base64: fresh.base64) == fresh)
        #expect(fresh.fingerprint.utf8.count == 8)
        #expect(try fresh.digest(ofCoupon: "A") != key().digest(ofCoupon: "A"))
        #expect(fresh.digest(ofCoupon: "A") != fresh.digest(ofCoupon: "B"))
    }

    @Test("need a key of 32 bytes", arguments: ["", "AAAA", "*", String(repeating: "A", count: 60)])
    func length(text: String) {
        #expect(LookupKey(base64: text) == nil)
    }

    @Test("Base32 is RFC 4648's, without padding")
    func base32() {
        let vectors = ["f": "MY", "fo": "MZXQ", "foo": "MZXW6", "foob": "MZXW6YQ", "foobar": "MZXW6YTBOI"]
        for (text, expected) in vectors { #expect(Base32.text(of: Array(text.utf8)) == expected) }
        #expect(Base32.text(of: []) == "")
        #expect(Base32.text(of: Array(repeating: 0, count: 16)).utf8.count == 26)
    }
}
