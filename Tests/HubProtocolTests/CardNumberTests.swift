import HubProtocol
import Testing

@Suite("Card numbers")
struct CardNumberTests {
    @Test(
        "are found in groups, beside dates and check values, and within longer numbers",
        arguments: [
            "4111111111111111", "4111 1111 1111 1111", "4111-1111-1111-1111", "4111.1111.1111.1111",
            "4111/1111/1111/1111", "4111 - 1111 - 1111 - 1111", "4111\u{2013}1111\u{2013}1111\u{2013}1111",
            "4111\u{A0}1111\u{3000}1111\t1111", "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "４１１１１１１１１１１１１１１１",
            "4111111111111111 12/27", "4111111111111111 2027-12-31", "4111 1111 1111 1111 1227",
            "12 4111111111111111", "123 4111 1111 1111 1111 12", "41111111111111111227123",
            "card 4111111111111111, please", "%B4111111111111111^NAME/TEST^2712", ";4111111111111111=27121?",
            "4222222222222", "378282246310005", "3782 822463 10005", "30569309025904", "6304000000000000000",
            "2026-11-24 4111111111111111", "20261124 4111111111111111 20271231",
        ])
    func found(_ text: String) {
        #expect(CardNumber.isLike(text))
    }

    @Test(
        "are not found in other texts of a shop",
        arguments: [
            "", "cash", "4111111111111112", "411111111111", "0000000000000000", "4006381333931",
            "S1-1-20261124-0001", "S1-12-20261124-0117", "north-7-3-20261124-00042",
            "2026-11-24 12:30:45", "2026-11-24 12-30-45.png", "20261124-123045", "138 0013 8000",
            "01K1Z5T9W0ABCDEFGHJKMNPQRS", "a1b2c3d4e5f6a7b8", "10.00 + 12.50 + 13.75", "1/2/3",
        ])
    func absent(_ text: String) {
        #expect(!CardNumber.isLike(text))
    }

    @Test("of an order number no day, till and counter makes one")
    func orderNumbers() {
        for day in 1...28 {
            for counter in 1...40 {
                let date = 20_261_100 + day
                let text = "S1-\(day)-\(date)-" + (counter < 10 ? "000\(counter)" : "00\(counter)")
                #expect(!CardNumber.isLike(text), "\(text)")
            }
        }
    }

    @Test("as integers count like texts")
    func integers() {
        #expect(CardNumber.isLike(4_111_111_111_111_111) && CardNumber.isLike(-4_111_111_111_111_111))
        for number in [0, 1_250, 999_999_999_999, .max, .min] as [Int64] {
            #expect(!CardNumber.isLike(number))
        }
    }

    @Test("are masked but for four digits; articles' EANs and telephone numbers are known by their form")
    func forms() {
        #expect(CardNumber.masked("4111 1111 1111 1234 1111") == "4111 1111 1111 1234 1111")
        #expect(CardNumber.masked("4111-1111-1111-1111") == "…1111")
        #expect(CardNumber.masked("6901234567892") == "6901234567892")
        #expect(CardNumber.isEAN("6901234567892") && !CardNumber.isEAN("4222222222222"))
        for text in ["+86 138-0013-8000", "0086 13800138000", "+44 (0)20 7946 0958", "86 13800138000"] {
            #expect(CardNumber.isTelephone(text), "\(text)")
        }
        for text in ["4111111111111111", "4222222222222", "+4111111111111111", "378282246310005", "a138"] {
            #expect(!CardNumber.isTelephone(text), "\(text)")
        }
    }
}
