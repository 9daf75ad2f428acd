import Reachability

/// One host, with an independent address that shows whether the host or the network is down.
func watchServer() throws -> ReachabilityMonitor {
    var settings = ReachabilitySettings()
    settings.independentProbes = [ReachabilityProbe("https://status.example.org")]
    let monitor = try ReachabilityMonitor(host: "api.example.com", settings: settings)
    monitor.start()
    return monitor
}

/// The internet in general, shared by the complete program and probed at an address of its own.
func watchInternet() throws {
    try ReachabilityMonitor.setUpInternet(probing: [
        ReachabilityProbe("https://www.example.com/health", expecting: .status(204)),
        ReachabilityProbe("https://www.example.net"),
    ])
    ReachabilityMonitor.internet.start()
}

/// Checks once; the monitor need not run.
func canUpload(_ monitor: ReachabilityMonitor) async -> Bool {
    let status = await monitor.check()
    return status.isReachable && !status.isMetered
}

/// Two servers, one announcement.
func watchBoth(_ shop: ReachabilityMonitor, _ bank: ReachabilityMonitor) -> ReachabilityGroup {
    let group = ReachabilityGroup([shop, bank])
    group.start()
    return group
}
