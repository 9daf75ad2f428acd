/// A complete file of master data, read.
package struct ImportContent<Record: Sendable>: Sendable {
    /// In the file's order, without those that it withdraws.
    package private(set) var records: [Record] = []
    /// The lines that they stand on.
    package private(set) var lines: [Int] = []
    /// The ids of the records that the file withdraws.
    package private(set) var withdrawn: [String] = []

    /// Reads all of `bytes`, or names its mistakes.
    ///
    /// - Parameter show: gets how much was read after each record, from 0 to 1.
    /// - Throws: ``ImportMistakes`` with the first ``ImportObjection/most`` of them; nothing is to be used
    ///   then.
    package init<Format: ImportFormat>(
        _ bytes: [UInt8], as format: Format.Type, show: (Double) -> Void = { _ in }
    ) throws(ImportMistakes) where Format.Record == Record {
        var mistakes: [CSVError] = []
        do throws(CSVError) {
            var reader = try ImportReader<Format>(bytes)
            while mistakes.count < ImportObjection.most {
                do throws(CSVError) {
                    guard let record = try reader.next() else { break }
                    records.append(record)
                    lines.append(reader.line)
                } catch {
                    mistakes.append(error)
                    // Behind a broken quotation the lines are no longer known.
                    guard case .content = error.reason else { break }
                }
                show(reader.progress)
            }
            withdrawn = reader.withdrawn
        } catch {
            mistakes = [error]
        }
        guard mistakes.isEmpty else { throw ImportMistakes(mistakes) }
    }
}

/// What is wrong with a file, line by line.
package struct ImportMistakes: Error, Sendable {
    /// At least one, in the file's order.
    package let mistakes: [CSVError]

    /// Makes it of at least one mistake.
    package init(_ mistakes: [CSVError]) {
        self.mistakes = mistakes
    }
}
