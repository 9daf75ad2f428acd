/// A column whose values stand once in a file.
struct UniqueColumn {
    private let name: String
    private var lines: [String: Int] = [:]

    init(_ name: String) {
        self.name = name
    }

    mutating func note(_ value: String, on row: ImportRow) throws(CSVError) {
        if let earlier = lines.updateValue(row.line, forKey: value) {
            throw row.error("the \(name) \"\(value.prefix(40))\" stands on line \(earlier) too")
        }
    }
}
