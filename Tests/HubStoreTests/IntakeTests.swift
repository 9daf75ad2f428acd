import HubCore
import HubProtocol
import HubStore
import Testing

@Suite("Intake")
struct IntakeTests {
    private func flags(_ response: MutationBatchResponse?) -> [String] {
        (response?.results.first?.json["flags"]?.array ?? []).compactMap(\.string)
    }

    @Test(
        "A repeated push gets the first response, field by field, and changes nothing",
        arguments: StoreKind.all)
    func replay(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let push = try till.push([till.sale()])
        let first = try #require(try await store.take(push)?.results.first)
        let again = try #require(try await store.take(push)?.results.first)
        #expect(first.outcome == .applied)
        #expect(again.outcome == .duplicate)
        #expect(again.json["result"] == first.json)
        #expect(try await store.ledger.audit(terminal: nil).isEmpty)
    }

    @Test(
        "The same key with other content is refused and does not touch the sequence", arguments: StoreKind.all
    )
    func keyReused(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let first = till.minted()
        var members = try #require(first.json.object)
        members["entityId"] = "another"
        let other = IntakeRequest(
            device: till.device, epoch: nil, lowSequence: nil,
            mutations: [try ReceivedMutation(json: .object(members))], receivedAt: 0)
        _ = try await store.take(till.push([first]))
        #expect(try await store.outcomes(other) == ["rejected idempotency_key_reused"])
        #expect(try await store.outcomes(till.push([till.minted()])) == ["applied"])
    }

    @Test(
        "Gaps are named until they are filled, and acknowledgedThrough jumps over what was waiting",
        arguments: StoreKind.all)
    func gaps(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let all = (0..<6).map { _ in till.minted() }
        var response = try await store.take(till.push([all[0], all[3], all[5]]))
        #expect(response?.acknowledgedThrough == 1)
        #expect(response?.missing == [2, 3, 5])
        response = try await store.take(till.push([all[1], all[2]]))
        #expect(response?.acknowledgedThrough == 4)
        #expect(response?.missing == [5])
        response = try await store.take(till.push([all[4]]))
        #expect(response?.acknowledgedThrough == 6)
        #expect(response?.missing == [])
        #expect(response.map(flags) == [])
    }

