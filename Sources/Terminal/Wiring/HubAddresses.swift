internal import LinuxNetwork

/// Keeps the path monitor and the pinger told where the hub is: its name is resolved at start and again now and
/// then, since an address can move.
struct HubAddresses {
    let host: String
    let monitor: NetlinkPathMonitor
    let pinger: ICMPPinger?

    func run() async {
        let resolver = HostResolver()
        while !Task.isCancelled {
            let addresses = await resolver.addresses(of: host)
            if !addresses.isEmpty {
                monitor.update(hubAddresses: addresses)
                pinger?.update(hubAddresses: addresses)
            }
            if IPAddress(host) != nil { return }
            // Without an address yet, soon again; with one, seldom: the kernel's view is only a hint.
            try? await Task.sleep(for: addresses.isEmpty ? .seconds(15) : .seconds(900))
        }
    }
}
