import Base
import Crypto
import Foundation
import HubProtocol
import Logging
import MachineRuntime
import Neighbours
import Synchronization
import TerminalStore
import TestKit
import Testing

@testable import Agent

/// Claims of this till on carts of another one, with a disk.
@Suite("Claims of a till's windows", .timeLimit(.minutes(1)))
struct ClaimExchangeTests {
    private let enrolled: EnrolledHome
    private let claim = RightClaim(claimId: "C-1", kind: .cart, right: "C", origin: "t-4")

    init() throws { enrolled = try EnrolledHome() }

    /// A claim of a refund of this till's sale, with the code of a receipt.
    private func refund(_ id: String, signedBy key: Curve25519.Signing.PrivateKey) throws -> RightClaim {
        let code = try #require(
            ReceiptCode(
                terminalId: "t-3", orderNumber: "S-1", soldAt: 1_795_234_567, currency: "EUR",
                total: 5, lines: [.init(barcode: "1", quantityMilli: 1_000, amount: 5)]
            ) { try? key.signature(for: $0).base64EncodedString() })
        let inquiry = RefundInquiry(
            refundId: id, kind: .refund, sale: .receipt(code.text),
            lines: [.init(sku: "1", quantityMilli: 1_000)], amount: 5)
        return RightClaim(claimId: id, kind: .receipt, right: "S-1", amount: 5, document: inquiry.json)
    }

    private func exchange(_ database: TerminalDatabase) async throws -> ClaimExchange {
        try await ClaimExchange(
            ClaimSurroundings(
                terminalId: "t-3", time: HandClock(), logger: Logger(label: "test"),
                files: NoteFiles(folder: enrolled.path), rights: SQLiteRights(database), publicKey: "",
                isRecorded: { _ in nil }))
    }

    @Test("Two that take the same cart both hear what became of it; the claim is on disk before it is sent")
    func twoWindows() async throws {
        let database = try await enrolled.database()
        defer { database.close() }
        let (rights, claim) = (SQLiteRights(database), claim)
        let claims = try await exchange(database)
        claims.take(StoreNotes(), isReady: true, epoch: 1)
        let (sent, wasSent) = AsyncStream.makeStream(of: [RightClaim].self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let work = Task {
            await claims.run { _, _ in
                wasSent.yield(((try? await rights.wantedCarts()) ?? []).map(\.claim))
                for await _ in gate { break }
                return (ClaimResponse(.inUse), [])
            }
        }
        let first = Task { await claims.want(claim, of: "t-4") }
        for await onDisk in sent {
            #expect(onDisk == [claim])
            break
        }
        let second = Task { await claims.want(claim, of: "t-4") }
        for _ in 0..<100 { await Task.yield() }
        open.yield()
        // One that came behind the response is sent anew.
        open.finish()
        #expect(await [first.value, second.value] == [.refused(.inUse, to: nil), .refused(.inUse, to: nil)])
        work.cancel()
        await work.value
    }

    @Test("A refund that a till was granted and never made is this till's again, with a note, once")
    func takenBack() async throws {
        let database = try await enrolled.database()
        defer { database.close() }
        let claim = RightClaim(claimId: "R", kind: .receipt, right: "S-1", amount: 5)
        try await SQLiteRights(database).accept(GrantedRight(claim, of: .receipt, to: "t-4", madeAt: 1))
        let claims = try await exchange(database)
        let notes = Mutex<[String]>([])
        claims.connect { note in notes.withLock { $0.append(note.kind) } }
        claims.take(StoreNotes(), isReady: true, epoch: 1)
        let work = Task { await claims.run { _, _ in (nil, []) } }
        for isBack in [true, false] {
            #expect(await claims.takeBack(ClaimKey(taker: "t-4", claimId: "R")) == isBack)
        }
        #expect(try await SQLiteRights(database).known().open == [])
        #expect(notes.withLock { $0 } == ["released"])
        work.cancel()
        await work.value
    }

    @Test("A till that the hub has not confirmed for days gives away no money; a cart has none")
    func notConfirmed() async throws {
        let key = Curve25519.Signing.PrivateKey()
        let database = try await enrolled.database()
        defer { database.close() }
        let looks = Mutex(0)
        let claims = try await ClaimExchange(
            ClaimSurroundings(
                terminalId: "t-3", time: HandClock(), logger: Logger(label: "test"),
                files: NoteFiles(folder: enrolled.path), rights: SQLiteRights(database),
                publicKey: key.publicKey.rawRepresentation.base64EncodedString(), isRecorded: { _ in nil },
                leasesAtHand: {
                    looks.withLock { $0 += 1 }
                    return nil
                }))
        claims.take(StoreNotes(), isReady: true, epoch: 1)
        let work = Task { await claims.run { _, _ in (nil, []) } }
        let receipt = try refund("R", signedBy: key)
        #expect(await claims.response(to: receipt, of: "t-4") == ClaimResponse(.notMine))
        #expect(looks.withLock { $0 } == 1)
        _ = await claims.response(to: claim, of: "t-4")
        #expect(looks.withLock { $0 } == 1)
        work.cancel()
        await work.value
    }

    @Test("The hub is requested once a second for the claims of a till, and its refusal is the response")
    func hubInquiries() async throws {
        let key = Curve25519.Signing.PrivateKey()
        let database = try await enrolled.database()
        defer { database.close() }
        let time = HandClock()
        let inquiries = Mutex<[String]>([])
        let claims = try await ClaimExchange(
            ClaimSurroundings(
                terminalId: "t-3", time: time, logger: Logger(label: "test"),
                files: NoteFiles(folder: enrolled.path), rights: SQLiteRights(database),
                publicKey: key.publicKey.rawRepresentation.base64EncodedString(), isRecorded: { _ in nil },
                hubAllows: { inquiry in
                    inquiries.withLock { $0.append(inquiry.refundId) }
                    return false
                }))
        claims.take(StoreNotes(), isReady: true, epoch: 1)
        let work = Task { await claims.run { _, _ in (nil, []) } }
        func response(_ id: String, of taker: String) async throws -> ClaimResponse? {
            await claims.response(to: try refund(id, signedBy: key), of: taker)
        }
        #expect(try await response("R1", of: "t-4") == ClaimResponse(.spent))
        // This till decides, which has no such sale.
        for id in ["R2", "R3"] { #expect(try await response(id, of: "t-4") == ClaimResponse(.notMine)) }
        #expect(try await response("R4", of: "t-5") == ClaimResponse(.spent))
        time.advance(by: .seconds(1))
        #expect(try await response("R5", of: "t-4") == ClaimResponse(.spent))
        #expect(inquiries.withLock { $0 } == ["R1", "R4", "R5"])
        work.cancel()
        await work.value
    }
}
