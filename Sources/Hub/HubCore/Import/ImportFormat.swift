/// What one kind of master data looks like in a file: a header line that names the columns, in any order, and
/// one record a line (cli-hub.md, "Files to import").
///
/// A format is made anew for each file, so it may remember what earlier lines held.
package protocol ImportFormat {
    associatedtype Record: Hashable, Sendable

    /// The column of a record's id, by which a file withdraws it.
    static var idColumn: String { get }
    /// Whether a record may be for one store alone, by the column ``ImportColumn/storeId``.
    static var hasStores: Bool { get }
    /// The columns that the header line may name, each once, beside ``ImportColumn/withdrawn`` and
    /// ``ImportColumn/storeId``, which every file may have.
    static var columns: [String] { get }
    /// Those of them that it may leave out; their fields count as empty then.
    static var optionalColumns: Set<String> { get }

    init()

    /// The id of the record that a line withdraws; by default what ``idColumn`` has.
    static func withdrawnId(of row: ImportRow) throws(CSVError) -> String

    /// - Throws: ``CSVError`` for a field that breaks its rule, or one that an earlier line has already.
    mutating func record(of row: ImportRow) throws(CSVError) -> Record

    /// A check of the complete file, made once after its last record.
    ///
    /// - Throws: ``CSVError``; nothing of the file is to be used then.
    func conclude() throws(CSVError)
}

extension ImportFormat {
    /// By default false: records are for every store.
    package static var hasStores: Bool { false }
    /// By default the text of ``idColumn``, which may be as long as earlier versions imported it.
    package static func withdrawnId(of row: ImportRow) throws(CSVError) -> String {
        try row.text(idColumn, upTo: 512)
    }
    /// By default there is nothing to check beyond single records.
    package func conclude() throws(CSVError) {}
}

/// The columns of every kind of file.
package enum ImportColumn {
    /// `true`: the record of this id is taken from every terminal; its other fields do not count.
    package static let withdrawn = "withdrawn"
    /// The one store that a record is for; empty: every store. Some kinds of records have no stores.
    package static let storeId = "store_id"
}
