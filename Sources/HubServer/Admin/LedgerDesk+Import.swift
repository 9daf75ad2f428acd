internal import Credentials
internal import HubCore
internal import HubProtocol
internal import HubStore

/// Takes master data in.
extension LedgerDesk {
    func importList(_ list: ImportedList) async throws -> JSONValue {
        switch try await outcome(of: list) {
        case .imported(let new, let changed, let unchanged):
            return [
                "imported": .integer(Int64(list.count)), "new": .integer(Int64(new)),
                "changed": .integer(Int64(changed)), "unchanged": .integer(Int64(unchanged)),
            ]
        case .refused(let words, let place):
            throw Problem(
                status: 422, code: ProblemCode(rawValue: "import_refused"), title: "Nothing was imported",
                detail: words, extensions: place.map { ["place": .integer(Int64($0))] } ?? [:])
        }
    }

    private func outcome(of list: ImportedList) async throws -> ImportOutcome {
        switch list {
        case .products(let products): try await ledger.importProducts(products, at: now())
        case .members(let members): try await ledger.importEntities(members, at: now())
        case .cashiers(let cashiers): try await ledger.importEntities(hashed(cashiers), at: now())
        case .promotions(let promotions): try await ledger.importEntities(promotions, at: now())
        case .coupons(let coupons): try await ledger.importEntities(coupons, at: now())
        }
    }

    /// The cashiers with hashes in the place of their PINs. An unchanged PIN keeps its hash, so that a file
    /// that is imported again changes nothing.
    private func hashed(_ cashiers: [CashierEntry]) async throws -> [CashierRecord] {
        let known = try await ledger.entities(cashiers.map { EntityKey("cashier", $0.id) })
        let line = HashingLine()
        var records: [CashierRecord] = []
        for cashier in cashiers {
            let kept = known[EntityKey("cashier", cashier.id)].flatMap { try? CashierRecord(json: $0) }
            let hash = await line.run { () -> PINHash? in
                if let kept = kept.map({ PINHash(text: $0.pinHash) }), kept.matches(cashier.pin) {
                    return kept
                }
                return PINHash(hashing: cashier.pin)
            }
            guard let hash else { throw Problem.internalError }
            records.append(
                CashierRecord(id: cashier.id, name: cashier.name, role: cashier.role, pinHash: hash.text))
        }
        return records
    }
}
