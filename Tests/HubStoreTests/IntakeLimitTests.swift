import HubCore
import HubProtocol
import HubStore
import Testing

/// Every limit of the intake at its edge and one past it.
@Suite("Limits of the intake")
struct IntakeLimitTests {
    private static let day: Int64 = 86_400_000

    private func limits(_ change: (inout IntakeLimits) -> Void) -> IntakeLimits {
        var limits = IntakeLimits.adjusting
        change(&limits)
        return limits
    }

    @Test("20 dependencies are looked up, 21 and a repeated one are rejected", arguments: StoreKind.all)
    func dependencies(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let all = (0..<21).map { _ in till.minted() }
        _ = try await store.take(till.push(all))
        let ids = all.map(\.id)
        let pushed = [
            till.minted(dependsOn: Array(ids.prefix(20))), till.minted(dependsOn: ids),
            till.minted(dependsOn: [ids[0], ids[0]]),
        ]
        #expect(
            try await store.outcomes(till.push(pushed))
                == ["applied", "rejected invalid_mutation", "rejected invalid_mutation"])
    }

    @Test("A mutation is edited once; the edit is edited in its turn", arguments: StoreKind.all)
    func edits(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let sale = till.sale(total: -1)
        let first = till.minted("order.completed", sale.payload, supersedes: sale.id)
        let second = till.minted("order.completed", sale.payload, supersedes: sale.id)
        let third = till.minted("order.completed", till.sale().payload, supersedes: first.id)
        _ = try await store.take(till.push([sale]))
        #expect(
            try await store.outcomes(till.push([first, second, third]))
                == ["rejected invalid_mutation", "rejected edit_repeated", "applied"])
        let void = till.minted("order.voided", ["orderId": "x"], dependsOn: [sale.id])
        #expect(try await store.outcomes(till.push([void])) == ["applied"])
    }

    @Test("32 edits of edits are followed, and no circle keeps anybody busy", arguments: StoreKind.all)
    func chainOfEdits(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        var entries = [till.sale(total: -1)]
        for _ in 0..<32 {
            entries.append(
                till.minted("order.completed", entries[0].payload, supersedes: entries[entries.count - 1].id))
        }
        let good = till.minted(
            "order.completed", till.sale().payload, supersedes: entries[entries.count - 1].id)
        _ = try await store.take(till.push(entries + [good]))
        let near = till.minted(dependsOn: [entries[1].id])
        let far = till.minted(dependsOn: [entries[0].id])
        #expect(
            try await store.outcomes(till.push([near, far])) == ["applied", "rejected dependency_rejected"])
    }

    @Test("A profile has 4 KiB and 32 fields, however many changes make it", arguments: StoreKind.all)
    func profile(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        func change(_ name: String, _ bytes: Int) -> Mutation {
            till.minted(
                "member.updated", [name: .string(String(repeating: "a", count: bytes))], entityId: "M")
        }
        // {"a":"…","b":"…"}: 15 bytes beside the texts.
        let outcomes = try await store.outcomes(
            till.push([change("a", 4_096 - 8), change("a", 2_000), change("b", 2_082), change("b", 2_081)]))
        #expect(outcomes == ["applied", "applied", "rejected invalid_mutation", "applied"])
        #expect(
            try await store.outcomes(till.push([change("a", 4_096 - 7)])) == ["rejected invalid_mutation"])
        for number in 0..<32 {
            let field = till.minted("member.updated", ["f\(number)": 1], entityId: "N")
            #expect(try await store.outcomes(till.push([field])) == ["applied"])
        }
        let past = till.minted("member.updated", ["f32": 1], entityId: "N")
        #expect(try await store.outcomes(till.push([past])) == ["rejected invalid_mutation"])
    }

    @Test(
        "A note has 32 fields beside its bounded text, however many changes make it", arguments: StoreKind.all
    )
    func note(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let long = JSONValue.string(String(repeating: "a", count: 4_000))
        let parts = ["a", "b", "c", "d"].map { till.minted("note.upserted", [$0: long], entityId: "n") }
        #expect(
            try await store.outcomes(till.push(parts))
                == ["applied", "applied", "applied", "rejected invalid_mutation"])
    }

    @Test(
        "Mutations of a day: the last one is accepted, one more waits for the next day",
        arguments: StoreKind.all)
    func mutations(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var (till, other) = (Till(), Till("T2"))
        let limits = limits { $0.mutationsPerDay = 3 }
        let all = (0..<4).map { _ in till.minted() }
        #expect(
            try await store.ledger.ingest(till.push(all, at: Self.day - 1_000, limits: limits))
                == .refused(.quotaExceeded(retryAfterMilliseconds: 1_000)))
        let three = try till.push(Array(all.prefix(3)), at: Self.day - 1_000, limits: limits)
        #expect(try await store.outcomes(three) == ["applied", "applied", "applied"])
        #expect(try await store.outcomes(three) == ["duplicate", "duplicate", "duplicate"])
        let last = try till.push([all[3]], at: Self.day - 1, limits: limits)
        #expect(try await store.outcomes(last) == ["refused"])
        #expect(
            try await store.outcomes(other.push([other.minted()], at: Self.day - 1, limits: limits))
                == ["applied"])
        #expect(try await store.outcomes(till.push([all[3]], at: Self.day, limits: limits)) == ["applied"])
        let alarms = try await store.ledger.alarms(terminal: nil, limit: 9)
        #expect(alarms.map(\.first.kind) == ["quota_exceeded"])
        #expect(alarms.map(\.count) == [2])
    }

    @Test("Bytes of a day: at the limit a push is accepted, one past it is refused", arguments: StoreKind.all)
    func bytes(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let mutation = till.minted()
        let size = Int64(mutation.json.canonicalBytes.count)
        let tooFew = limits { $0.bytesPerDay = size - 1 }
        let enough = limits { $0.bytesPerDay = size }
        #expect(try await store.outcomes(till.push([mutation], limits: tooFew)) == ["refused"])
        #expect(try await store.outcomes(till.push([mutation], limits: enough)) == ["applied"])
    }

    @Test("Attachments of a day, by number and by announced bytes", arguments: StoreKind.all)
    func attachments(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        func open(_ id: String, _ size: Int64, at now: Int64 = 5) async throws -> AttachmentOpening {
            let info = AttachmentInfo(
                id: id, sha256: String(repeating: "a", count: 64), size: size, contentType: "image/jpeg",
                isUrgent: false)
            let limits = limits {
                $0.attachmentsPerDay = 2
                $0.bytesPerDay = 100
            }
            return try await store.ledger.openAttachment(info, of: "T1", at: now, within: limits)
        }
        func isOpen(_ opening: AttachmentOpening) -> Bool {
            if case .open = opening { true } else { false }
        }
        #expect(isOpen(try await open("A", 60)))
        #expect(try await open("B", 41) == .pastQuota)
        #expect(isOpen(try await open("B", 40)))
        #expect(isOpen(try await open("B", 40)))
        #expect(try await open("C", 0) == .pastQuota)
        #expect(isOpen(try await open("C", 1, at: Self.day)))
    }

    @Test(
        "A complete attachment that no mutation names goes after 30 days, a named one stays",
        arguments: StoreKind.all)
    func unnamedAttachments(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        for id in ["A1", "A2"] {
            let info = AttachmentInfo(
                id: id, sha256: String(repeating: "a", count: 64), size: 1, contentType: "image/jpeg",
                isUrgent: false)
            _ = try await ledger.openAttachment(info, of: "T1", at: 5)
            _ = try await ledger.appendChunk([1], at: 0, to: id, of: "T1")
            _ = try await ledger.settleAttachment(id, of: "T1", isRight: true, at: 5)
        }
        var till = Till()
        let naming = till.minted(attachments: ["A1"])
        #expect(try await store.outcomes(till.push([naming])) == ["applied"])
        #expect(try await ledger.remove(.unnamedAttachments, at: 4 + 30 * Self.day) == 0)
        #expect(try await ledger.remove(.unnamedAttachments, at: 5 + 30 * Self.day) == 1)
        #expect(try await ledger.attachments(terminal: nil).map(\.info.id) == ["A1"])
        #expect(try await ledger.attachmentPiece("A2", of: "T1", at: 0) == nil)
    }

    @Test("Points of a mutation and of a day, earned and spent alike", arguments: StoreKind.all)
    func points(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let limits = limits {
            $0.pointsPerMutation = 100
            $0.pointsPerDay = 250
        }
        let all = [100, -101, -100, 50, 1].map {
            till.minted("points.adjusted", ["delta": .integer($0)], entityId: "M")
        }
        let response = try #require(try await store.take(till.push(all, at: Self.day - 500, limits: limits)))
        #expect(response.results.map(\.outcome) == [.applied, .rejected, .applied, .applied, .retry])
        #expect(response.results[1].problem?["code"] == "points_limit")
        #expect(response.results[4].problem?["code"] == "quota_exceeded")
        #expect(response.results[4].retryAfterMilliseconds == 500)
        #expect(response.acknowledgedThrough == 4)
        #expect(try await store.outcomes(till.push([all[4]], at: Self.day, limits: limits)) == ["applied"])
    }

    @Test("Points are adjusted by hand only where the chain says how many a day", arguments: StoreKind.all)
    func adjustments(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let one = till.minted("points.adjusted", ["delta": 1], entityId: "M")
        #expect(
            try await store.outcomes(till.push([one], limits: IntakeLimits())) == ["rejected points_limit"])
        let limits = limits { $0.pointsAdjustedPerDay = 10 }
        let all = [5, -5, 1, 11].map {
            till.minted("points.adjusted", ["delta": .integer($0)], entityId: "M")
        }
        let outcomes = try await store.outcomes(till.push(all, at: Self.day, limits: limits))
        #expect(outcomes == ["applied", "applied", "retry quota_exceeded", "rejected points_limit"])
        let alarms = try await store.ledger.alarms(terminal: "T1", limit: 9)
        #expect(alarms.map(\.first.kind) == ["points_adjusted_many"])
        #expect(alarms.first?.count == 1)
    }

    @Test("Changed and new members of a day: an alarm at half, and the rest waits", arguments: StoreKind.all)
    func members(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let limits = limits { ($0.memberChangesPerDay, $0.newMembersPerDay) = (2, 4) }
        let all = ["a", "b", "c", "d", "e"].map { till.minted("member.created", ["name": "x"], entityId: $0) }
        let changes = ["a", "b", "c"].map { till.minted("member.updated", ["name": "y"], entityId: $0) }
        let first = try await store.outcomes(
            till.push(Array(all.prefix(1)), at: Self.day, limits: limits))
        #expect(first == ["applied"])
        #expect(try await store.ledger.alarms(terminal: nil, limit: 9).isEmpty)
        let rest = try await store.outcomes(
            till.push(all.dropFirst() + changes, at: Self.day + 1, limits: limits))
        let waits = "retry quota_exceeded"
        #expect(rest == ["applied", "applied", "applied", waits, "applied", "applied", waits])
        let alarms = try await store.ledger.alarms(terminal: "T1", limit: 9).map(\.first.kind)
        #expect(alarms.sorted() == ["member_changes_many", "new_members_many"])
        let late = try await store.outcomes(
            till.push([all[4], changes[2]], at: 2 * Self.day, limits: limits))
        #expect(late == ["applied", "applied"])
    }

    @Test(
        "The audit of one terminal's impossible amounts fails nobody else's, and adds no currencies",
        arguments: StoreKind.all)
    func auditSums(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        try await store.enrol("T1")
        try await store.enrol("T2", in: "S2")
        var (hostile, honest) = (Till("T1"), Till("T2", store: "S2"))
        let most: Int64 = 9_007_199_254_740_991
        for _ in 0..<6 {
            let sales = (0..<200).map { _ in hostile.sale(total: .integer(most)) }
            _ = try await store.take(hostile.push(sales))
        }
        let dollars = honest.minted(
            "order.completed",
            .object((honest.sale().payload.object ?? [:]).merging(["currency": "USD"]) { $1 }))
        _ = try await store.take(honest.push([honest.sale(number: "S2-1-19700101-1"), dollars]))
        let audits = try await store.ledger.audit(terminal: nil)
        #expect(audits.map(\.exceeds) == [true, false])
        #expect(audits[0].json["total"]?["amount"] == .integer(most))
        #expect(audits[0].json["totals"]?.array?.first?["exceeds"] == true)
        #expect(audits[1].totals.map(\.currency) == ["CNY", "USD"])
        #expect(audits[1].totals.map(\.amount) == [1250, 1250])
    }
}