    @Test(
        "A sequence that another id holds forks the journal: nothing is applied, the head is named",
        arguments: StoreKind.all)
    func fork(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        var clone = till
        _ = try await store.take(till.push([till.sale(), till.sale(number: "S1-1-19700101-77")]))
        let known = clone.minted()
        let collision = clone.minted()
        let fresh = clone.minted()
        let response = try await store.ledger.ingest(clone.push([collision, fresh]))
        #expect(
            response
                == .refused(
                    .forked(
                        epoch: 2, headSequence: 2, headHash: till.previousHash,
                        headOrderNumber: "S1-1-19700101-77")))
        #expect(try await store.outcomes(till.push([till.minted()])) == ["applied"])
        let moved = try clone.push([known, collision, fresh], epoch: 2, lowSequence: 1)
        #expect(try await store.outcomes(moved) == ["applied", "applied", "applied"])
        let refused = try await store.ledger.ingest(till.push([till.minted()], epoch: 1))
        guard case .refused(.epochSuperseded(2, let ends, _)) = refused else {
            Issue.record("\(refused)")
            return
        }
        #expect(ends.map(\.epoch) == [1, 2])
    }

    @Test("A fork in the middle of a push undoes what came before it in the push", arguments: StoreKind.all)
    func forkUndoes(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        var clone = till
        _ = try await store.take(till.push([till.minted(), till.minted(), till.minted()]))
        _ = clone.minted()
        let fresh = Till(from: 10)
        var other = fresh
        let beyond = other.minted()
        #expect(try await store.outcomes(till.push([beyond, clone.minted()])) == ["refused"])
        #expect(try await store.outcomes(till.push([beyond])) == ["applied"])
    }

    @Test(
        "A refused push undoes itself alone, whatever is accepted beside it", arguments: StoreKind.all)
    func refusedAmongOthers(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var tills = (0..<24).map { Till("T\($0)") }
        for index in tills.indices {
            let clone = tills[index]
            _ = try await store.take(tills[index].push([tills[index].sale()]))
            if index % 6 == 5 { tills[index] = clone }
        }
        let pushes = try tills.indices.map { index in
            try tills[index].push([tills[index].sale(), tills[index].sale()])
        }
        try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
            for (index, push) in pushes.enumerated() {
                group.addTask { (index, try await store.outcomes(push)) }
            }
            for try await (index, outcomes) in group {
                #expect(outcomes == (index % 6 == 5 ? ["refused"] : ["applied", "applied"]))
            }
        }
        for (index, push) in pushes.enumerated() {
            let isRefused = index % 6 == 5
            let again = IntakeRequest(
                device: push.device, epoch: isRefused ? 2 : 1, lowSequence: isRefused ? 1 : nil,
                mutations: push.mutations, receivedAt: push.receivedAt)
            let outcome = isRefused ? "applied" : "duplicate"
            #expect(try await store.outcomes(again) == [outcome, outcome])
        }
    }

    @Test(
        "Without a start an epoch starts at its first lowSequence; what comes from before extends it downwards",
        arguments: StoreKind.all
    )
    func epochStart(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till(from: 790)
        _ = till.minted()
        let later = till.minted()
        let response = try await store.take(till.push([later], lowSequence: 791))
        #expect(response?.acknowledgedThrough == 791)
        #expect(response?.missing == [])
        #expect(flags(response) == [])
        var old = Till(from: 788)
        let earlier = try await store.take(till.push([old.minted()], lowSequence: 792))
        #expect(earlier?.results.map(\.outcome) == [.applied])
        #expect(earlier?.acknowledgedThrough == 788)
        #expect(earlier?.missing == [789, 790])
    }

    @Test("A wrong hash and a broken link are accepted, flagged", arguments: StoreKind.all)
    func chain(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        _ = try await store.take(till.push([till.minted()]))
        var stranger = Till(from: 2)
        let unlinked = stranger.minted()
        #expect(flags(try await store.take(till.push([unlinked]))) == ["chain_broken"])
        var members = try #require(stranger.minted().json.object)
        members["payload"] = ["changed": true]
        let forged = IntakeRequest(
            device: till.device, epoch: nil, lowSequence: nil,
            mutations: [try ReceivedMutation(json: .object(members))], receivedAt: 0)
        #expect(flags(try await store.take(forged)) == ["hash_mismatch"])
    }

    @Test("An entry that arrives late is held against the neighbour behind it too", arguments: StoreKind.all)
    func lateLink(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let first = till.minted()
        let second = till.minted()
        let third = till.minted()
        _ = try await store.take(till.push([first, third]))
        #expect(flags(try await store.take(till.push([second]))) == [])
        let fourth = till.minted()
        _ = fourth
        let fifth = till.minted()
        var stranger = Till(from: 4)
        _ = try await store.take(till.push([fifth]))
        #expect(flags(try await store.take(till.push([stranger.minted()]))) == ["chain_broken"])
    }

    @Test(
        "What depends on something without a result waits; on something rejected it is rejected",
        arguments: StoreKind.all)
    func dependencies(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let sale = till.sale()
        let refund = till.minted("refund.completed", [:], dependsOn: [sale.id])
        var response = try await store.take(till.push([refund]))
        #expect(response?.results.first?.outcome == .deferred)
        #expect(response?.acknowledgedThrough == 0)
        response = try await store.take(till.push([sale, refund]))
        #expect(response?.results.map(\.outcome) == [.applied, .applied])
        let bad = till.sale(total: -1)
        let dependent = till.minted("refund.completed", [:], dependsOn: [bad.id])
        #expect(
            try await store.outcomes(till.push([bad, dependent]))
                == ["rejected invalid_mutation", "rejected dependency_rejected"])
    }

    @Test(
        "An edited mutation stands in for the rejected one; a discarded one takes its dependents along",
        arguments: StoreKind.all)
    func supersededAndDiscarded(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let bad = till.sale(total: -1)
        let edited = till.minted("shift.opened", [:], supersedes: bad.id)
        let dependent = till.minted("refund.completed", [:], dependsOn: [bad.id])
        #expect(
            try await store.outcomes(till.push([bad, edited, dependent]))
                == ["rejected invalid_mutation", "applied", "applied"])
        let other = till.sale(total: -1)
        let discard = till.minted("mutation.discarded", ["discards": .string(other.id)])
        let late = till.minted("refund.completed", [:], dependsOn: [other.id])
        #expect(
            try await store.outcomes(till.push([other, discard, late]))
                == ["rejected invalid_mutation", "applied", "rejected dependency_rejected"])
    }

    @Test("Edits that replace each other in a circle end", arguments: StoreKind.all)
    func supersededInACircle(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        var clone = till
        let second = clone.minted()
        let first = till.minted("shift.opened", [:], supersedes: second.id)
        var members = try #require(second.json.object)
        members["sequence"] = 2
        members["supersedes"] = .string(first.id)
        let circle = IntakeRequest(
            device: till.device, epoch: nil, lowSequence: nil,
            mutations: [try ReceivedMutation(json: .object(members))], receivedAt: 0)
        _ = try await store.take(till.push([first]))
        _ = try await store.take(circle)
        var later = Till(from: 3)
        let dependent = later.minted("refund.completed", [:], dependsOn: [first.id])
        #expect(try await store.outcomes(till.push([dependent])) == ["applied"])
    }

    @Test(
        "A mutation without a readable content is rejected and occupies its sequence",
        arguments: StoreKind.all)
    func unreadable(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let next = till.minted()
        let torn = IntakeRequest(
            device: till.device, epoch: nil, lowSequence: nil,
            mutations: [
                try ReceivedMutation(json: ["id": .string(Till.ulid()), "sequence": 2, "payload": "text"])
            ], receivedAt: 0)
        _ = try await store.take(till.push([next]))
        let response = try await store.take(torn)
        #expect(response?.results.first?.problem?["code"] == "invalid_mutation")
        #expect(response?.acknowledgedThrough == 2)
    }

    @Test(
        "A till that enrolled again brings its outbox under the new identity without doubling a sale",
        arguments: StoreKind.all)
    func enrolledAgain(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        for id in ["T1", "T2"] { try await store.enrol(id, in: "S1") }
        var till = Till("T1")
        let first = till.sale()
        let second = till.sale()
        _ = try await store.take(till.push([first]))
        let renewed = Till("T2")
        let response = try await store.take(renewed.push([first, second], lowSequence: 1))
        #expect(response?.results.map(\.outcome) == [.duplicate, .applied])
        #expect(response?.acknowledgedThrough == 2)
    }

    @Test("Repeated order numbers, other prices and negative stock are flagged", arguments: StoreKind.all)
    func remarks(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let product = ProductRecord(
            sku: "tea", barcode: "1", name: "Tea", department: "", priceMinor: 1250, currency: "CNY",
            taxBasisPoints: 0, unit: .each, stockMilli: 1500)
        _ = try await store.ledger.importProducts([product], at: 1)
        var till = Till()
        #expect(flags(try await store.take(till.push([till.sale(number: "S1-1-19700101-5")]))) == [])
        #expect(
            flags(try await store.take(till.push([till.sale(number: "S1-1-19700101-5", price: 1200)])))
                == ["order_number_repeated", "price_differs", "stock_negative"])
    }

    @Test("The price of an article without a fixed one is not compared", arguments: StoreKind.all)
    func openPrice(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let product = ProductRecord(
            sku: "tea", barcode: "1", name: "Tea \"openPrice\":true", department: "", priceMinor: 0,
            currency: "CNY", taxBasisPoints: 0, unit: .each, stockMilli: nil)
        let open = ProductRecord(
            sku: "tea", barcode: "1", name: "Tea", department: "", priceMinor: 0, currency: "CNY",
            taxBasisPoints: 0, unit: .each, stockMilli: nil, openPrice: true)
        var till = Till()
        _ = try await store.ledger.importProducts([product], at: 1)
        #expect(flags(try await store.take(till.push([till.sale(price: 1200)]))) == ["price_differs"])
        _ = try await store.ledger.importProducts([open], at: 2)
        #expect(flags(try await store.take(till.push([till.sale(price: 1200)]))) == [])
    }

    @Test(
        "Pushes that come together are each accepted once, in any mix with replays", arguments: StoreKind.all)
    func together(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let tills = (0..<8).map { Till("T\($0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for var till in tills {
                let pushes = try (0..<25).map { _ in try till.push([till.sale()]) }
                group.addTask {
                    for push in pushes {
                        _ = try await store.take(push)
                        let again = try await store.take(push)
                        #expect(again?.results.first?.outcome == .duplicate)
                    }
                }
            }
            try await group.waitForAll()
        }
        for till in tills {
            let response = try await store.take(till.push([]))
            #expect(response?.acknowledgedThrough == 25)
        }
    }
}
