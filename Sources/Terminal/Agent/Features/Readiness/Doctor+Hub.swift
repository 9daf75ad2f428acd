import Base

internal import AgentAPI
internal import CurlTransport
internal import MachineRuntime
internal import OfflineCore
internal import OfflineMode

/// What ends by itself while nobody looks: the token, the hub's certificate, QoS's decisions.
extension Doctor {
    private static let day: Int64 = 86_400_000
    /// The token is renewed a week ahead; less than this means that the renewals fail. Half of it leaves one
    /// working day, twice of it is a finding before the first failed renewal.
    private static let tokenDays: Int64 = 3
    /// Two weeks for whoever runs the hub to get another certificate; automatic renewal is a month ahead.
    private static let certificateDays: Int64 = 14
    /// QoS is polled every 30 s, and at most every 300 s: without a response for so long it is silent.
    private static let oldDecisions: Int64 = 600_000
    /// How far the clock of QoS may be from the hub's; no decision depends on it. Half of it names clocks
    /// that NTP corrects by itself.
    private static let clockAgreement: UInt64 = 600_000

    func tokenLife() async -> DoctorCall.Check {
        let fix = "`pos sync now` renews it; after 400 days `pos init --hub URL --enrol CODE`"
        guard let end = await token.expiresAt else {
            return check("token", false, "the end of the device token is not known", fix: fix)
        }
        let left = end - time.wallMilliseconds()
        let words =
            left < 0
            ? "ended \(-left / Self.day) days ago; sales go on, nothing is sent"
            : "\(left / Self.day) days left"
        return check("token", left >= Self.tokenDays * Self.day, words, fix: fix)
    }

    /// Nothing to check at a hub without one. A handshake that fails is itself the finding.
    func certificateLife() async -> [DoctorCall.Check] {
        let (look, condition) = await certificate.look()
        let end = condition.end.map(Timestamp.text(milliseconds:))
        let known = end.map { ", as last seen it ends at \($0)" } ?? ""
        let (isFine, words): (Bool, String)
        switch look {
        case .none: return []
        case .ends(let end): (isFine, words) = left(until: end)
        case .refused(let fault):
            let what =
                switch fault {
                case .outOfValidity: "has ended or has not begun, or the clock of this machine is wrong"
                case .otherName: "is made out to another name"
                case .foreign: "is from an authority that this till does not trust"
                }
            (isFine, words) = (false, "the hub's certificate \(what)\(known); new connections to it fail")
        case .handshakeFailed(let detail):
            (isFine, words) = (false, "the TLS handshake with the hub fails: \(detail)\(known)")
        case .noResponse:
            guard let end = condition.end else {
                return [note("certificate", "not seen yet: the hub does not respond")]
            }
            let seen = left(until: end)
            (isFine, words) = (seen.isFine, seen.words + ", as last seen; the hub does not respond now")
        }
        return [
            check(
                "certificate", isFine, words,
                fix: "renew it at the hub and start `pos-hub serve` with it; tills trust its issuer")
        ]
    }

    private func left(until end: Int64) -> (isFine: Bool, words: String) {
        let left = end - time.wallMilliseconds()
        guard left > 0 else {
            return (false, "the hub's certificate ended at \(Timestamp.text(milliseconds: end))")
        }
        return (
            left >= Self.certificateDays * Self.day,
            "the hub's certificate has \(left / Self.day) days left"
        )
    }

    /// A check only while the main path is dark: a till with one uplink has nothing to check.
    func standbyInUse() -> [DoctorCall.Check] {
        guard let standby = path.standby else { return [] }
        let main = standby.main ?? "the main path"
        return [
            check(
                "path", false,
                "nothing comes back over \(main); the hub is reached over \(standby.interface)",
                fix: "check what is behind \(main): cable, switch, router; the till returns to it by itself")
        ]
    }

    func decisions() async -> DoctorCall.Check {
        guard let last = await qos.lastResponseAt else {
            return note("QoS decisions", "none in this run; without QoS a till decides by itself")
        }
        let age = (time.now() - last).wholeMilliseconds
        if let issued = await qos.lastIssuedAt, let hub = hubClock.hubMilliseconds(),
            (issued + age - hub).magnitude > Self.clockAgreement
        {
            let apart = Int64(clamping: (issued + age - hub).magnitude)
            return check(
                "QoS decisions", false,
                "the clock of QoS is \(AgeText.text(milliseconds: apart)) off the hub's; they are followed",
                fix: "set the clock of the machine that qos.url names", age: age)
        }
        return check(
            "QoS decisions", age < Self.oldDecisions || offline.status.mode == .offline,
            "as of \(AgeText.text(milliseconds: age)) ago", fix: "`pos qos status`; is qos.url right?",
            age: age)
    }
}
