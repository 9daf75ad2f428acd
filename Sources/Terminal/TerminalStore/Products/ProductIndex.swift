internal import CLinux
internal import Foundation

/// The articles of a catalogue as one text to search in.
///
/// Each article is one line: SKU, barcodes, name, in lower case and without accents. SQLite's trigram index
/// finds no text of one or two characters, of which Chinese words are made. `memmem` reads the lines of
/// 100,000 articles in 0.6 to 4 ms (99 of 100 searches, release build), most where every line matches.
///
/// Lines are in the order of names, so that the first matches are the ones to return.
struct ProductIndex: Sendable {
    /// An article as the index needs it.
    struct Entry {
        let sku: String
        let barcode: String
        let name: String
        var furtherBarcodes: [String] = []
    }

    /// Stands between the fields of a line; no field contains it, see ``field(_:)``.
    private static let separator: UInt8 = 0x1F
    private static let newline: UInt8 = 0x0A

    /// Lines of `sku`, `barcode` and `name`, each field with a separator before it and behind it.
    private let text: [UInt8]
    /// Where each line starts in ``text``.
    private let starts: [Int32]
    /// The SKUs as the catalogue has them, by line.
    private let skus: [String]

    init(_ entries: [Entry]) {
        var keyed = entries.map { (name: $0.name.lowercased(), entry: $0) }
        keyed.sort { ($0.name, $0.entry.sku) < ($1.name, $1.entry.sku) }
        var text: [UInt8] = []
        text.reserveCapacity(keyed.reduce(0) { $0 + $1.name.utf8.count + $1.entry.sku.utf8.count + 24 })
        var starts: [Int32] = []
        starts.reserveCapacity(keyed.count)
        for (name, entry) in keyed {
            starts.append(Int32(clamping: text.count))
            text.append(Self.separator)
            for field in [entry.sku, entry.barcode] + entry.furtherBarcodes + [name] {
                text.append(contentsOf: Self.field(field))
                text.append(Self.separator)
            }
            text.append(Self.newline)
        }
        self.text = text
        self.starts = starts
        skus = keyed.map(\.entry.sku)
    }

    /// The SKUs of at most `limit` articles that contain `wanted`, the best first, then of those that contain
    /// each of its words somewhere.
    func skus(matching wanted: String, limit: Int) -> [String] {
        let needle = Self.field(wanted)
        guard !needle.isEmpty else { return [] }
        var exact: [Int] = []
        var leading: [Int] = []
        var others: [Int] = []
        for (line, place) in matches(of: needle) {
            switch rank(of: place, needle.count, in: line) {
            case .exact: exact.append(line)
            case .leading: leading.append(line)
            case .other: if others.count < limit { others.append(line) }
            }
        }
        let together = exact + leading + others
        let rest = together.count < limit ? linesOfAllWords(in: needle).filter { !together.contains($0) } : []
        return (together + rest).prefix(limit).map { skus[$0] }
    }

    /// The lines that contain each word of `needle`; none for a single word.
    private func linesOfAllWords(in needle: [UInt8]) -> [Int] {
        let words = needle.split(separator: UInt8(ascii: " ")).map(Array.init)
        // The longest is in the fewest lines.
        guard words.count > 1, let longest = words.max(by: { $0.count < $1.count }) else { return [] }
        return matches(of: longest).map(\.line).filter { line in
            let end = line + 1 < starts.count ? Int(starts[line + 1]) : text.count
            return text.withUnsafeBytes { all in
                let bytes = UnsafeRawBufferPointer(rebasing: all[Int(starts[line])..<end])
                return words.allSatisfy { memmem(bytes.baseAddress, bytes.count, $0, $0.count) != nil }
            }
        }
    }

    private enum Rank { case exact, leading, other }

    /// How well the match at `place` fits. The first match of a line decides, and its SKU and barcode stand
    /// before its name.
    private func rank(of place: Int, _ count: Int, in line: Int) -> Rank {
        let startsField = text[place - 1] == Self.separator
        let endsField = text[place + count] == Self.separator
        let end = text[place...].firstIndex(of: Self.newline) ?? text.endIndex
        // The name is the last field of its line.
        let isName = text[place..<end].count(where: { $0 == Self.separator }) == 1
        switch (isName, startsField, endsField) {
        case (false, true, true): return .exact
        case (true, true, true), (true, true, false): return .leading
        case (false, true, false), (false, false, true), (false, false, false): return .other
        case (true, false, true), (true, false, false): return .other
        }
    }

    /// Each line that contains `needle`, with the place of its first match.
    private func matches(of needle: [UInt8]) -> [(line: Int, place: Int)] {
        var found: [(line: Int, place: Int)] = []
        text.withUnsafeBytes { haystack in
            guard let base = haystack.baseAddress else { return }
            var (first, from) = (0, 0)
            while let match = memmem(base + from, haystack.count - from, needle, needle.count) {
                let place = UnsafeRawPointer(match) - base
                let line = self.line(at: place, from: first)
                found.append((line, place))
                // The next line: one match of a line is enough.
                guard line + 1 < starts.count else { return }
                first = line + 1
                from = Int(starts[first])
            }
        }
        return found
    }

    /// The line that contains `place`, at or behind `first`: binary search, unless it is the first.
    private func line(at place: Int, from first: Int) -> Int {
        if first + 1 == starts.count || place < Int(starts[first + 1]) { return first }
        var (low, high) = (first, starts.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if Int(starts[middle]) <= place { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// The bytes of a field in lower case, without the two that structure the text. Accents are left out: a
    /// name from another system has them as marks of their own, and a cashier types none.
    private static func field(_ text: String) -> [UInt8] {
        let folded =
            text.utf8.allSatisfy { $0 < 0x80 }
            ? text.lowercased()
            : String(
                String.UnicodeScalarView(
                    text.lowercased().decomposedStringWithCanonicalMapping.unicodeScalars.filter {
                        !accents.contains($0.value)
                    }))
        return folded.utf8.filter { $0 != separator && $0 != newline }
    }

    /// Combining Diacritical Marks of Latin, Greek and Cyrillic; those of Japanese make other letters.
    private static let accents: ClosedRange<UInt32> = 0x300...0x36F
}
