internal import OfflineCore
internal import OfflineMode

/// Hands the hub's pace for the order service to the drainer; other services have no drain.
struct DrainPacing: ResumePacing {
    let drainer: OutboxDrainer

    func resume(service: String, at pace: ResumePace) {
        guard service == "order" else { return }
        drainer.pace(pace)
    }
}
