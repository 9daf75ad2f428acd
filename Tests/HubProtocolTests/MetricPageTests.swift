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
