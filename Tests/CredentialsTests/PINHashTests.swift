import Testing

@testable import Credentials

@Suite struct PINHashTests {
    @Test("matches the PIN that was hashed and no other") func matches() throws {
        let hash = try #require(PINHash(hashing: "1234"))
        #expect(hash.matches("1234"))
        #expect(PINHash(text: hash.text).matches("1234"))
        for other in ["1235", "", "12340", "01234"] { #expect(!hash.matches(other)) }
    }

    @Test("hashes one PIN differently each time, and never keeps it") func salted() throws {
        let (one, other) = try (#require(PINHash(hashing: "4711")), #require(PINHash(hashing: "4711")))
        #expect(one != other)
        #expect(one.text.hasPrefix("$scrypt$ln=16,r=8,p=2$"))
        #expect(one.isOfUsualCost)
        #expect(!one.text.contains("4711"))
    }

    @Test("agrees with RFC 7914's function, as another implementation computes it") func standard() {
        // hashlib.scrypt(b"2468", salt=b"0123456789abcdef", n=2**10, r=8, p=1, dklen=32)
        let text = "$scrypt$ln=10,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$hp3Kkqy0TeQPsXzh21bXiKBoRY1sCxu425ERGeu/NkY"
        #expect(PINHash(text: text).matches("2468"))
        #expect(!PINHash(text: text).matches("2469"))
    }

    @Test("of an earlier version is read with the costs that it names") func earlier() {
        // hashlib.scrypt(b"4711", salt=bytes(range(16)), n=2**14, r=8, p=1, dklen=32)
        let hash = PINHash(
            text: "$scrypt$ln=14,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$K/0L5mhkJxngS0LmKCWmcC1HSqTTnHZsbtNMDY1og4w")
        #expect(!hash.isOfUsualCost)
        #expect(hash.matches("4711"))
        #expect(!hash.matches("4712"))
    }

    @Test(
        "matches nothing where the text is malformed or requires more than a till can compute",
        arguments: [
            "", "$", "$scrypt$", "1234", "$scrypt$ln=14,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$",
            "$scrypt$ln=40,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZg",
            "$scrypt$ln=-1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZg",
            "$scrypt$ln=14,r=8,p=99$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZg",
            "$scrypt$r=8,ln=14,p=1$MDEyMzQ1Njc4OWFiY2RlZg$MDEyMzQ1Njc4OWFiY2RlZg",
            "$scrypt$ln=14,r=8,p=1$***$MDEyMzQ1Njc4OWFiY2RlZg",
        ]) func corrupt(text: String)
    {
        #expect(!PINHash(text: text).matches("1234"))
        #expect(!PINHash(text: text).matches(""))
    }
}
