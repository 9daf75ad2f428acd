import AgentAPI
import Base
import HubProtocol
import LinuxRuntime

/// People who sign in at a till before they sell.
extension Cashier {
    /// Those of a shop, as a hub imports them: each may void and refund alone.
    static func list(of count: Int) -> String {
        (1...count).reduce("id,name,pin,role\n") { "\($0)P\($1),Person \($1),\(pin($1)),manager\n" }
    }

    /// Twelve digits that no number of a shop has by chance.
    static func pin(_ person: Int) -> String { "73190482536\(person)" }

    /// Somebody signs in, who may mistype the PIN first.
    func signIn() async {
        guard let people = world.schedule.people else { return }
        let person = 1 + Int(draw.below(UInt64(people)))
        if draw.below(4) == 0 {
            let outcome = await insist(SessionCall.signIn(cashierId: "P\(person)", pin: "731904825360"))
            if case .done? = outcome {
                world.fail("nobody signs in without the PIN", "P\(person) at \(till.name)")
            }
        }
        switch await insist(SessionCall.signIn(cashierId: "P\(person)", pin: Self.pin(person))) {
        case .done(let session)?:
            signedIn = session.cashier?.id
            let end = session.cashier.flatMap { Timestamp.milliseconds(of: $0.expiresAt) } ?? 0
            signedInUntil = till.time.passedMilliseconds + end - till.time.wallMilliseconds()
            if signedIn != "P\(person)" {
                world.fail("who signs in is signed in", "\(signedIn ?? "nobody") at \(till.name)")
            }
        case .refused(let code)?: world.checks.refused("a sign-in", code, at: till)
        case .unknown?, nil: break
        }
    }

    /// Whoever is signed in goes.
    func signOut() async {
        guard signedIn != nil, case .done? = await insist(SessionCall.signOut) else { return }
        signedIn = nil
    }

    /// Whether a call was refused because nobody is signed in any more; then somebody signs in again. Only a
    /// database that was put back, a clock that leapt, or the end of the sign-in itself explains it. A clock
    /// that was set back does where the machine was started since: then nobody knows how long that was.
    func signsInAgain(after code: String) async -> Bool {
        guard code == "sign_in_required", world.schedule.people != nil else { return false }
        let isTimeKnown =
            world.fired[.wallForward] == nil
            && (world.fired[.wallBack] == nil || world.fired[.tillPowerCut] == nil)
        if let signedIn, !till.isRolledBack, isTimeKnown, till.time.passedMilliseconds < signedInUntil {
            world.fail("who signs in is signed in", "\(signedIn) is gone from \(till.name)")
        }
        await signIn()
        return true
    }
}
