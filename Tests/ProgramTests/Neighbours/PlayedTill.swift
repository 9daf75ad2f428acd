import Base
import Credentials
import Crypto
import Foundation
import HubProtocol
import PinnedTLS
import TestKit
import Testing

/// A till of a store that a test plays: enrolled, with a journal and keys of its own, it says to other tills
/// what the test wants.
struct PlayedTill: Sendable {
    let signing: SigningTill
    let identity: TLSIdentity
    var journal: TillOverHTTP
    /// Of its present start.
    var run = "played"

    /// Enrols it.
    ///
    /// - Parameter hub: runs a request where the hub is at 127.0.0.1.
    init(
        _ shop: ShopUnderTest, of store: String = "S1",
        at hub: (@escaping @Sendable () throws -> EnrolmentGrant) throws -> EnrolmentGrant = { try $0() }
    ) throws {
        let code = try #require(try shop.posHub("enrol-code", "--store-id", store)["code"]?.string)
        let (enrolment, port) = (try SignedEnrolment(code: code, name: "played"), shop.hubPort)
        let grant = try hub {
            let response = try LoopbackClient(.tcp(port: port), timeout: 20).request(
                "POST", Routes.terminals, headers: enrolment.headers, body: enrolment.body)
            return try EnrolmentGrant(json: response.json())
        }
        signing = SigningTill(key: enrolment.key, grant: grant)
        journal = TillOverHTTP(grant)
        let own = Curve25519.Signing.PrivateKey()
        let bytes = NeighbourKey.signedBytes(
            terminalId: grant.terminalId, key: Array(own.publicKey.rawRepresentation))
        identity = try #require(
            TLSIdentity(
                seed: Array(own.rawRepresentation), name: grant.terminalId,
                proof: Array(try enrolment.key.signature(for: bytes))))
    }

    var id: String { signing.grant.terminalId }

    func sign(_ bytes: [UInt8]) -> String? {
        (try? signing.key.signature(for: Data(bytes)))?.base64EncodedString()
    }

    /// What it says of itself: it has entries and no way to the hub.
    func hello() -> NeighbourHello {
        var hello = NeighbourHello()
        (hello.terminalId, hello.number) = (id, signing.grant.terminalNumber)
        (hello.run, hello.version, hello.mode) = (run, "1.0.0", .offline)
        (hello.pending, hello.wantsRelay) = (1, true)
        hello.at = Int64(Date().timeIntervalSince1970 * 1_000)
        return hello
    }

    /// A piece of entries that follow each other.
    ///
    /// - Parameter header: changes it before it is sealed and signed.
    func piece(
        _ entries: [Mutation], changing header: (inout PieceHeader) -> Void = { _ in }
    ) throws -> [UInt8] {
        let (first, last) = (try #require(entries.first), try #require(entries.last))
        let key = try #require(signing.grant.hubKeys?.sealing.first)
        let head = SignedHead(
            terminalId: id, epoch: 1, sequence: last.sequence, hash: last.hash, orderCounter: 1,
            origin: JournalOrigin(epochStart: 1, journalStart: 1, ends: []),
            at: Int64(Date().timeIntervalSince1970 * 1_000), sign: sign)
        var named = PieceHeader(
            terminalId: id, epoch: 1, epochStart: 1, first: first.sequence, last: last.sequence,
            link: EntryLink(hash: last.hash, previousHash: first.previousHash), keyId: key.id,
            madeAt: 1_795_000_000_000)
        header(&named)
        let body = MutationBatch.body(
            of: entries.map(\.json.canonicalBytes), epoch: 1, epochStart: 1, head: head)
        let sealed = try #require(HubSeal.sealed(body, info: named.sealInfo, to: key.publicKey))
        return try #require(SealedPiece(named, ciphertext: sealed, sign: sign)).bytes
    }

    /// Whoever connects gets these responses, as long as there are some.
    func responds(_ response: @escaping @Sendable (NeighbourWire.Message) -> [UInt8]?)
        -> NeighbourListener.Manner
    {
        { [identity] guest in
            guard let wire = try? NeighbourWire(accepted: guest, as: identity) else { return }
            while let request = try? wire.next(), let bytes = response(request) {
                guard (try? wire.send(bytes)) != nil else { return }
            }
        }
    }
}
