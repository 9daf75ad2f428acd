import OfflineCore
import Testing

@testable import Reachability

@Suite("Reachability group", .timeLimit(.minutes(2)))
struct ReachabilityGroupTests {
    private let world = ScriptedWorld()

    @Test("a change of five monitors at once is announced once")
    func collapsed() async {
        let monitors = (1...5).map { world.monitor("https://host\($0).example") }
        let group = ReachabilityGroup(monitors, settle: .seconds(1))
        let reported = Notes<ReachabilityGroupStatus>()
        let subscription = group.onChange(at: .mainActor) { reported.add($0) }
        #expect(await eventually { reported.all.count == 1 })
        group.start()
        _ = await group.first { $0.areAllReachable }
        #expect(await eventually { reported.all.last?.areAllReachable == true })
        group.stop()
        _ = await group.first { !$0.isAnyReachable }
        #expect(await eventually { reported.all.last?.isAnyReachable == false })
        let reachable = reported.all.map { $0.members.count { $0.status.isReachable } }
        // A slow machine may announce once before the first responses; never a part of the five.
        #expect(reachable.drop { $0 == 0 } == [5, 0])
        subscription.cancel()
    }

    @Test("a group returns the status of each target, correct before it announces")
    func queried() async {
        let other = ScriptedWorld()
        other.response(.failed(.dns))
        let (up, down) = (world.monitor("https://up.example"), other.monitor("https://down.example"))
        let group = ReachabilityGroup([up, down], settle: .seconds(60))
        group.start()
        _ = await up.first { $0.isReachable }
        _ = await down.first { $0.state == .unreachable }
        let status = group.status
        #expect(status[up.target]?.state == .reachable)
        #expect(status[down.target]?.reason == .nameNotResolved)
        #expect(status.isAnyReachable && !status.areAllReachable)
        #expect(status[.internet([])] == nil)
        group.stop()
    }

    @Test("a delegate is notified of the group; a released group releases its monitors")
    func delegate() async {
        let monitor = world.monitor()
        let delegate = NotingGroupDelegate()
        var group: ReachabilityGroup? = ReachabilityGroup([monitor], settle: .milliseconds(10))
        group?.setDelegate(delegate, at: .mainActor)
        group?.start()
        #expect(await eventually { delegate.notes.all.last == true })
        group = nil
        #expect(await eventually { monitor.readerCount == 0 })
        monitor.stop()
    }
}

private final class NotingGroupDelegate: ReachabilityGroupDelegate {
    let notes = Notes<Bool>()

    func reachabilityDidChange(to status: ReachabilityGroupStatus, of group: ReachabilityGroup) {
        notes.add(status.areAllReachable)
    }
}
