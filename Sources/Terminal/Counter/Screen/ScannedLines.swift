package import HubProtocol

/// What a scan does to the lines of a cart, on the screen and in the line dialogue.
package enum ScannedLines {
    /// Adds what was scanned. With `joining` (`checkout.equalScans`) the newest line of the same code counts
    /// up by it; without one, or with a price or a discount by hand on it, the scan is a line of its own, and
    /// so are goods by weight or a department.
    ///
    /// - Returns: the place of the line that it is in.
    package static func add(
        _ line: EnteredLine, to lines: inout [EnteredLine], joining: Bool
    ) -> Int {
        guard joining, line.isPlain,
            let place = lines.lastIndex(where: { $0.barcode == line.barcode && $0.isPlain })
        else {
            lines.append(line)
            return lines.count - 1
        }
        lines[place].quantityMilli = (lines[place].quantityMilli ?? 1000) + (line.quantityMilli ?? 1000)
        return place
    }
}

/// How a code is shown that no article has.
package enum UnknownCode {
    /// - Parameter hasPINs: the store has cashiers, so that digits may be a PIN.
    package static func shown(_ code: String, hasPINs: Bool) -> String {
        hasPINs && mayBePIN(code) ? hidden : CardNumber.masked(code)
    }

    /// In the place of digits, however many they are.
    package static let hidden = "••••"

    /// Digits that are too few for an article's code may be a PIN that was entered into the wrong field:
    /// GTINs have at least 8, PINs usually 4 to 6.
    package static func mayBePIN(_ code: String) -> Bool {
        (4...7).contains(code.count) && code.allSatisfy(\.isNumber)
    }
}

extension EnteredLine {
    /// Whether it is pieces of an article as it was scanned.
    fileprivate var isPlain: Bool {
        unitPriceMinor == nil && discountMinor == nil && department == nil
            && (quantityMilli ?? 1000) % 1000 == 0
    }
}
