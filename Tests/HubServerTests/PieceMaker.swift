import Credentials
import Crypto
import Foundation
import HubProtocol
import TestKit
import Testing

/// A till with a journal of its own, which seals pieces of it as a till does.
struct PieceMaker {
    let signing: SigningTill
    var journal: TillOverHTTP

    init(_ hub: HubInProcess, store: String = "S1") async throws {
        signing = try await hub.enrolSigning(store: store)
        journal = TillOverHTTP(signing.grant)
    }

    var id: String { signing.grant.terminalId }

    private func sign(_ bytes: [UInt8]) -> String? {
        (try? signing.key.signature(for: Data(bytes)))?.base64EncodedString()
    }

    /// The end of a journal, as this one signs it.
    ///
    /// - Parameter other: whose journal it is; nil: its own.
    func head(at last: Mutation, epoch: Int64 = 1, of other: String? = nil) throws -> SignedHead {
        try #require(
            SignedHead(
                terminalId: other ?? id, epoch: epoch, sequence: last.sequence, hash: last.hash,
                orderCounter: 1, origin: JournalOrigin(epochStart: 1, journalStart: 1, ends: []),
                at: Int64(Date().timeIntervalSince1970 * 1_000), sign: sign))
    }

    /// A piece of entries that follow each other.
    ///
    /// - Parameters:
    ///   - end: the last entry of the journal, where the piece does not have it.
    ///   - first: another first entry in the header.
    ///   - changed: other ends of the chain in the header.
    ///   - isLinked: whether the header has them at all.
    ///   - other: whose key signs the journal's end; nil: the maker's.
    ///   - content: what is sealed in it in the place of a push's body.
    func piece(
        _ entries: [Mutation], epoch: Int64 = 1, end: Mutation? = nil, first: Int64? = nil,
        changed: EntryLink? = nil, isLinked: Bool = true,
        signedBy other: PieceMaker? = nil, content: String? = nil, to key: HubPublicKey
    ) throws -> [UInt8] {
        let head = try (other ?? self).head(
            at: try #require(end ?? entries.last), epoch: epoch, of: id)
        let begin = try #require(entries.first)
        let low = begin.sequence
        let link = EntryLink(hash: try #require(entries.last).hash, previousHash: begin.previousHash)
        let header = PieceHeader(
            terminalId: id, epoch: epoch, epochStart: 1, first: first ?? low,
            last: (first ?? low) + Int64(entries.count) - 1, link: isLinked ? changed ?? link : nil,
            keyId: key.id, madeAt: 1_795_000_000_000)
        let body =
            content.map { Array($0.utf8) }
            ?? MutationBatch.body(
                of: entries.map(\.json.canonicalBytes), epoch: epoch, epochStart: 1, head: head)
        let sealed = try #require(HubSeal.sealed(body, info: header.sealInfo, to: key.publicKey))
        return try #require(SealedPiece(header, ciphertext: sealed, sign: sign)).bytes
    }
}
