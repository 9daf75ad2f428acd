import HubProtocol
import Testing

@Suite("Figures for a collector")
struct MetricPageTests {
    @Test("Names in order, each with help and type, values with escaped labels")
    func text() {
        var page = MetricPage()
        page.declare("b_total", .counter, "Things.")
        page.declare("a_seconds", .gauge, "Waits.")
        page.add("a_seconds", 0.5, [("store", "S\"1\\\n")])
        page.add("a_seconds", 2)
        page.add("unknown", 1)
        #expect(
            page.text == """
                # HELP a_seconds Waits.
                # TYPE a_seconds gauge
                a_seconds{store="S\\"1\\\\\\n"} 0.5
                a_seconds 2
                # HELP b_total Things.
                # TYPE b_total counter

                """)
    }

    @Test("Behind 200 lines the values are summed up, and a label is shown in part and without controls")
    func others() {
        var page = MetricPage()
        page.declare("a", .gauge, "Things.")
        page.declare("h", .histogram, "Times.")
        for number in 0..<(MetricPage.mostKeys + 50) {
            let labels = [("version", "\(number)\u{202E}" + String(repeating: "v", count: 100_000))]
            page.add("a", 2, labels)
            page.add("h", labels, bounds: [1], counts: [1, 0], sum: 1)
        }
        page.add("a", 5, [("version", "0\u{202E}" + String(repeating: "v", count: 100_000))])
        let text = page.text
        #expect(text.utf8.count < 400_000)
        #expect(text.contains("\na{version=\"others\"} 100\n"))
        #expect(text.split(separator: "\n").count(where: { $0.hasPrefix("a{") }) == MetricPage.mostKeys + 2)
        #expect(text.contains("a{version=\"199\u{FFFD}vv") && !text.contains("\u{202E}"))
    }

    @Test("A histogram adds its counts up to the last bound, which is infinite")
    func histogram() {
        var page = MetricPage()
        page.declare("h", .histogram, "Times.")
        page.add("h", [("route", "r")], bounds: [0.1, 1], counts: [2, 3, 1], sum: 4.5)
        #expect(
            page.text == """
                # HELP h Times.
                # TYPE h histogram
                h_bucket{route="r",le="0.1"} 2
                h_bucket{route="r",le="1"} 5
                h_bucket{route="r",le="+Inf"} 6
                h_sum{route="r"} 4.5
                h_count{route="r"} 6

                """)
    }
}
