import Base

internal import Glibc

/// What ten other tills cost an idle one, beside one that sees nobody: wake-ups while the hub is there and
/// while it is not, and memory.
///
/// A wake-up is a voluntary context switch of any thread, with the default settings. Figure and yardstick
/// are of one time; the aims are of what the first has above the second.
struct IdleNeighbours: RowMeasure {
    private static let others = 10

    let seconds: Int

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("idle-neighbours", in: workshop, tills: 0)
        try shop.configureStore("neighbours.enabled=on")
        let places = try LoopbackPort.free(Self.others + 2)
        var tills: [ShopNeighbour] = []
        for (index, place) in places.enumerated() {
            // The last one is kept out of it.
            let greeted = index == places.count - 1 ? nil : Array(places.dropLast())
            tills.append(
                try ShopNeighbour(shop, home: shop.home(of: index), at: place, greeting: greeted))
        }
        for till in tills { _ = try till.start(["sync", "now"]).finish() }
        for till in tills { try till.startAgent() }
        let (watched, alone) = (tills[0], tills[tills.count - 1])
        try watched.wait(for: "ten tills") { () throws(BenchFailure) in
            try watched.reachable() == Self.others
        }
        let there = try extra(of: watched, beside: alone)
        let memory = try (
            ResidentMemory.bytes(of: watched.process), ResidentMemory.bytes(of: alone.process)
        )
        shop.stopHub()
        let away = try extra(of: watched, beside: alone)
        return [
            row("ten idle neighbours, wake-ups", there, aim: 4_000),
            row("the same without the hub", away, aim: 20_000),
            Row(
                name: "the same, memory", figure: memory.0 - memory.1, unit: .bytes,
                yardstick: ("a till that sees nobody", memory.1), aim: .atMost(4 * 1_048_576)),
        ]
    }

    private func row(_ name: String, _ wakeUps: (extra: Double, alone: Double), aim: Double) -> Row {
        Row(
            name: name, figure: wakeUps.extra, unit: .perHour,
            yardstick: ("a till that sees nobody", wakeUps.alone), aim: .atMost(aim))
    }

    /// Wake-ups an hour.
    private func extra(
        of till: ShopNeighbour, beside alone: ShopNeighbour
    ) throws(BenchFailure) -> (extra: Double, alone: Double) {
        // What a start or an outage leaves behind is over by then.
        sleep(20)
        let before = try (ProcessUse(till.process), ProcessUse(alone.process))
        sleep(UInt32(seconds))
        let used = try (
            ProcessUse(till.process).since(before.0).switches,
            ProcessUse(alone.process).since(before.1).switches
        )
        let hours = Double(seconds) / 3_600
        return (Double(used.0 - used.1) / hours, Double(used.1) / hours)
    }
}
