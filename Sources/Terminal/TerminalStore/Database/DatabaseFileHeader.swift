/// The first 100 bytes of an SQLite database, read without SQLite, so that a file that must stay as it is
/// stays so. (sqlite.org/fileformat.html, section 1.3)
struct DatabaseFileHeader: Hashable {
    /// `PRAGMA user_version`: the schema's version as of the last checkpoint.
    let userVersion: Int64
    /// `PRAGMA application_id`.
    let applicationId: Int64

    /// - Returns: nil when the bytes are no header of SQLite.
    init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes.prefix(100))
        guard bytes.count == 100, bytes.starts(with: Array("SQLite format 3\0".utf8)) else { return nil }
        userVersion = Self.integer(in: bytes, at: 60)
        applicationId = Self.integer(in: bytes, at: 68)
    }

    private static func integer(in bytes: [UInt8], at offset: Int) -> Int64 {
        Int64(bytes[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }
}
