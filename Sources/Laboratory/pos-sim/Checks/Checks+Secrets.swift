import Foundation
import HubProtocol

/// What no file may have, and what at rest has to be small.
extension Checks {
    /// No file of a hub or a till has a PIN or the number of a card, and a till's token is in no other
    /// till's.
    func lookForSecrets() {
        var secrets = (0..<(world.schedule.people.map { $0 + 1 } ?? 0)).map {
            (what: "a PIN", bytes: Cashier.pin($0), home: String?.none)
        }
        if world.schedule.hasCards { secrets.append(("a card number", CardTerminal.cardNumber, nil)) }
        for till in world.tills {
            guard let token = till.link.token else { continue }
            secrets.append(("the token of \(till.name)", token, "/till-\(till.number)/"))
        }
        guard !secrets.isEmpty else { return }
        for path in world.files {
            guard let file = FileManager.default.contents(atPath: path) else { continue }
            for secret in secrets where !(secret.home.map(path.contains) ?? false) {
                if file.range(of: Data(secret.bytes.utf8)) != nil {
                    world.fail("no secret on a disk", "\(secret.what) is in \(path)")
                }
            }
        }
    }
}
