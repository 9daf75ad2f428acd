import Base
import CVirtualTime
import Foundation

/// What a power cut leaves of files: what no sync has made durable may be there, in part, in whatever order,
/// or not at all.
struct PowerCut {
    /// Which of the writes since a file's last sync are on the disk.
    enum Kept: CaseIterable {
        case none
        /// The first ones, and of the next one a part.
        case first
        case some
        /// Of each write some sectors.
        case parts
    }

    private let kept: Kept
    private var draw: SplitMix64
    /// Writes that are gone, at least in part.
    private(set) var lost = 0

    /// - Parameter kept: nil: drawn.
    init(_ seed: UInt64, _ kept: Kept? = nil) {
        draw = SplitMix64(seed: seed)
        let drawn = Kept.allCases[Int(draw.below(UInt64(Kept.allCases.count)))]
        self.kept = kept ?? drawn
    }

    /// What is left of the file at `path`.
    ///
    /// - Parameter bytes: what it has now.
    mutating func leaves(of path: String, _ bytes: Data) -> Data {
        let writes = Self.unsynced(path)
        guard !writes.isEmpty else { return bytes }
        // Its own indices begin at zero, whatever those of `bytes` do.
        var file = Data(bytes)
        for write in writes.reversed() { write.undo(in: &file) }
        let last = Int(draw.below(UInt64(writes.count + 1)))
        for (place, write) in writes.enumerated() {
            let isKept: Bool
            switch kept {
            case .none: isKept = false
            case .first: isKept = place < last
            case .some, .parts: isKept = draw.below(2) == 0
            }
            let isTorn = kept == .parts || kept == .first && place == last
            if !isKept || isTorn { lost += 1 }
            if isTorn, !write.isEnd {
                for part in write.sectors where draw.below(2) == 0 { write.redo(part, in: &file) }
            } else if isKept {
                write.redo(0..<write.bytes.count, in: &file)
            }
        }
        return file
    }

    private static func unsynced(_ path: String) -> [Write] {
        let count = virtual_time_unsynced(path, nil, 0)
        guard count > 0 else { return [] }
        var writes = [virtual_time_write](repeating: virtual_time_write(), count: count)
        _ = virtual_time_unsynced(path, &writes, count)
        return writes.map(Write.init)
    }

    /// One write, or the cutting off of a file's end.
    private struct Write {
        let offset: Int
        let sizeBefore: Int
        let before: Data
        let bytes: Data
        let isEnd: Bool

        init(_ write: virtual_time_write) {
            (offset, sizeBefore, isEnd) = (Int(write.offset), Int(write.size_before), write.is_end != 0)
            before = Data(bytes: write.before, count: write.before_count)
            bytes = Data(bytes: write.bytes, count: write.count)
        }

        /// Parts of it by the disk's sectors.
        var sectors: [Range<Int>] {
            let size = 512
            var (parts, begin) = ([Range<Int>](), 0)
            while begin < bytes.count {
                let end = min(bytes.count, begin + size - (offset + begin) % size)
                parts.append(begin..<end)
                begin = end
            }
            return parts
        }

        func undo(in file: inout Data) {
            resize(&file, to: max(file.count, offset + before.count))
            file.replaceSubrange(offset..<offset + before.count, with: before)
            resize(&file, to: sizeBefore)
        }

        func redo(_ part: Range<Int>, in file: inout Data) {
            guard !isEnd else { return resize(&file, to: min(file.count, offset)) }
            let place = offset + part.lowerBound..<offset + part.upperBound
            resize(&file, to: max(file.count, place.upperBound))
            file.replaceSubrange(place, with: bytes[part])
        }

        private func resize(_ file: inout Data, to size: Int) {
            if file.count > size { file.removeSubrange(size...) }
            if file.count < size { file.append(Data(count: size - file.count)) }
        }
    }
}
