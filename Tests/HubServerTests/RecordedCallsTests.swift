import HubCore
import HubProtocol
import HubServer
import TestKit
import Testing

/// What commands send over the hub's local socket.
@Suite("Calls on record")
struct RecordedCallsTests {
    private static let page = BackOfficeCall.Page(
        SalesFilter(from: "2026-11-01", to: "2026-11-21", storeId: "S1"), cursor: "c", limit: 7)

    private static var opening: ExportOpening {
        get throws {
            let heading = JournalExport.Heading(
                terminalId: "T", storeId: "S1", epoch: 1, exportedAt: "2026-11-21T00:00:00.000Z")
            return try ExportOpening(heading: heading.json, registers: true)
        }
    }

    private static var terminals: [AdminCall] {
        [
            .mintCode(storeId: "S1", lifetime: 60_000),
            .mintCodes(storeId: "S1", lifetime: 60_000, count: 3), .listTerminals, .revokeTerminal(id: "T"),
            .confirmTerminal(id: "T"), .linkTerminal(id: "T", earlier: "U"), .listCodes,
            .revokeCode(id: "C"), .audit(terminal: "T"), .audit(terminal: nil), .checkStore,
            .eraseMember(id: "M"),
            .revertMembers(MemberReversal(terminalId: "T", since: 5, part: .points)),
            .releaseHeldPoints(HeldPoints(terminalId: "T", since: 5)), .doubleMembers(limit: 10),
            .mergeMembers(kept: "M", other: "N"),
        ]
    }

    private static var files: [AdminCall] {
        get throws {
            let cashier = CashierEntry(
                id: "c1", name: "C", pin: "135790", role: .manager, storeId: "S1", pinHash: "h")
            let plain = CashierEntry(id: "c2", name: "C", pin: "135790", role: .cashier)
            let info = AttachmentInfo(
                id: "A", sha256: String(repeating: "a", count: 64), size: 2, contentType: "image/jpeg",
                isUrgent: false)
            return [
                .importList(.cashiers([cashier, plain]), withdrawing: ["c3"]),
                .importList(.stocks([StockRecord(sku: "tea", storeId: "S1", stockMilli: 1)])),
                .hashPINs([cashier, plain]), .withdraw(.products, id: "tea"), .openExport(try opening),
                .registerTerminal(try opening),
                .ingest(
                    JournalPart(
                        terminalId: "T", epoch: 1, lowSequence: 2, entries: [["a": 1], 7],
                        mark: .init(entries: 9, reason: nil))),
                .ingest(
                    JournalPart(
                        terminalId: "T", epoch: 1, lowSequence: 2, entries: [],
                        mark: .init(entries: 9, reason: "lost key"))),
                .ingest(JournalPart(terminalId: "T", epoch: 1, lowSequence: 2, entries: [])),
                .findReceipt(number: "N"), .listAttachments(terminal: "T"), .listAttachments(terminal: nil),
                .readAttachment(id: "A", terminal: "T", at: 0),
                .ingestAttachment(
                    AttachmentPart(terminalId: "T", info: info, firstByte: 0, bytes: [1, 2])),
            ]
        }
    }

    private static var settings: [AdminCall] {
        [
            .addOperator(name: "o", role: "viewer", lifetime: 60_000), .listOperators,
            .removeOperator(name: "o"), .operatorLog(limit: 5), .storeSettings(storeId: "S1"),
            .changeStoreSettings(storeId: "S1", ["currency": "CNY", "receipt.name": nil]), .listKeys,
            .rotateKeys([.signing, .sealing], overlap: 60_000), .replaceLostKeys, .exportKeys(id: "all"),
            .importKeys(["keys": []]), .qosStatus, .qosTerminals, .qosHistory(service: "order", limit: 5),
            .qosHistory(service: nil, limit: 5),
            .overrideService("order", state: "faulty", reason: "r", until: 5, storeId: "S1"),
            .overrideService("order", state: "faulty", reason: "r", until: nil),
            .clearOverride("order", storeId: "S1"), .clearOverride("order"),
        ]
    }

    private static var archives: [AdminCall] {
        var counts = ArchiveCounts()
        (counts.entries, counts.documents, counts.days) = (3, 2, 1)
        let calls: [ArchiveCall] = [
            .list, .begin(before: "2026-01-01", file: "/f"), .entries(1, after: nil),
            .entries(1, after: "T.1.9"), .documents(1, after: 7), .written(1, hash: "h", counts),
            .removeEntries(1, keys: ["a"]), .removeDocuments(1, numbers: [8]), .finish(1),
        ]
        return calls.map(AdminCall.archive)
    }

    private static var office: [BackOfficeCall] {
        [
            .listOrders(page), .listOrders(.init(SalesFilter())), .exportOrders(page), .showOrder("O"),
            .sales(by: .tender, page.filter), .listAlarms(page, all: true), .listAlarms(page, all: false),
            .acknowledgeAlarm(id: "1", note: "n"), .listDebts(page, all: true),
            .settleDebt(id: "D", reason: "r"), .listFlags(page, flag: "f"), .listFlags(page, flag: nil),
            .listRefusals(page, all: true), .showRefusal("R"), .listStock(page),
            .listShifts(page, state: .disputed), .listShifts(page, state: nil), .showShift("S"),
            .listStatements(page), .resolveRefusal(id: "R", keep: "server", reason: "r"),
            .listLeases(all: true), .releaseLease(id: "L", reason: "r"), .rebuild,
        ]
    }

    @Test("Each call has the name and the bytes on record, and is read back")
    func bytes() throws {
        let calls =
            try Self.terminals + Self.files + Self.settings + Self.office.map(AdminCall.backOffice)
            + Self.archives
        let text = calls.map { "\($0.name) \($0.json.canonicalText)\n" }.joined()
        #expect(try RecordedFacts.differences(text, from: "calls.txt") == [])
        for call in calls {
            let read = try AdminCall(name: call.name, json: call.json)
            #expect(read == call, "\(call.name)")
        }
        #expect(try AdminCall(name: "no-such-call", json: [:]) == nil)
    }
}
