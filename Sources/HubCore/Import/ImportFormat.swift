/// What one kind of master data looks like in a file: a header line that names the columns, in any order, and
/// one record a line (cli.md, CSV columns).
///
/// A format is made anew for each file, so it may remember what earlier lines held.
public protocol ImportFormat {
    associatedtype Record: Hashable, Sendable

    /// The columns that the header line may name, each once.
    static var columns: [String] { get }
    /// Those of them that it may leave out; their fields count as empty then.
    static var optionalColumns: Set<String> { get }

    init()

    /// - Throws: ``CSVError`` for a field that breaks its rule, or one that an earlier line has already.
    mutating func record(of row: ImportRow) throws(CSVError) -> Record
}
