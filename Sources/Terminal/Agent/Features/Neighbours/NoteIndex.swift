internal import Glibc
internal import HubProtocol

/// Where notes begin in the file of a list, so that a page of it is read without what lies before: a mark for
/// each 64 KiB. What was appended since the last look is looked at with the next one, and nothing twice.
struct NoteIndex {
    private var marks: [(number: Int64, offset: Int)] = []
    /// Up to where the file was looked at, behind a whole line.
    private var end = 0

    /// Looks at what the file has behind the last look.
    ///
    /// - Parameter number: a note's, from its line; 0: it is none.
    /// - Returns: how many bytes were read.
    mutating func extend(from path: String, number: (ArraySlice<UInt8>) -> Int64) -> Int {
        NoteLines.read(path, from: end) { line in
            guard line.isWhole else { return false }
            let isFar = marks.last.map { line.offset - $0.offset >= NeighbourLimits.documentBytes } ?? true
            let first = isFar ? number(line.bytes) : 0
            if first > 0 { marks.append((first, line.offset)) }
            end = line.offset + line.bytes.count + 1
            return true
        }
    }

    /// Whether no note was found: nobody keeps an index of a list that is not there.
    var isEmpty: Bool { marks.isEmpty }

    /// Where its parts begin.
    var places: [Int] { marks.map(\.offset) }

    /// A place that no note behind `number` lies before.
    func place(after number: Int64) -> Int { marks.prefix { $0.number <= number }.last?.offset ?? 0 }
}

/// A file of lines, read from any place: of a file of any size some kilobytes are in memory at a time.
enum NoteLines {
    struct Line {
        let bytes: ArraySlice<UInt8>
        /// In the file.
        let offset: Int
        /// Its end was written.
        let isWhole: Bool
    }

    /// What is read at a time, in bytes: some ten notes of usual size.
    private static let part = 16 << 10

    /// - Parameter take: returns whether to read on.
    /// - Returns: how many bytes were read; of a file that cannot be read 0.
    static func read(_ path: String, from start: Int, _ take: (Line) -> Bool) -> Int {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        var (begun, offset, count) = ([UInt8](), start, 0)
        var part = [UInt8](repeating: 0, count: Self.part)
        while true {
            let got = pread(descriptor, &part, part.count, off_t(start + count))
            if got < 0 && errno == EINTR { continue }
            guard got > 0 else { break }
            count += got
            var rest = part[..<got]
            while let end = rest.firstIndex(of: 0x0A) {
                let bytes = begun.isEmpty ? rest[..<end] : (begun + rest[..<end])[...]
                guard take(Line(bytes: bytes, offset: offset, isWhole: true)) else { return count }
                offset += bytes.count + 1
                (begun, rest) = ([], rest[(end + 1)...])
            }
            begun += rest
        }
        if !begun.isEmpty { _ = take(Line(bytes: begun[...], offset: offset, isWhole: false)) }
        return count
    }
}
