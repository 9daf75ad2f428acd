import Base

internal import HubProtocol

/// One record of a file by column name.
package struct ImportRow {
    let line: Int
    private let fields: [String]
    private let places: [String: Int]

    init(line: Int, fields: [String], places: [String: Int]) {
        self.line = line
        self.fields = fields
        self.places = places
    }

    /// A field as it stands; empty for a column that the file does not have.
    subscript(column: String) -> String { places[column].map { fields[$0] } ?? "" }

    func has(_ column: String) -> Bool { places[column] != nil }

    /// A text of 1 to `longest` bytes, by default the column's bound; none of them is zero, which not every
    /// store can keep.
    func text(_ column: String, upTo longest: Int? = nil) throws(CSVError) -> String {
        let value = self[column]
        let longest = longest ?? TextBound.bytes(of: column)
        guard (1...longest).contains(value.utf8.count), !value.utf8.contains(0) else {
            throw wrong(column, "a text of 1 to \(longest) bytes")
        }
        return value
    }

    /// Nil for an empty field.
    func optionalText(_ column: String, upTo longest: Int? = nil) throws(CSVError) -> String? {
        self[column].isEmpty ? nil : try text(column, upTo: longest)
    }

    func integer(_ column: String, in range: ClosedRange<Int64>) throws(CSVError) -> Int64 {
        let value = self[column]
        guard let number = Int64(value), range.contains(number), value.first != "+" else {
            throw wrong(column, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Nil for an empty field.
    func optionalInteger(_ column: String, in range: ClosedRange<Int64>) throws(CSVError) -> Int64? {
        self[column].isEmpty ? nil : try integer(column, in: range)
    }

    /// A moment in milliseconds since 1970; nil for an empty field.
    func optionalMoment(_ column: String) throws(CSVError) -> Int64? {
        guard !self[column].isEmpty else { return nil }
        guard let moment = Timestamp.milliseconds(of: self[column]), Self.moments.contains(moment) else {
            throw wrong(column, "a moment of RFC 3339 such as 2026-11-21T04:05:06Z")
        }
        return moment
    }

    /// 1970 to the end of 9999.
    private static let moments: ClosedRange<Int64> = 0...253_402_300_799_999

    /// `true` or `false`; false for an empty field.
    func flag(_ column: String) throws(CSVError) -> Bool {
        switch self[column] {
        case "true": return true
        case "false", "": return false
        case _: throw wrong(column, "true or false")
        }
    }

    /// The store of ``ImportColumn/storeId``; nil for an empty field: every store.
    func storeId() throws(CSVError) -> String? {
        let storeId = self[ImportColumn.storeId]
        guard storeId.isEmpty || StoreIdentifier.isValid(storeId) else {
            throw wrong(
                ImportColumn.storeId, "1 to 32 letters, digits, hyphens or underscores, or empty for all")
        }
        return storeId.isEmpty ? nil : storeId
    }

    /// Refuses a field that has no meaning here.
    ///
    /// - Parameter owner: whose it is not, as text.
    func refuse(_ column: String, of owner: String) throws(CSVError) {
        guard self[column].isEmpty else { throw error("\(column) is not a column of \(owner)") }
    }

    func wrong(_ column: String, _ expected: String) -> CSVError {
        error("\(column) is \"\(self[column].prefix(40))\", not \(expected)")
    }

    func error(_ message: String) -> CSVError { CSVError(line: line, reason: .content(message)) }
}
