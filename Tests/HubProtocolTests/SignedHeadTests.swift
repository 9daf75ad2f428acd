import Crypto
import Foundation
import HubProtocol
import Testing

@Suite("Signed heads")
struct SignedHeadTests {
    private let key = Curve25519.Signing.PrivateKey()
    private var publicKey: String { key.publicKey.rawRepresentation.base64EncodedString() }

    private func head(_ terminalId: String = "T1", sequence: Int64 = 7) throws -> SignedHead {
        let head = SignedHead(
            terminalId: terminalId, epoch: 1, sequence: sequence, hash: String(repeating: "a", count: 64),
            orderCounter: 3, at: 1_763_700_000_000
        ) { bytes in try? key.signature(for: bytes).base64EncodedString() }
        return try #require(head)
    }

    @Test("A head is that of its terminal and key, in a document and in a header")
    func signed() throws {
        let head = try head()
        #expect(head.isSigned(by: publicKey, terminalId: "T1"))
        #expect(!head.isSigned(by: publicKey, terminalId: "T2"))
        let other = Curve25519.Signing.PrivateKey().publicKey.rawRepresentation.base64EncodedString()
        #expect(!head.isSigned(by: other, terminalId: "T1"))
        #expect(try SignedHead(json: head.json) == head)
        let header = try SignedHead(headerText: head.headerText)
        #expect(header == head)
        #expect(header.isSigned(by: publicKey, terminalId: "T1"))
    }

    @Test("What is signed is the label, the terminal and the canonical object without its signature")
    func bytes() throws {
        let head = try head()
        var members = try #require(head.json.object)
        let signature = try #require(members["signature"]?.string.flatMap { Data(base64Encoded: $0) })
        members["signature"] = nil
        let bytes = Array("head\nT1\n".utf8) + JSONValue.object(members).canonicalBytes
        #expect(key.publicKey.isValidSignature(signature, for: bytes))
        #expect(head.json["date"] == "2025-11-21T04:40:00.000Z")
    }

    @Test("Of fuzzed bytes none is taken for signed but the head itself")
    func fuzzed() throws {
        let head = try head()
        let bytes = head.json.canonicalBytes
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<3_000 {
            var changed = bytes
            for _ in 0...Int.random(in: 0..<3, using: &generator) {
                let place = Int.random(in: changed.indices, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: changed[place] ^= UInt8(1 << Int.random(in: 0..<8, using: &generator))
                case 1: changed.remove(at: place)
                case _: changed.insert(UInt8.random(in: 32..<127, using: &generator), at: place)
                }
            }
            guard let json = try? JSONParser.parse(changed), let read = try? SignedHead(json: json) else {
                continue
            }
            #expect(!read.isSigned(by: publicKey, terminalId: "T1") || read == head)
        }
        for _ in 0..<3_000 {
            let noise = (0..<Int.random(in: 0..<80)).map { _ in UInt8.random(in: 0...255) }
            #expect(Base64.bytes(Base64.text(noise)) == noise)
            #expect(Base64.urlBytes(Base64.urlText(noise)) == noise)
            #expect(Data(noise).base64EncodedString() == Base64.text(noise))
            let text = String(decoding: noise, as: UTF8.self)
            _ = Base64.bytes(text)
            #expect(throws: ShapeError.self) { try SignedHead(headerText: text) }
            #expect(!DeviceSignature.isValid(text, of: noise, by: publicKey))
            #expect(!DeviceSignature.isValid(publicKey, of: noise, by: text))
        }
    }

    @Test("A later version's member is read and signed with the rest")
    func laterMember() throws {
        var members = try #require(try head().json.object)
        members["signature"] = nil
        members["bootTime"] = 12
        let bytes = Array("head\nT1\n".utf8) + JSONValue.object(members).canonicalBytes
        members["signature"] = .string(try key.signature(for: bytes).base64EncodedString())
        let head = try SignedHead(json: .object(members))
        #expect(head.isSigned(by: publicKey, terminalId: "T1"))
        members["bootTime"] = 13
        #expect(!(try SignedHead(json: .object(members))).isSigned(by: publicKey, terminalId: "T1"))
    }

    @Test(
        "Values out of range are no head",
        arguments: [
            ("epoch", 0 as JSONValue), ("epoch", .integer(1 << 31 + 1)), ("sequence", -1),
            ("sequence", .integer(1 << 53)), ("hash", .string(String(repeating: "A", count: 64))),
            ("hash", .string(String(repeating: "a", count: 63))), ("orderCounter", -1),
            ("orderCounter", .double(1.5)), ("date", "yesterday"), ("date", .null), ("signature", 1),
        ])
    func outOfRange(_ key: String, _ value: JSONValue) throws {
        var members = try #require(try head().json.object)
        members[key] = value
        #expect(throws: ShapeError.self) { try SignedHead(json: .object(members)) }
    }

    @Test("A head of 1,024 bytes is read, of one more it is not")
    func size() throws {
        var members = try #require(try head().json.object)
        members["padding"] = ""
        let room = SignedHead.maximumBytes - JSONValue.object(members).canonicalBytes.count
        members["padding"] = .string(String(repeating: "x", count: room))
        #expect(throws: Never.self) { try SignedHead(json: .object(members)) }
        members["padding"] = .string(String(repeating: "x", count: room + 1))
        #expect(throws: ShapeError.self) { try SignedHead(json: .object(members)) }
        #expect(throws: ShapeError.self) {
            try SignedHead(headerText: String(repeating: "A", count: 10_000))
        }
    }

    @Test("The short code of a hash is ten characters of its first 50 bits")
    func shortCode() {
        #expect(Digest.shortCode(of: String(repeating: "0", count: 64)) == "0000000000")
        #expect(Digest.shortCode(of: String(repeating: "f", count: 64)) == "ZZZZZZZZZZ")
        #expect(Digest.shortCode(of: "08421084210842" + String(repeating: "0", count: 50)) == "1111111111")
        #expect(Digest.shortCode(of: "0842") == nil)
        #expect(Digest.shortCode(of: String(repeating: "G", count: 64)) == nil)
    }
}
