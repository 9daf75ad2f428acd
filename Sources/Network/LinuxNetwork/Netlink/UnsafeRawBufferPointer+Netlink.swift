internal import CLinux

/// Bounds-checked reading of the kernel's structures.
extension UnsafeRawBufferPointer {
    /// The fixed-size structure at the beginning; nil when the buffer is too short for it.
    func value<Value: BitwiseCopyable>(_ type: Value.Type) -> Value? {
        count >= MemoryLayout<Value>.size ? loadUnaligned(as: Value.self) : nil
    }

    /// The bytes after `offset`, empty when that is past the end.
    func from(_ offset: Int, upTo end: Int? = nil) -> UnsafeRawBufferPointer {
        let end = Swift.min(end ?? count, count)
        guard offset < end else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(rebasing: self[offset..<end])
    }

    /// Visits the attributes (struct rtattr) in the buffer.
    func forEachAttribute(_ body: (_ type: Int, _ value: UnsafeRawBufferPointer) -> Void) {
        var rest = self
        while let attribute = rest.value(rtattr.self) {
            let length = Int(attribute.rta_len)
            guard length >= MemoryLayout<rtattr>.size, length <= rest.count else { return }
            // The two upper bits are flags, not part of the type.
            body(Int(attribute.rta_type & 0x3FFF), rest.from(MemoryLayout<rtattr>.size, upTo: length))
            rest = rest.from(length.paddedToFour)
        }
    }

    /// A C string.
    var text: String { String(decoding: prefix { $0 != 0 }, as: UTF8.self) }
}
