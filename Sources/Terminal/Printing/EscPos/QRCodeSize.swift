/// How a QR code is printed so that it fits the paper and a phone reads it.
///
/// A text of bytes has the versions and capacities of ISO/IEC 18004, table 7; version V has 17 + 4 V modules
/// a side, and 4 modules on each side stay white. Level M (15 % of the code may be lost) is taken where its
/// modules have 4 dots (0.5 mm); a longer text gets level L with the largest modules that fit.
struct QRCodeSize: Hashable {
    enum Level: Hashable {
        case low
        case medium
    }

    let level: Level
    let dotsPerModule: UInt8

    /// Nil when no code of at least ``leastDots`` a module holds `bytes` bytes on paper of `dots` dots.
    init?(bytes: Int, dots: Int) {
        let medium = Self.dotsPerModule(bytes, Self.mediumCapacities, dots)
        let low = Self.dotsPerModule(bytes, Self.lowCapacities, dots)
        if let medium, medium >= Self.comfortableDots {
            (level, dotsPerModule) = (.medium, UInt8(medium))
        } else if let low {
            (level, dotsPerModule) = (.low, UInt8(low))
        } else {
            return nil
        }
    }

    private static func dotsPerModule(_ bytes: Int, _ capacities: [Int], _ dots: Int) -> Int? {
        guard bytes > 0, let index = capacities.firstIndex(where: { $0 >= bytes }) else { return nil }
        let modules = 17 + 4 * (index + 1) + 2 * quietModules
        let fitting = min(largestDots, dots / modules)
        return fitting >= leastDots ? fitting : nil
    }

    private static let quietModules = 4
    /// 0.25 mm. Halved, the ink of neighbours runs together; doubled, a code of 1,200 bytes would not fit.
    private static let leastDots = 2
    /// 0.5 mm, what cheap cameras read at arm's length.
    private static let comfortableDots = 4
    /// 0.75 mm. A short code needs no more; doubled, it would take a third of the receipt.
    private static let largestDots = 6

    private static let lowCapacities = [
        17, 32, 53, 78, 106, 134, 154, 192, 230, 271, 321, 367, 425, 458, 520, 586, 644, 718, 792, 858, 929,
        1003, 1091, 1171, 1273, 1367, 1465, 1528, 1628, 1732, 1840, 1952, 2068, 2188, 2303, 2431, 2563, 2699,
        2809, 2953,
    ]
    private static let mediumCapacities = [
        14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666, 711,
        779, 857, 911, 997, 1059, 1125, 1190, 1264, 1370, 1452, 1538, 1628, 1722, 1809, 1911, 1989, 2099,
        2213,
        2331,
    ]
}
