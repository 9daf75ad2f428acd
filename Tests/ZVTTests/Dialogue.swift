import ZVT

/// A payment of 23.47 EUR as both sides send it, and what a machine sends in other cases.
enum Dialogue {
    static let password = ZVTPassword("000000")

    static let registered = bytes("06 0F 0A 19 00 29 52 00 00 17 49 09 78")
    static let insertCard = bytes("04 FF 02 0A 01")
    static let status = bytes(
        """
        04 0F 48 27 00 04 00 00 00 00 23 47 0B 00 03 18 0C 14 05 32 0D 11 25 29 52 00 00 17 49 09 78 87 01 42
        3B 37 37 31 32 30 34 00 00 8A 06 8B F1 F1 4D 41 53 54 45 52 43 41 52 44 00 06 0E 2F 0C 1F 10 01 00 1F
        11 01 01 1F 12 01 02
        """)
    static let receiptBlock = bytes(
        """
        06 D3 25 06 23 1F 07 01 02 25 1D 07 0D 48 4F 4C 44 46 41 53 54 20 54 45 53 54 07 09 45 55 52 20 32 33
        2C 34 37 09 01 81
        """)
    static let completed = bytes("06 0F 00")

    /// All that the machine sends in the payment, in its order.
    static let machine =
        bytes("80 00 00") + registered + bytes("80 00 00") + insertCard + status + receiptBlock + completed

    static func bytes(_ hex: String) -> [UInt8] {
        hex.split { $0 == " " || $0 == "\n" }.compactMap { UInt8($0, radix: 16) }
    }

    /// The messages of `bytes` that arrive at once.
    static func messages(_ bytes: [UInt8]) throws -> [ZVTMessage] {
        var framing = ZVTFraming()
        return try framing.packets(after: bytes).map { ZVTMessage($0) }
    }
}
