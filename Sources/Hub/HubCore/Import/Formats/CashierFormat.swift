import HubProtocol

/// Cashiers. No error repeats a PIN.
package struct CashierFormat: ImportFormat {
    /// `id`: a file withdraws a cashier by it.
    package static let idColumn = "id"
    /// True: the column `store_id` limits a cashier to one store.
    package static let hasStores = true
    /// The header line's names; `pin` is plain text of 4 to 12 digits, `role` is `cashier` or `manager`.
    package static let columns = ["id", "name", "pin", "role"]
    /// None: each column of ``columns`` has to be there.
    package static let optionalColumns: Set<String> = []

    private var ids = UniqueColumn("id")
    /// The lines of managers whose PINs are too short.
    private var shortPINs: [Int] = []

    /// A format for one file that has not been read yet.
    package init() {}

    /// Throws ``CSVError`` for an id that an earlier line has, a malformed PIN, an unknown role or an invalid
    /// store.
    package mutating func record(of row: ImportRow) throws(CSVError) -> CashierEntry {
        guard let role = CashierRecord.Role(rawValue: row["role"]) else {
            throw row.wrong("role", "cashier or manager")
        }
        guard CashierEntry.isPIN(row["pin"]) else { throw row.error("the pin is not 4 to 12 digits") }
        let entry = CashierEntry(
            id: try row.text("id"), name: try row.text("name"), pin: row["pin"], role: role,
            storeId: try row.storeId())
        try ids.note(entry.id, on: row)
        if entry.isTooShort { shortPINs.append(row.line) }
        return entry
    }

    /// Refuses a file with a manager's PIN of fewer than ``CashierEntry/shortestManagerPIN`` digits, and
    /// names the first line.
    package func conclude() throws(CSVError) {
        guard let first = shortPINs.first else { return }
        let count = shortPINs.count
        let others = count == 1 ? "" : "; \(count) managers of this file have fewer"
        throw CSVError(
            line: first,
            reason: .content(
                "the pin of a manager has at least \(CashierEntry.shortestManagerPIN) digits" + others))
    }
}
