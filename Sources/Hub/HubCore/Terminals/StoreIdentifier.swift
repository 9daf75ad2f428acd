/// The id of a store: what stands first in its order numbers.
public enum StoreIdentifier {
    /// Whether `text` can be a store's id: 1 to 32 ASCII letters, digits, hyphens or
    /// underscores. (A dot separates the parts of a token.)
    public static func isValid(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
            }
    }
}
