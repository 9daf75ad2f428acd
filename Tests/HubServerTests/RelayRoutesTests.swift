import Credentials
import Crypto
import Foundation
import HubCore
import HubProtocol
import HubServer
import HubStore
import TestKit
import Testing

/// What one till hands in of another's journal.
@Suite("Relayed entries")
struct RelayRoutesTests {
    private func relay(
        _ piece: [UInt8], by till: TillOverHTTP, _ hub: HubInProcess
    ) async throws -> LoopbackResponse {
        try await hub.request("POST", Routes.relayed, headers: till.headers, bytes: piece)
    }

    private func orders(of id: String, _ hub: HubInProcess) async throws -> Int64? {
        let audits = try await hub.perform(.audit(terminal: id))["terminals"]?.array
        return audits?.first?["orders"]?.integer
    }

    private func outcomes(_ response: LoopbackResponse) throws -> [String] {
        try (response.json()["results"]?.array ?? []).compactMap { $0["outcome"]?.string }
    }

    private func shown(_ id: String, _ hub: HubInProcess) async throws -> [JSONValue] {
        try await hub.perform(.showTerminal(id: id))["relayed"]?.array ?? []
    }

    @Test(
        "An entry has one effect, whichever way it comes first, and the shift of a gone till is confirmed",
        arguments: HubStoreKind.all)
    func once(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var maker = try await PieceMaker(hub)
        let keeper = try await hub.enrol()
        let key = try #require(hub.sealingKey)
        let shift = TillOverHTTP.ulid()
        var entries = [maker.journal.shiftOpened(shift)]
        for _ in 0..<3 { entries.append(maker.journal.sale(in: shift)) }
        entries.append(maker.journal.shiftClosed(shift, from: 1, sales: [1_250, 1_250, 1_250]))
        // The till itself brought the first sale before its way to the hub broke.
        _ = try await maker.journal.push(Array(entries[0...1]), on: hub)
        let piece = try maker.piece(Array(entries[1...]), to: key)
        let first = try await relay(piece, by: keeper, hub)
        #expect(first.status == 200, "\(first.text)")
        #expect(try outcomes(first) == ["duplicate", "applied", "applied", "applied"])
        let json = try first.json()
        #expect(json["terminalId"] == .string(maker.id) && json["epoch"] == 1 && json["held"] == nil)
        #expect(json["acknowledgedThrough"] == 5 && json["missing"] == [])
        #expect(
            try outcomes(try await relay(piece, by: keeper, hub)) == .init(repeating: "duplicate", count: 4))
        let own = try await maker.journal.push(entries, on: hub)
        #expect(try outcomes(own) == .init(repeating: "duplicate", count: 5))
        #expect(try await orders(of: maker.id, hub) == 3)
        #expect(try await hub.perform(.backOffice(.showShift(shift)))["state"] == "confirmed")
        // One row of the piece that brought something; one that brought nothing leaves none.
        let relayed = try await shown(maker.id, hub)
        #expect(relayed.count == 1 && relayed.first?["first"] == 2 && relayed.first?["last"] == 5)
        #expect(relayed.first?["by"] == .string(keeper.grant.terminalId))
        let figures = try await hub.request("GET", "/metrics", headers: try await hub.operatorHeaders()).text
        #expect(figures.contains("holdfast_relayed_total 3"))
    }

    @Test("Entries and the note of who brought them are one transaction: where one fails, neither is there")
    func oneTransaction() async throws {
        let hub = try await HubInProcess()
        var maker = try await PieceMaker(hub)
        let keeper = try await hub.enrol()
        let piece = try maker.piece(
            (0..<3).map { _ in maker.journal.sale() }, to: try #require(hub.sealingKey))
        func run(_ sql: String) async throws {
            _ = try await hub.ledger.change { try $0.run([StoreQuery(sql)]) }
        }
        try await run(
            "CREATE TRIGGER full BEFORE INSERT ON relays BEGIN SELECT RAISE(ABORT, 'no room'); END")
        #expect(try await relay(piece, by: keeper, hub).status >= 500)
        #expect(try await orders(of: maker.id, hub) == 0)
        try await run("DROP TRIGGER full")
        #expect(
            try outcomes(try await relay(piece, by: keeper, hub)) == .init(repeating: "applied", count: 3))
        #expect(try await shown(maker.id, hub).count == 1)
        #expect(try await orders(of: maker.id, hub) == 3)
    }

    @Test("Eight tills hand one piece in while its maker pushes: one effect", arguments: HubStoreKind.all)
    func atOnce(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var maker = try await PieceMaker(hub)
        let key = try #require(hub.sealingKey)
        let entries = (0..<5).map { _ in maker.journal.sale() }
        let piece = try maker.piece(entries, to: key)
        var keepers: [TillOverHTTP] = []
        for _ in 0..<8 { keepers.append(try await hub.enrol()) }
        let (journal, all) = (maker.journal, keepers)
        let responses = try await withThrowingTaskGroup(of: LoopbackResponse.self) { group in
            for keeper in all { group.addTask { try await relay(piece, by: keeper, hub) } }
            group.addTask { try await journal.push(entries, on: hub) }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let applied = try responses.flatMap(outcomes).filter { $0 == "applied" }
        #expect(applied.count == 5 && responses.allSatisfy { $0.status == 200 })
        #expect(try await orders(of: maker.id, hub) == 5)
    }

    @Test("What a burnt till had beyond its pieces is named as missing, and no later head is lowered")
    func missing() async throws {
        let hub = try await HubInProcess()
        var maker = try await PieceMaker(hub)
        let keeper = try await hub.enrol()
        let key = try #require(hub.sealingKey)
        let entries = (0..<5).map { _ in maker.journal.sale() }
        let response = try await relay(
            try maker.piece(Array(entries[1...2]), end: entries[4], to: key), by: keeper, hub)
        #expect(try response.json()["missing"] == [1, 4, 5])
        #expect(try response.json()["acknowledgedThrough"] == 0)
        // An end that the maker did not sign is none.
        let second = try await PieceMaker(hub)
        var third = try await PieceMaker(hub)
        let sales = (0..<3).map { _ in third.journal.sale() }
        let forged = try third.piece([sales[0]], end: sales[2], signedBy: second, to: key)
        #expect(try await relay(forged, by: keeper, hub).json()["missing"] == [])
        // An older piece after it: its head is no way back of the journal.
        _ = try await relay(try maker.piece([entries[0]], to: key), by: keeper, hub)
        let alarms = try await hub.perform(.backOffice(.listAlarms(.init(SalesFilter()), all: true)))
        #expect(alarms["alarms"] == [])
    }

    @Test(
        "Entries of a revoked till wait for a person, and count once accepted", arguments: HubStoreKind.all)
    func revoked(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var maker = try await PieceMaker(hub)
        let keeper = try await hub.enrol()
        let key = try #require(hub.sealingKey)
        let entries = (0..<3).map { _ in maker.journal.sale() }
        _ = try await hub.perform(.revokeTerminal(id: maker.id))
        for range in [0...0, 1...2] {
            let piece = try maker.piece(Array(entries[range]), to: key)
            for _ in 0..<2 {
                let held = try await relay(piece, by: keeper, hub)
                #expect(held.status == 200)
                #expect(try held.json()["held"] == "revoked" && outcomes(held) == [])
            }
        }
        #expect(try await shown(maker.id, hub).map { $0["held"]?.string } == ["revoked", "revoked"])
        #expect(try await orders(of: maker.id, hub) ?? 0 == 0)
        let kinds = try await hub.perform(.backOffice(.listAlarms(.init(SalesFilter()), all: true)))["alarms"]
        #expect(kinds?.array?.compactMap { $0["kind"]?.string }.contains("relayed_held") == true)
        let accepted = try await hub.perform(.acceptRelayed(id: maker.id, reason: "it burnt"))
        #expect(accepted["pieces"] == 2 && accepted["applied"] == 3 && accepted["acknowledgedThrough"] == 3)
        #expect(try await orders(of: maker.id, hub) == 3)
        #expect(try await shown(maker.id, hub).allSatisfy { $0["held"] == nil })
        #expect(try await hub.perform(.acceptRelayed(id: maker.id, reason: "again"))["pieces"] == 0)
    }

    @Test("What waits for a person is found behind more pieces than are listed", arguments: HubStoreKind.all)
    func behindMany(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var maker = try await PieceMaker(hub)
        let keeper = try await hub.enrol()
        _ = try await hub.perform(.revokeTerminal(id: maker.id))
        let piece = try maker.piece([maker.journal.sale()], to: try #require(hub.sealingKey))
        #expect(try await relay(piece, by: keeper, hub).json()["held"] == "revoked")
        try await hub.noteRelays(RelayRecord.listed + 1, of: maker.id)
        let relayed = try await shown(maker.id, hub)
        #expect(relayed.count == RelayRecord.listed && relayed.first?["held"] == "revoked")
        let accepted = try await hub.perform(.acceptRelayed(id: maker.id, reason: "it burnt"))
        #expect(accepted["pieces"] == 1 && accepted["applied"] == 1)
        #expect(try await orders(of: maker.id, hub) == 1)
    }

    @Test(
        "A piece whose sequence another entry holds forks nothing, and goes to the next epoch once accepted",
        arguments: HubStoreKind.all)
    func conflict(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var maker = try await PieceMaker(hub)
        let keeper = try await hub.enrol()
        let key = try #require(hub.sealingKey)
        // A copy of its disk sells, too.
        var copy = maker
        let own = maker.journal.sale()
        let others = [copy.journal.sale(), copy.journal.sale()]
        _ = try await maker.journal.push([own], on: hub)
        let held = try await relay(try copy.piece(others, to: key), by: keeper, hub)
        #expect(try held.json()["held"] == "conflict")
        #expect(try await orders(of: maker.id, hub) == 1)
        // The till itself goes on in its epoch, as if nothing had been handed in.
        let next = try await maker.journal.push([maker.journal.sale()], on: hub)
        #expect(try outcomes(next) == ["applied"])
        let accepted = try await hub.perform(.acceptRelayed(id: maker.id, reason: "both sold"))
        #expect(accepted["applied"] == 2)
        #expect(try await orders(of: maker.id, hub) == 4)
        let flags = try await hub.perform(.backOffice(.listFlags(.init(SalesFilter()), flag: nil)))
        #expect(flags.canonicalText.contains("relayed_conflict"))
    }

    @Test("A later epoch that the till never named here waits, and one that it left is refused")
    func epochs() async throws {
        let hub = try await HubInProcess()
        var maker = try await PieceMaker(hub)
        let keeper = try await hub.enrol()
        let key = try #require(hub.sealingKey)
        let entries = (0..<4).map { _ in maker.journal.sale() }
        _ = try await maker.journal.push([entries[0]], on: hub)
        let ahead = try await relay(try maker.piece([entries[1]], epoch: 2, to: key), by: keeper, hub)
        #expect(try ahead.json()["held"] == "epoch")
        _ = try await maker.journal.push([entries[1]], epoch: 2, on: hub)
        let behind = try await relay(try maker.piece([entries[2]], epoch: 1, to: key), by: keeper, hub)
        #expect(behind.status == 409 && behind.problemCode == "epoch_superseded")
        #expect(try await shown(maker.id, hub).count == 2)
    }

    @Test("What is no piece of a till of the store is refused, and nothing of it is kept")
    func refused() async throws {
        let hub = try await HubInProcess()
        var maker = try await PieceMaker(hub)
        let (keeper, stranger) = (try await hub.enrol(), try await hub.enrol(store: "S2"))
        let key = try #require(hub.sealingKey)
        let sale = maker.journal.sale()
        let piece = try maker.piece([sale], to: key)
        #expect(try await relay(Array("{}".utf8), by: keeper, hub).problemCode == "piece_invalid")
        #expect(try await relay([], by: keeper, hub).problemCode == "piece_invalid")
        #expect(try await relay(piece, by: stranger, hub).problemCode == "terminal_unknown")
        #expect(try await relay(piece, by: stranger, hub).status == 404)
        var changed = piece
        changed[changed.count - 1] ^= 1
        #expect(try await relay(changed, by: keeper, hub).problemCode == "piece_signature_invalid")
        let other = HubPublicKey(id: "k9", publicKey: key.publicKey, notAfter: key.notAfter)
        #expect(
            try await relay(try maker.piece([sale], to: other), by: keeper, hub).problemCode
                == "export_key_unknown")
        // Sealed to something else than the hub's key of that id.
        let wrong = HubPublicKey(
            id: key.id,
            publicKey: Curve25519.KeyAgreement.PrivateKey().publicKey.rawRepresentation.base64EncodedString(),
            notAfter: key.notAfter)
        #expect(
            try await relay(try maker.piece([sale], to: wrong), by: keeper, hub).problemCode
                == "piece_invalid")
        // The header names another place than the entry has.
        let misplaced = try maker.piece([sale], first: 7, to: key)
        #expect(try await relay(misplaced, by: keeper, hub).problemCode == "piece_invalid")
        for link in [
            EntryLink(hash: sale.hash, previousHash: sale.hash),
            EntryLink(hash: sale.previousHash, previousHash: sale.previousHash),
        ] {
            let misnamed = try maker.piece([sale], changed: link, to: key)
            #expect(try await relay(misnamed, by: keeper, hub).problemCode == "piece_invalid")
        }
        // What no push may have is sealed in it, by a till that wants its keepers to get stuck.
        for content in ["", "{}", "[]", #"{"mutations":[{"id":7}]}"#, #"{"mutations":{}}"#] {
            let odd = try await relay(try maker.piece([sale], content: content, to: key), by: keeper, hub)
            #expect(odd.status == 400 && odd.problemCode == "piece_invalid", "\(content)")
        }
        #expect(try await shown(maker.id, hub) == [])
        #expect(try await orders(of: maker.id, hub) ?? 0 == 0)
        // The hub needs no ends of the chain: only keepers do.
        let unlinked = try maker.piece([sale], isLinked: false, to: key)
        #expect(!String(decoding: unlinked.prefix(400), as: UTF8.self).contains("previousHash"))
        #expect(try outcomes(try await relay(unlinked, by: keeper, hub)) == ["applied"])
    }

    @Test(
        "Once accepted, what a revoked till had beyond its pieces is named as missing",
        arguments: HubStoreKind.all)
    func acceptedHead(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var maker = try await PieceMaker(hub)
        let keeper = try await hub.enrol()
        let key = try #require(hub.sealingKey)
        let entries = (0..<6).map { _ in maker.journal.sale() }
        _ = try await maker.journal.push([entries[0]], on: hub)
        _ = try await hub.perform(.revokeTerminal(id: maker.id))
        _ = try await relay(
            try maker.piece(Array(entries[2...3]), end: entries[5], to: key), by: keeper, hub)
        let accepted = try await hub.perform(.acceptRelayed(id: maker.id, reason: "it burnt"))
        #expect(accepted["applied"] == 2 && accepted["missing"] == [2, 5, 6], "\(accepted)")
        #expect(try await sold(by: maker.id, hub) == [6, 3])
        // An older piece, accepted later, lowers nothing and is no way back of the journal.
        _ = try await relay(try maker.piece([entries[1]], to: key), by: keeper, hub)
        _ = try await hub.perform(.acceptRelayed(id: maker.id, reason: "it burnt"))
        #expect(try await sold(by: maker.id, hub) == [6, 2])
        #expect(try await alarms(hub)["head_regressed"] == nil)
    }

    @Test("A piece that cannot be accepted is named, and those behind it are taken")
    func acceptedBehindRefused() async throws {
        let hub = try await HubInProcess()
        var maker = try await PieceMaker(hub)
        let keeper = try await hub.enrol()
        let key = try #require(hub.sealingKey)
        _ = try await hub.perform(.revokeTerminal(id: maker.id))
        for _ in 0..<3 {
            _ = try await relay(try maker.piece([maker.journal.sale()], to: key), by: keeper, hub)
        }
        _ = try await hub.ledger.change {
            try $0.run([
                StoreQuery("UPDATE relays SET content = $1 WHERE first_sequence = 2", of: [[UInt8]([0])])
            ])
        }
        let accepted = try await hub.perform(.acceptRelayed(id: maker.id, reason: "it burnt"))
        #expect(accepted["applied"] == 2 && accepted["pieces"] == 3)
        let refused = accepted["refused"]?.array ?? []
        #expect(refused.map { $0["first"]?.integer } == [2])
        #expect(refused.first?["code"] == "piece_invalid" && refused.first?["detail"]?.string != "")
        #expect(try await shown(maker.id, hub).filter { $0["held"] != nil }.count == 1)
    }

    /// How many entries the till has by its head, and how many of them the hub lacks.
    private func sold(by id: String, _ hub: HubInProcess) async throws -> [Int64?] {
        let audit = try await hub.perform(.audit(terminal: id))["terminals"]?.array?.first
        return [audit?["sold"]?.integer, audit?["gap"]?.integer]
    }

    private func show(
        _ head: SignedHead, of id: String, by till: TillOverHTTP, _ hub: HubInProcess
    ) async throws -> LoopbackResponse {
        try await hub.request(
            "POST", Routes.relayed,
            headers: till.headers.merging(["Content-Type": "application/json"]) { $1 },
            bytes: HandedIn.head(WitnessedHead(head, of: id)).bytes)
    }

    @Test(
        "The end of a gone till's journal that another one has seen names what nobody has a piece of",
        arguments: HubStoreKind.all)
    func witnessed(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var (maker, silent, other) = (
            try await PieceMaker(hub), try await PieceMaker(hub), try await PieceMaker(hub)
        )
        let (keeper, stranger) = (try await hub.enrol(), try await hub.enrol(store: "S2"))
        let entries = (0..<5).map { _ in maker.journal.sale() }
        _ = try await maker.journal.push(Array(entries[0...2]), on: hub)
        let head = try maker.head(at: entries[4])
        #expect(try await show(head, of: maker.id, by: stranger, hub).problemCode == "terminal_unknown")
        let forged = try other.head(at: entries[4], of: maker.id)
        #expect(
            try await show(forged, of: maker.id, by: keeper, hub).problemCode == "piece_signature_invalid")
        #expect(try await sold(by: maker.id, hub) == [nil, nil])
        let noted = try await show(head, of: maker.id, by: keeper, hub)
        #expect(noted.status == 200)
        #expect(try ShownEnd(noted.json()) == .init(3, [4, 5], nil))
        #expect(try await sold(by: maker.id, hub) == [5, 2])
        // Only ever later, and a word of a till that is revoked counts as much.
        _ = try await hub.perform(.revokeTerminal(id: maker.id))
        for sequence in [3, 4] {
            let earlier = try maker.head(at: entries[sequence - 1])
            #expect(try await show(earlier, of: maker.id, by: keeper, hub).status == 200)
        }
        #expect(try await sold(by: maker.id, hub) == [5, 2])
        let last = maker.journal.sale()
        _ = try await show(try maker.head(at: last), of: maker.id, by: keeper, hub)
        #expect(try await sold(by: maker.id, hub) == [6, 3])
        #expect(try await orders(of: maker.id, hub) == 3)
        // Of a till that never reached the hub all is missing.
        let sales = (0..<2).map { _ in silent.journal.sale() }
        let all = try await show(try silent.head(at: sales[1]), of: silent.id, by: keeper, hub)
        #expect(try ShownEnd(all.json()) == .init(0, [1, 2], nil))
        #expect(try await sold(by: silent.id, hub) == [2, 2])
        // An epoch that nobody began here is none by another till's word.
        let ahead = try await show(try silent.head(at: sales[1], epoch: 2), of: silent.id, by: keeper, hub)
        #expect(try ShownEnd(ahead.json()).held == "epoch")
        #expect(try await alarms(hub) == [:])
    }

    /// What a response about a head says.
    private struct ShownEnd: Equatable {
        let acknowledgedThrough: Int64?
        let missing: [Int64]
        let held: String?

        init(_ through: Int64?, _ missing: [Int64], _ held: String?) {
            (acknowledgedThrough, self.missing, self.held) = (through, missing, held)
        }

        init(_ json: JSONValue) {
            self.init(
                json["acknowledgedThrough"]?.integer, (json["missing"]?.array ?? []).compactMap(\.integer),
                json["held"]?.string)
        }
    }

    @Test("Showing ends of others' journals counts in the quota of who shows them")
    func witnessedWithinQuota() async throws {
        let hub = try await HubInProcess { $0.limits.intake.mutationsPerDay = 3 }
        var maker = try await PieceMaker(hub)
        let keeper = try await hub.enrol()
        let head = try maker.head(at: maker.journal.sale())
        for _ in 0..<3 { #expect(try await show(head, of: maker.id, by: keeper, hub).status == 200) }
        #expect(try await show(head, of: maker.id, by: keeper, hub).status == 429)
    }

    private func alarms(_ hub: HubInProcess) async throws -> [String: Int64] {
        let all = try await hub.perform(.backOffice(.listAlarms(.init(SalesFilter()), all: true)))["alarms"]
        return Dictionary(
            (all?.array ?? []).map { ($0["kind"]?.string ?? "", $0["count"]?.integer ?? 0) }
        ) { $0 + $1 }
    }

    @Test(
        "A piece that was accepted is covered, whoever brings it again, and is no alarm any more",
        arguments: HubStoreKind.all)
    func accepted(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var (gone, ahead) = (try await PieceMaker(hub), try await PieceMaker(hub))
        let keepers = [try await hub.enrol(), try await hub.enrol()]
        let key = try #require(hub.sealingKey)
        let piece = try gone.piece([gone.journal.sale(), gone.journal.sale()], to: key)
        _ = try await hub.perform(.revokeTerminal(id: gone.id))
        for keeper in keepers {
            #expect(try await relay(piece, by: keeper, hub).json()["held"] == "revoked")
        }
        #expect(try await alarms(hub)["relayed_held"] == 1)
        _ = try await hub.perform(.acceptRelayed(id: gone.id, reason: "it burnt"))
        for keeper in keepers {
            let again = try await relay(piece, by: keeper, hub)
            #expect(try outcomes(again) == ["duplicate", "duplicate"])
            #expect(try again.json()["held"] == nil)
        }
        // The same of a piece of an epoch that its maker has left.
        let entries = (0..<3).map { _ in ahead.journal.sale() }
        _ = try await ahead.journal.push([entries[0]], on: hub)
        _ = try await ahead.journal.push([entries[1]], epoch: 2, on: hub)
        let behind = try ahead.piece([entries[2]], epoch: 1, to: key)
        for keeper in keepers { #expect(try await relay(behind, by: keeper, hub).status == 409) }
        #expect(try await alarms(hub)["relayed_held"] == 2)
        #expect(try await alarms(hub)["terminal_cloned"] == nil)
        let taken = try await hub.perform(.acceptRelayed(id: ahead.id, reason: "of before"))
        #expect(taken["applied"] == 1 && taken["waiting"] == nil)
        #expect(try outcomes(try await relay(behind, by: keepers[0], hub)) == ["duplicate"])
        #expect(try await alarms(hub)["relayed_held"] == 2)
    }

    @Test("Entries of a till that is not confirmed wait for a person", arguments: HubStoreKind.all)
    func unconfirmed(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var maker = try await PieceMaker(try await HubInProcess())
        try await hub.readmit(maker.signing)
        let keeper = try await hub.enrol()
        let key = try #require(hub.sealingKey)
        let piece = try maker.piece([maker.journal.sale()], to: key)
        #expect(try await relay(piece, by: keeper, hub).json()["held"] == "unconfirmed")
        #expect(try await orders(of: maker.id, hub) ?? 0 == 0)
        let accepted = try await hub.perform(.acceptRelayed(id: maker.id, reason: "it is ours"))
        #expect(accepted["applied"] == 1)
        #expect(try await orders(of: maker.id, hub) == 1)
    }

    @Test(
        "What a till brings itself is no longer held, although nobody accepted the piece",
        arguments: HubStoreKind.all)
    func released(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var maker = try await PieceMaker(hub)
        let keeper = try await hub.enrol()
        let key = try #require(hub.sealingKey)
        let entries = [maker.journal.sale(), maker.journal.sale()]
        _ = try await maker.journal.push([entries[0]], on: hub)
        let piece = try maker.piece([entries[1]], epoch: 2, to: key)
        #expect(try await relay(piece, by: keeper, hub).json()["held"] == "epoch")
        _ = try await maker.journal.push([entries[1]], epoch: 2, on: hub)
        #expect(try outcomes(try await relay(piece, by: keeper, hub)) == ["duplicate"])
        #expect(try await shown(maker.id, hub).map { $0["held"] } == [nil])
        #expect(try await hub.perform(.acceptRelayed(id: maker.id, reason: "none"))["pieces"] == 0)
    }

    @Test(
        "New entries count in their maker's quota of the day, duplicates and refused pieces in the relayer's",
        arguments: HubStoreKind.all)
    func quotas(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind) { $0.limits.intake.mutationsPerDay = 4 }
        var maker = try await PieceMaker(hub)
        let (keeper, other) = (try await hub.enrol(), try await hub.enrol())
        let key = try #require(hub.sealingKey)
        let entries = (0..<5).map { _ in maker.journal.sale() }
        let piece = try maker.piece(Array(entries[0...1]), to: key)
        #expect(try await relay(piece, by: keeper, hub).status == 200)
        // Two of the maker's four are used, and none of the keeper's.
        #expect(
            try await relay(try maker.piece(Array(entries[2...4]), to: key), by: keeper, hub).status == 429)
        #expect(try await relay(try maker.piece([entries[2]], to: key), by: keeper, hub).status == 200)
        #expect(try outcomes(try await relay(piece, by: keeper, hub)) == ["duplicate", "duplicate"])
        for _ in 0..<2 {
            #expect(try await relay(Array("{}".utf8), by: keeper, hub).problemCode == "piece_invalid")
        }
        let spent = try await relay(Array("{}".utf8), by: keeper, hub)
        #expect(spent.status == 429 && spent.problemCode == "quota_exceeded")
        // Its own sales are within the same quota, and another till's are not touched.
        #expect(try await relay(piece, by: other, hub).status == 200)
    }

    @Test("Accepted pieces are taken in their order, and one that depends on another waits for it")
    func acceptedInOrder() async throws {
        let hub = try await HubInProcess()
        var maker = try await PieceMaker(hub)
        let keeper = try await hub.enrol()
        let key = try #require(hub.sealingKey)
        _ = try await hub.perform(.revokeTerminal(id: maker.id))
        let entries = (0..<2).map { _ in
            let sale = maker.journal.sale()
            return [
                sale,
                maker.journal.minted(
                    "note.upserted", TillOverHTTP.ulid(), dependsOn: [sale.id], ["text": "x"]),
            ]
        }
        func hold(_ entry: Mutation) async throws {
            #expect(try await relay(try maker.piece([entry], to: key), by: keeper, hub).status == 200)
            hub.clock.advance(by: .seconds(1))
        }
        for entry in entries[0] { try await hold(entry) }
        let all = try await hub.perform(.acceptRelayed(id: maker.id, reason: "it burnt"))
        #expect(all["applied"] == 2 && all["waiting"] == nil, "\(all)")
        try await hold(entries[1][1])
        let none = try await hub.perform(.acceptRelayed(id: maker.id, reason: "it burnt"))
        #expect(none["applied"] == 0 && none["waiting"] == 1, "\(none)")
        try await hold(entries[1][0])
        let rest = try await hub.perform(.acceptRelayed(id: maker.id, reason: "it burnt"))
        #expect(rest["pieces"] == 2 && rest["applied"] == 2 && rest["waiting"] == nil, "\(rest)")
    }

    @Test("A till keeps no more than its part waiting here, and what was accepted is no way around a quota")
    func bounds() async throws {
        let hub = try await HubInProcess { $0.limits.intake.mutationsPerDay = 200 }
        var maker = try await PieceMaker(hub)
        let keepers = try await [hub.enrol(), hub.enrol()]
        let key = try #require(hub.sealingKey)
        _ = try await hub.perform(.revokeTerminal(id: maker.id))
        let first = try maker.piece([maker.journal.sale()], to: key)
        for number in 0..<RelayRecord.mostHeld {
            let piece = number == 0 ? first : try maker.piece([maker.journal.sale()], to: key)
            #expect(try await relay(piece, by: keepers[0], hub).json()["held"] == "revoked")
        }
        let more = try maker.piece([maker.journal.sale()], to: key)
        #expect(try await relay(more, by: keepers[0], hub).status == 429)
        let accepted = try await hub.perform(.acceptRelayed(id: maker.id, reason: "it burnt"))
        #expect(accepted["pieces"] == .integer(RelayRecord.mostHeld))
        // The first keeper has used 128 of its 200 of the day.
        var taken = 0
        while taken < 100, try await relay(first, by: keepers[0], hub).status == 200 { taken += 1 }
        #expect(taken == 200 - Int(RelayRecord.mostHeld))
        #expect(try await relay(first, by: keepers[1], hub).status == 200)
    }

    @Test(
        "An entry whose attachment burnt with its till is taken once the till is revoked and a person agrees",
        arguments: HubStoreKind.all)
    func burntAttachment(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var maker = try await PieceMaker(hub)
        let keeper = try await hub.enrol()
        let key = try #require(hub.sealingKey)
        let note = Mutation(
            id: TillOverHTTP.ulid(), sequence: 1, type: "note.upserted", entity: "note", entityId: "n",
            clientGeneratedAt: "2026-11-21T00:00:00.000Z", previousHash: Mutation.genesisHash,
            attachments: [TillOverHTTP.ulid()], payload: ["text": "broken"])
        _ = maker.journal.sale()
        let piece = try maker.piece([note, maker.journal.sale()], to: key)
        let first = try await relay(piece, by: keeper, hub)
        #expect(try outcomes(first).first == "deferred" && first.json()["held"] == nil)
        _ = try await hub.perform(.revokeTerminal(id: maker.id))
        #expect(try await relay(piece, by: keeper, hub).json()["held"] == "revoked")
        let accepted = try await hub.perform(.acceptRelayed(id: maker.id, reason: "it burnt"))
        #expect(accepted["waiting"] == nil && accepted["acknowledgedThrough"] == 2)
        #expect(try await orders(of: maker.id, hub) == 1)
        #expect(try outcomes(try await relay(piece, by: keeper, hub)) == ["duplicate", "duplicate"])
    }
}
