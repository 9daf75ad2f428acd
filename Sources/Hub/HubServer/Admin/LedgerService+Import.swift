internal import Credentials
internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Pricing

/// Imports master data.
extension LedgerService {
    func importList(_ list: ImportedList, withdrawing gone: [String]) async throws -> JSONValue {
        switch try await outcome(of: list, withdrawing: gone) {
        case .imported(let new, let changed, let unchanged, let withdrawn):
            return [
                "imported": .integer(Int64(list.count)), "new": .integer(Int64(new)),
                "changed": .integer(Int64(changed)), "unchanged": .integer(Int64(unchanged)),
                "withdrawn": .integer(Int64(withdrawn)),
                "warnings": .array(try await warnings(about: list).map(JSONValue.string)),
            ]
        case .refused(let objections):
            throw Problem(
                status: 422, code: ProblemCode(rawValue: "import_refused"), title: "Nothing was imported",
                detail: objections.first?.message ?? "",
                extensions: [
                    "objections": .array(
                        objections.map {
                            [
                                "detail": .string($0.message),
                                "place": $0.place.map { JSONValue.integer(Int64($0)) } ?? .null,
                            ]
                        })
                ])
        }
    }

    /// What was imported and probably is a mistake.
    private func warnings(about list: ImportedList) async throws(LedgerError) -> [String] {
        switch list {
        case .promotions(let promotions): try await warnings(about: promotions)
        case .members(let members): try await warnings(about: members)
        case .prices(let prices): try await warnings(aboutSKUs: prices.map { ("price", $0.sku) })
        case .listings(let listings): try await warnings(aboutSKUs: listings.map { ("listing", $0.sku) })
        case .stocks(let stocks): try await warnings(aboutSKUs: stocks.map { ("stock", $0.sku) })
        case .products, .cashiers, .coupons: []
        }
    }

    /// A price may be imported ahead of its article, but one for a typing error never has an effect.
    private func warnings(aboutSKUs records: [(kind: String, sku: String)]) async throws(LedgerError)
        -> [String]
    {
        let skus = Set(records.map(\.sku))
        guard !skus.isEmpty else { return [] }
        let known = Set(try await ledger.products(skus: Array(skus)).map(\.sku))
        return records.filter { !known.contains($0.sku) }.prefix(ImportObjection.most).map {
            "a \($0.kind) is for the sku \"\($0.sku)\", which the catalogue does not have"
        }
    }

    /// A promotion may be imported ahead of its article, but a sku with a typing error never has an effect.
    private func warnings(about promotions: [Promotion]) async throws(LedgerError) -> [String] {
        let skus = Set(promotions.compactMap(\.sku))
        guard !skus.isEmpty else { return [] }
        let known = Set(try await ledger.products(skus: Array(skus)).map(\.sku))
        return promotions.filter { $0.sku.map { !known.contains($0) } ?? false }
            .prefix(ImportObjection.most)
            .map {
                "the promotion \"\($0.id)\" is for the sku \"\($0.sku ?? "")\", which the catalogue does not have"
            }
    }

    /// Members that are looked up one by one after an import. A lookup takes some tenths of a millisecond, so
    /// that these take less than a second; a larger list is compared with itself alone.
    private static var memberLookups: Int { 1_000 }

    /// A telephone number finds nobody where two members have it from imports.
    private func warnings(about members: [MemberEntry]) async throws(LedgerError) -> [String] {
        var owners: [String: String] = [:]
        var warnings: [String] = []
        for member in members where warnings.count < ImportObjection.most {
            guard let phone = member.profile["phone"]?.string,
                let digits = MemberRecord.lookupDigits(of: phone)
            else { continue }
            var other = owners.updateValue(member.id, forKey: digits)
            if other == nil, members.count <= Self.memberLookups {
                other = try await ledger.members(lookup: digits, limit: 2).map(\.id).first { $0 != member.id }
            }
            guard let other else { continue }
            warnings.append(
                "the members \"\(other)\" and \"\(member.id)\" have one telephone number, \(phone): "
                    + "it finds neither of them")
        }
        return warnings
    }

    /// Takes one record from every terminal by its tombstone.
    func withdraw(_ kind: ImportedList.Kind, _ id: String) async throws -> JSONValue {
        let outcome = try await outcome(of: ImportedList(emptyOf: kind), withdrawing: [id])
        guard case .imported(_, _, _, 1) = outcome else {
            throw Problem.notFound("The hub has no \(kind.entity) \"\(id)\".")
        }
        return ["kind": .string(kind.entity), "id": .string(id), "withdrawn": true]
    }

    /// Takes a member's personal data out of the hub.
    func eraseMember(_ id: String) async throws -> JSONValue {
        let (wasKnown, entries) = try await ledger.eraseMember(id, at: now())
        guard wasKnown || entries > 0 else { throw Problem.notFound("The hub has no member \"\(id)\".") }
        return ["id": .string(id), "erased": true, "journalEntries": .integer(Int64(entries))]
    }

    private func outcome(of list: ImportedList, withdrawing gone: [String]) async throws -> ImportOutcome {
        let keys = gone.map { EntityKey(list.kind.entity, $0) }
        switch list {
        case .products(let products):
            return try await ledger.importProducts(products, withdrawing: gone, at: now())
        case .members(let members):
            return try await ledger.importEntities(members, withdrawing: keys, at: now())
        case .cashiers(let cashiers):
            return try await ledger.importEntities(hashed(cashiers), withdrawing: keys, at: now())
        case .promotions(let promotions):
            return try await ledger.importEntities(promotions, withdrawing: keys, at: now())
        case .coupons(let coupons):
            return try await ledger.importEntities(coupons, withdrawing: keys, at: now())
        case .prices(let prices):
            return try await ledger.importEntities(prices, withdrawing: keys, at: now())
        case .listings(let listings):
            return try await ledger.importEntities(listings, withdrawing: keys, at: now())
        case .stocks(let stocks):
            return try await ledger.importEntities(stocks, withdrawing: keys, at: now())
        }
    }

    /// What the PINs are checked against, in the cashiers' order.
    func hashPINs(_ cashiers: [CashierEntry]) async throws -> JSONValue {
        ["hashes": .array(try await hashed(cashiers).map { .string($0.pinHash) })]
    }

    /// The cashiers with hashes in the place of their PINs. An unchanged PIN keeps its hash unless that one
    /// was cheaper to guess, so that a file that is imported again changes nothing.
    private func hashed(_ cashiers: [CashierEntry]) async throws -> [CashierRecord] {
        let known = try await ledger.entities(cashiers.map { EntityKey("cashier", $0.id) })
        let gate = FairWorker()
        var records: [CashierRecord] = []
        for cashier in cashiers {
            let kept = known[EntityKey("cashier", cashier.id)].flatMap { try? CashierRecord(json: $0) }
            let hash: String?
            if let ready = cashier.pinHash {
                hash = ready
            } else {
                hash = await gate.run { () -> String? in
                    let kept = kept.map { PINHash(text: $0.pinHash) }
                    if let kept, kept.isOfUsualCost, kept.matches(cashier.pin) { return kept.text }
                    return PINHash(hashing: cashier.pin)?.text
                }
            }
            guard let hash else { throw Problem.internalError }
            records.append(
                CashierRecord(
                    id: cashier.id, name: cashier.name, role: cashier.role, pinHash: hash,
                    storeId: cashier.storeId))
        }
        return records
    }
}
