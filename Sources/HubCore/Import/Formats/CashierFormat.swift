import HubProtocol

/// Cashiers. No error repeats a PIN.
public struct CashierFormat: ImportFormat {
    public static let columns = ["id", "name", "pin", "role"]
    public static let optionalColumns: Set<String> = []

    private var ids = UniqueColumn("id")

    public init() {}

    public mutating func record(of row: ImportRow) throws(CSVError) -> CashierEntry {
        guard let role = CashierRecord.Role(rawValue: row["role"]) else {
            throw row.wrong("role", "cashier or manager")
        }
        guard CashierEntry.isPIN(row["pin"]) else { throw row.error("the pin is not 4 to 12 digits") }
        let entry = CashierEntry(
            id: try row.text("id", upTo: 128), name: try row.text("name"), pin: row["pin"], role: role)
        try ids.note(entry.id, on: row)
        return entry
    }
}
