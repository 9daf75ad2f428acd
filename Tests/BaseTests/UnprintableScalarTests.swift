import Base
import Testing

@Suite("Unprintable characters")
struct UnprintableScalarTests {
    @Test("the numbers are those of Unicode's properties, over all characters")
    func properties() {
        for value in 0...UInt32(0x10FFFF) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let category = scalar.properties.generalCategory
            let expected =
                [.control, .lineSeparator, .paragraphSeparator].contains(category)
                || scalar.properties.isBidiControl || value == 0xFEFF || (0xFFF9...0xFFFB).contains(value)
                || (0xE0000...0xE007F).contains(value)
            if scalar.isUnprintable != expected {
                Issue.record("U+\(String(value, radix: 16)) is unprintable: \(scalar.isUnprintable)")
            }
        }
    }
}
