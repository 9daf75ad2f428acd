/// Writes values in D-Bus's marshalling, little endian (D-Bus Specification 0.43, "Marshaling").
struct DBusWriter {
    private(set) var bytes: [UInt8] = []

    mutating func align(to size: Int) {
        while bytes.count % size != 0 { bytes.append(0) }
    }

    mutating func put(byte: UInt8) { bytes.append(byte) }

    mutating func put(_ value: UInt32) {
        align(to: 4)
        withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }

    mutating func put(string: String) {
        put(UInt32(string.utf8.count))
        bytes += string.utf8
        bytes.append(0)
    }

    mutating func put(signature: String) {
        bytes.append(UInt8(signature.utf8.count))
        bytes += signature.utf8
        bytes.append(0)
    }

    /// An array of which `fill` writes the elements, each aligned to `alignment`.
    mutating func put(arrayAlignedTo alignment: Int, fill: (inout DBusWriter) -> Void) {
        put(0)
        let length = bytes.count - 4
        align(to: alignment)
        let start = bytes.count
        fill(&self)
        let count = UInt32(bytes.count - start)
        withUnsafeBytes(of: count.littleEndian) { bytes.replaceSubrange(length..<length + 4, with: $0) }
    }
}
