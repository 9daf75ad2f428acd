import Pricing
import Testing

@Suite("Amounts as people read them")
struct AmountTextTests {
    @Test(
        "have the decimals of their currency",
        arguments: [
            (1250, "CNY", "12.50"), (1250, "JPY", "1250"), (1250, "KWD", "1.250"), (5, "EUR", "0.05"),
            (-5, "EUR", "-0.05"), (0, "TND", "0.000"), (-1250, "KRW", "-1250"), (7, "CLF", "0.0007"),
            (1250, "", "12.50"), (Int64.min, "USD", "-92233720368547758.08"),
        ])
    func text(amount: Int64, currency: String, text: String) {
        #expect(AmountText.text(amount, currency: currency) == text)
    }

    @Test(
        "quantities show no thousandths that are none",
        arguments: [(1000, "1"), (1250, "1.25"), (-357, "-0.357")])
    func quantity(milli: Int64, text: String) {
        #expect(QuantityText.text(milli: milli) == text)
    }
}
