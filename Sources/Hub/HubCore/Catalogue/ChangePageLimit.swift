/// Where a page of the change feed ends besides its number of rows: so that no row, however it came into the
/// feed, makes a page that a terminal cannot read, and no request makes the hub hold more than this.
public enum ChangePageLimit {
    /// 2 MiB, an eighth of what terminals read at once (16 MiB). Half of it makes a new terminal request
    /// twice as often; twice as much lets 1,000 requests at once hold 4 GiB.
    public static let bytes: Int64 = 2 << 20

    /// The bytes of a row besides its texts: the names of its members, version, times and position.
    public static let rowOverhead: Int64 = 256

    /// Whether a row still belongs to a page: one row does, whatever its size.
    ///
    /// - Parameters:
    ///   - before: the bytes of the rows before it.
    ///   - bytes: its own.
    public static func takes(_ bytes: Int64, behind before: Int64) -> Bool {
        before == 0 || before + bytes <= Self.bytes
    }
}
