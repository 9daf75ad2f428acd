import Foundation
import HubProtocol
import TestKit
import Testing

/// Till, machine and cable at every message of every request that moves money: what the machine holds in the
/// end is what the till says it does, and the hub.
@Suite("Each step of a card machine's requests", .onStage)
struct CardStepTests {
    /// What ends in the middle.
    enum Victim: CaseIterable {
        case till, machine, cable
    }

    private enum Request: CaseIterable {
        case sale, void, refund

        /// Messages of the machine to it.
        func steps(_ kind: CardTerminal.Kind) -> Int {
            switch (kind, self) {
            // The request has arrived; the money has moved.
            case (.nexo, _): 2
            // The receipt of the command, progress (twice in a payment), booking, paper, completion.
            case (.zvt, .sale): 6
            case (.zvt, .void), (.zvt, .refund): 5
            }
        }

        func arguments(_ order: String) -> [String] {
            switch self {
            case .sale: ["sell", "--line", MachineShop.tea, "--pay", "card", "--json"]
            case .void: ["orders", "void", order, "--json"]
            case .refund: ["orders", "refund", order, "--line", MachineShop.tea + ":1", "--json"]
            }
        }
    }

    @Test(
        "nothing is charged twice, and nothing charged is forgotten",
        arguments: [CardTerminal.Kind.zvt, .nexo], Victim.allCases)
    func steps(_ kind: CardTerminal.Kind, _ victim: Victim) throws {
        let (shop, terminal, folder) = try MachineShop.open(kind)
        defer { withExtendedLifetime(folder) {} }
        _ = try shop.document("shift", "open", "--float", "0")
        // A terminal without a booking cannot prove that it made none.
        _ = try shop.sellTeaByCard().document()
        for request in Request.allCases {
            for step in 1...request.steps(kind) {
                let order =
                    request == .sale
                    ? ""
                    : try #require(
                        try shop.document("sell", "--line", MachineShop.tea + ":2", "--pay", "card")[
                            "orderNumber"]?.string)
                try disturb(request.arguments(order), at: step, victim, shop, terminal)
                let what = "\(request) at step \(step)"
                try shop.settleMachine(terminal, what)
                let booked = try terminal.booked()
                #expect(try terminal.held == shop.heldByTill(), "\(what): \(booked)")
            }
        }
        try shop.endDay(terminal)
        #expect(try shop.audit().isComplete)
    }

    private func disturb(
        _ arguments: [String], at step: Int, _ victim: Victim, _ shop: ShopUnderTest, _ terminal: CardTerminal
    ) throws {
        let before = try terminal.booked().count
        try terminal.start(["--fault", victim == .cable ? "cut:\(step)" : "mute:\(step)"])
        let program = try ProgramUnderTest(
            "pos", arguments + ["--home", shop.home], environment: shop.settings)
        if victim != .cable {
            _ = try shop.waitUntil("the request is at the machine", within: 20) { _ in
                try terminal.booked().count > before
                    || shop.waitingAtMachine().contains { $0["state"] == "sent" }
            }
            if victim == .till { shop.killAgent() } else { terminal.stop() }
        }
        _ = program.exitCode(within: 40)
        try terminal.start()
        if victim == .till { try shop.startAgent() }
        terminal.bookedBefore = before
    }
}
