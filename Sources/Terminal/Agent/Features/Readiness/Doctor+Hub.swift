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
        let left = await token.expiresAt.map { $0 - time.wallMilliseconds() }
        return check(
            "token", left.map { $0 >= Self.tokenDays * Self.day } ?? false, texts.token(left: left),
            fix: texts.renewToken)
    }

    /// Nothing to check at a hub without one. A handshake that fails is itself the finding.
    func certificateLife() async -> [DoctorCall.Check] {
        let (look, condition) = await certificate.look()
        let end = condition.end.map(Timestamp.text(milliseconds:))
        let (isFine, words): (Bool, String)
        switch look {
        case .none: return []
        case .ends(let end): (isFine, words) = left(until: end)
        case .refused(let fault): (isFine, words) = (false, texts.refused(fault, end: end))
        case .handshakeFailed(let detail): (isFine, words) = (false, texts.handshakeFailed(detail, end: end))
        case .noResponse:
            guard let end = condition.end else {
                return [note("certificate", texts.certificateUnseen)]
            }
            let seen = left(until: end)
            (isFine, words) = (seen.isFine, seen.words + texts.asLastSeen)
        }
        return [
            check("certificate", isFine, words, fix: texts.renewCertificate)
        ]
    }

    private func left(until end: Int64) -> (isFine: Bool, words: String) {
        let left = end - time.wallMilliseconds()
        guard left > 0 else {
            return (false, texts.certificateEnded(Timestamp.text(milliseconds: end)))
        }
        return (left >= Self.certificateDays * Self.day, texts.certificate(days: left / Self.day))
    }

    /// A check only while the main path is dark: a till with one uplink has nothing to check.
    func standbyInUse() -> [DoctorCall.Check] {
        guard let standby = path.standby else { return [] }
        return [
            check(
                "path", false, texts.standby(standby.interface, for: standby.main),
                fix: texts.checkPath(standby.main))
        ]
    }

    func decisions() async -> DoctorCall.Check {
        guard let last = await qos.lastResponseAt else {
            return note("QoS decisions", texts.noDecisions)
        }
        let age = (time.now() - last).wholeMilliseconds
        if let issued = await qos.lastIssuedAt, let hub = hubClock.hubMilliseconds(),
            (issued + age - hub).magnitude > Self.clockAgreement
        {
            let apart = Int64(clamping: (issued + age - hub).magnitude)
            return check(
                "QoS decisions", false, texts.decisionClock(apart), fix: texts.setDecisionClock, age: age)
        }
        return check(
            "QoS decisions", age < Self.oldDecisions || offline.status.mode == .offline,
            texts.decisions(age), fix: texts.checkDecisions, age: age)
    }
}
