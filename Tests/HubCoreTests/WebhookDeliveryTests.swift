import Base
import HubCore
import Testing

@Suite("The delivery to one receiver of the journal feed")
struct WebhookDeliveryTests {
    private static let hour: Int64 = 3_600_000
    private static let start: Int64 = 1_790_000_000_000

    private func place(_ number: Int64) -> JournalCursor { JournalCursor(life: "L1", number: number) }

    @Test(
        "A receiver that is down for a day is tried at most hourly, alarms hourly after an hour, and loses nothing"
    )
    func down() throws {
        var delivery = WebhookDelivery(from: place(7))
        var now = Self.start
        var waits: [Int64] = []
        var alarms: [Int64] = []
        while now < Self.start + 24 * Self.hour {
            #expect(delivery.isDue(at: now))
            if !delivery.handle(.failed(problem: "down", jitter: 0.999), at: now).isEmpty {
                alarms.append(now - Self.start)
            }
            let next = try #require(delivery.nextTry)
            #expect(!delivery.isDue(at: next - 1))
            waits.append(next - now)
            now = next
        }
        #expect(delivery.through == place(7) && delivery.failingSince == Self.start)
        #expect(waits.first.map { (2_500...5_000).contains($0) } == true)
        #expect(
            waits.allSatisfy { $0 <= Self.hour }
                && zip(waits, waits.dropFirst()).filter { $0 > $1 }.count <= 1)
        #expect(waits.count < 40)
        #expect(alarms.first == Self.hour && (20...25).contains(alarms.count))
        #expect(delivery.handle(.delivered(through: place(9)), at: now) == [])
        #expect(delivery.through == place(9) && delivery.failures == 0 && delivery.problem == nil)
        #expect(delivery.isDue(at: now) && delivery.deliveredAt == now)
    }

    @Test(
        "Random timelines: a failure never moves the place, and the wait lies between a half and all of the doubled one",
        arguments: [1, 2, 3] as [UInt64])
    func timelines(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var delivery = WebhookDelivery(from: place(0))
        var (now, number, failures) = (Self.start, Int64(0), Int64(0))
        for _ in 0..<2_000 {
            now += Int64.random(in: -10_000...Self.hour, using: &random)
            let before = delivery
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                number += 1
                _ = delivery.handle(.delivered(through: place(number)), at: now)
                failures = 0
            case 1:
                number += 1
                _ = delivery.handle(.passedOver(through: place(number)), at: now)
                #expect(delivery.failures == before.failures && delivery.nextTry == before.nextTry)
            case 2 where Bool.random(using: &random):
                number += 1
                _ = delivery.handle(.skipped(through: place(number)), at: now)
                failures = 0
            case _:
                failures += 1
                let effects = delivery.handle(
                    .failed(problem: "p", jitter: .random(in: 0..<1, using: &random)), at: now)
                let doubled = min(5_000 << min(failures - 1, 20), Self.hour)
                let wait = (delivery.nextTry ?? 0) - now
                let alarm = (delivery.failingSince ?? now) + Self.hour - now
                #expect((doubled / 2...doubled).contains(wait) || wait == alarm)
                #expect(alarm <= 0 || wait <= alarm)
                #expect(effects.isEmpty == (now - (delivery.failingSince ?? now) < Self.hour))
            }
            #expect(delivery.through == place(number) && delivery.failures == failures)
            #expect((delivery.failingSince == nil) == (failures == 0))
            #expect((delivery.problem == nil) == (failures == 0))
        }
    }

    @Test("A clock that is set back by a day does not stop a receiver")
    func clockSetBack() {
        var delivery = WebhookDelivery(from: place(0))
        _ = delivery.handle(.failed(problem: "p", jitter: 0), at: Self.start)
        #expect(delivery.isDue(at: Self.start - 24 * Self.hour))
        #expect(!delivery.isDue(at: Self.start))
    }
}
