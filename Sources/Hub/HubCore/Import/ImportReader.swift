/// Reads a file of master data record by record, all of it or nothing.
package struct ImportReader<Format: ImportFormat> {
    private var reader: CSVReader
    private var format = Format()
    private var isConcluded = false
    private let places: [String: Int]
    private let width: Int
    /// The line of the record that was read last; before the first one the header's.
    package private(set) var line: Int
    /// The ids of the records so far that the file withdraws.
    package private(set) var withdrawn: [String] = []

    /// - Throws: ``CSVError`` for a file without the right header.
    package init(_ bytes: [UInt8]) throws(CSVError) {
        reader = CSVReader(bytes)
        guard let header = try reader.next() else {
            throw CSVError(line: 1, reason: .content("the file is empty; it begins with a header line"))
        }
        line = header.line
        width = header.fields.count
        places = try Self.places(in: header)
    }

    /// How much of the file has been read, from 0 to 1.
    package var progress: Double { reader.progress }

    /// The next record that the file does not withdraw; nil at the end.
    ///
    /// - Throws: ``CSVError`` for the line that is wrong; nothing of the file is to be used then.
    package mutating func next() throws(CSVError) -> Format.Record? {
        while let record = try reader.next() {
            line = record.line
            guard record.fields.count == width else {
                let message = "\(record.fields.count) fields where the header has \(width)"
                throw CSVError(line: line, reason: .content(message))
            }
            let row = ImportRow(line: line, fields: record.fields, places: places)
            if !Format.hasStores {
                try row.refuse(ImportColumn.storeId, of: "these records, which belong to every store")
            }
            guard try row.flag(ImportColumn.withdrawn) else { return try format.record(of: row) }
            withdrawn.append(try Format.withdrawnId(of: row))
        }
        if !isConcluded {
            isConcluded = true
            try format.conclude()
        }
        return nil
    }

    private static func places(in header: CSVReader.Record) throws(CSVError) -> [String: Int] {
        var places: [String: Int] = [:]
        let known = Format.columns + [ImportColumn.storeId, ImportColumn.withdrawn]
        for (index, name) in header.fields.enumerated() {
            guard known.contains(name) else {
                let hint =
                    header.fields.count == 1 && name.contains(";")
                    ? "; fields are separated by commas" : "; known are \(known.joined(separator: ", "))"
                throw CSVError(
                    line: header.line, reason: .content("the column \"\(name)\" is not known\(hint)"))
            }
            guard places.updateValue(index, forKey: name) == nil else {
                throw CSVError(line: header.line, reason: .content("the column \"\(name)\" stands twice"))
            }
        }
        for name in Format.columns where places[name] == nil && !Format.optionalColumns.contains(name) {
            throw CSVError(line: header.line, reason: .content("the column \"\(name)\" is missing"))
        }
        return places
    }
}

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
