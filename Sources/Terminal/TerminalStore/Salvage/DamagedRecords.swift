/// One value of a row.
enum SalvagedValue: Hashable {
    case null
    case integer(Int64)
    /// The eight bytes of a floating-point number; no table of ours has any.
    case real
    case text(String)
    /// Also a text that is no UTF-8.
    case blob([UInt8])

    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    var integer: Int64? {
        guard case .integer(let number) = self else { return nil }
        return number
    }
}

/// One row as stored in a page.
struct SalvagedRecord {
    /// Nil in a table without row ids, and in an index.
    let rowId: Int64?
    let values: [SalvagedValue]
}

/// Reads the rows of each page separately: no page has to be reachable from another.
/// (sqlite.org/fileformat.html, sections 1.6 and 2.1)
struct DamagedRecords {
    let pages: DamagedPages
    let view: DamagedPages.View

    /// The kinds of pages that contain rows, by their first byte.
    private enum Kind: UInt8 {
        case interiorIndex = 2
        case interiorTable = 5
        case leafIndex = 10
        case leafTable = 13
    }

    /// - Returns: the rows of the page, and whether some of it breaks SQLite's format. An overflow page,
    ///   which continues the row of another, counts as such too.
    func records(of number: Int) -> (records: [SalvagedRecord], isDamaged: Bool) {
        guard let page = pages.page(number, in: view) else { return ([], true) }
        // The first page begins with the header of the file.
        let top = page.startIndex + (number == 1 ? 100 : 0)
        guard let kind = Kind(rawValue: page[top]) else { return ([], true) }
        if kind == .interiorTable { return ([], false) }
        let count = Int(page[top + 3]) << 8 | Int(page[top + 4])
        let pointers = top + (kind == .interiorIndex ? 12 : 8)
        guard pointers + 2 * count <= page.endIndex else { return ([], true) }
        var records: [SalvagedRecord] = []
        for place in 0..<count {
            let pointer = pointers + 2 * place
            let offset = Int(page[pointer]) << 8 | Int(page[pointer + 1])
            guard offset < page.count else { continue }
            let start = page.startIndex + offset + (kind == .interiorIndex ? 4 : 0)
            if let record = cell(in: page, at: start, hasRowId: kind == .leafTable) { records.append(record) }
        }
        return (records, records.count < count)
    }

    /// The row of which a cell begins at `start`; nil for what cannot be one.
    func cell(in page: ArraySlice<UInt8>, at start: Int, hasRowId: Bool) -> SalvagedRecord? {
        var reader = VarintReader(bytes: page, position: start)
        guard let size = reader.next(), size >= 2, size <= Self.largest else { return nil }
        var rowId: Int64?
        if hasRowId {
            guard let id = reader.next() else { return nil }
            rowId = Int64(bitPattern: id)
        }
        guard
            let payload = payload(
                in: page, at: reader.position, size: Int(size), isTable: hasRowId),
            let values = Self.values(of: payload)
        else { return nil }
        return SalvagedRecord(rowId: rowId, values: values)
    }

    /// No row of ours is larger: an entry is bounded by what the hub accepts, 1 MiB.
    private static let largest: UInt64 = 16 << 20

    /// The bytes of a row, those on overflow pages included.
    private func payload(
        in page: ArraySlice<UInt8>, at start: Int, size: Int, isTable: Bool
    ) -> [UInt8]? {
        let usable = pages.pageBytes
        let most = isTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
        let least = (usable - 12) * 32 / 255 - 23
        let spread = least + (size - least) % (usable - 4)
        let local = size <= most ? size : spread <= most ? spread : least
        guard start + local <= page.endIndex else { return nil }
        var bytes = Array(page[start..<start + local])
        guard size > local else { return bytes }
        guard start + local + 4 <= page.endIndex else { return nil }
        var next = Self.pageNumber(page, start + local)
        while bytes.count < size {
            guard next > 0, let overflow = pages.page(next, in: view) else { return nil }
            let count = min(size - bytes.count, usable - 4)
            bytes += overflow[overflow.startIndex + 4..<overflow.startIndex + 4 + count]
            next = Self.pageNumber(overflow, overflow.startIndex)
        }
        return bytes
    }

    private static func pageNumber(_ bytes: ArraySlice<UInt8>, _ offset: Int) -> Int {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func values(of payload: [UInt8]) -> [SalvagedValue]? {
        var header = VarintReader(bytes: payload[...], position: 0)
        guard let length = header.next(), length <= payload.count else { return nil }
        var position = Int(length)
        var values: [SalvagedValue] = []
        while header.position < Int(length) {
            guard let type = header.next(), header.position <= Int(length),
                let (value, size) = value(of: type, in: payload, at: position)
            else { return nil }
            values.append(value)
            position += size
        }
        return position == payload.count ? values : nil
    }

    private static func value(
        of type: UInt64, in payload: [UInt8], at position: Int
    ) -> (SalvagedValue, Int)? {
        let size: Int
        switch type {
        case 0, 8, 9: size = 0
        case 1...4: size = Int(type)
        case 5: size = 6
        case 6, 7: size = 8
        case 10, 11: return nil
        default: size = Int(clamping: (type - 12) / 2)
        }
        guard size <= payload.count - position else { return nil }
        let bytes = payload[position..<position + size]
        switch type {
        case 0: return (.null, 0)
        case 7: return (.real, size)
        case 8, 9: return (.integer(Int64(type) - 8), 0)
        case 1...6:
            let isNegative = (bytes.first ?? 0) & 0x80 != 0
            let bits = bytes.reduce(isNegative ? UInt64.max : 0) { $0 << 8 | UInt64($1) }
            return (.integer(Int64(bitPattern: bits)), size)
        default:
            guard type % 2 == 1, let text = String(validating: bytes, as: UTF8.self) else {
                return (.blob(Array(bytes)), size)
            }
            return (.text(text), size)
        }
    }
}

/// Reads numbers of one to nine bytes, seven bits in each but the last. (section 1.6)
struct VarintReader {
    let bytes: ArraySlice<UInt8>
    var position: Int

    mutating func next() -> UInt64? {
        var value: UInt64 = 0
        for count in 0..<9 {
            guard bytes.indices.contains(position) else { return nil }
            let byte = bytes[position]
            position += 1
            if count == 8 { return value << 8 | UInt64(byte) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }
}
