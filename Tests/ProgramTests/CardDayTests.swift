import Foundation
import HubProtocol
import TestKit
import Testing

/// A whole day with a card machine of each kind, with what goes wrong in shops.
@Suite("A day with a card machine", .onStage)
struct CardDayTests {
    private struct Faults {
        /// The money moves, and the response is lost with its connection.
        let lost: String
        /// The money moves, and the machine says nothing more.
        let mute: String

        init(_ kind: CardTerminal.Kind) {
            (lost, mute) = kind == .zvt ? ("cut:6", "mute:5") : ("cut:2", "mute:2")
        }
    }

    @Test("ends with till, machine and hub agreeing to the cent", arguments: [CardTerminal.Kind.zvt, .nexo])
    func day(_ kind: CardTerminal.Kind) throws {
        let (shop, terminal, folder) = try MachineShop.open(kind)
        defer { withExtendedLifetime(folder) {} }
        let faults = Faults(kind)
        _ = try shop.document("shift", "open", "--float", "0")
        let first = try shop.sellTeaByCard().document()
        try terminal.start(["--fault", "decline"])
        #expect(try shop.sellTeaByCard().errorCode == "card_declined")
        try terminal.start(["--fault", "slow:60"])
        try shop.abortAtMachine()
        // The cable is pulled when the money has moved: the machine says later what it did.
        try terminal.start(["--fault", faults.lost])
        #expect(try shop.sellTeaByCard().exitCode == 0)
        try killed(shop, terminal, faults.mute)
        // The machine is switched off: the till sells on, without it.
        terminal.stop()
        #expect(try shop.sellTeaByCard().errorCode == "machine_unreachable")
        #expect(try shop.pos("sell", "--line", MachineShop.tea, "--json").exitCode == 0)
        try terminal.start()
        _ = try shop.document("card", "test")
        let last = try shop.sellTeaByCard().document()
        _ = try shop.document("orders", "refund", try #require(first["orderNumber"]?.string))
        _ = try shop.document("orders", "void", try #require(last["orderNumber"]?.string))
        let held = try terminal.held
        #expect(held == MachineShop.price)
        try shop.endDay(terminal, cash: MachineShop.price)
        #expect(try shop.audit().isComplete)
    }

    /// The till is killed while the machine has the money: what no sale takes over goes back.
    private func killed(_ shop: ShopUnderTest, _ terminal: CardTerminal, _ fault: String) throws {
        let before = try terminal.booked()
        try terminal.start(["--fault", fault])
        let sale = try shop.startProgram("sell", "--line", MachineShop.tea, "--pay", "card", "--json")
        _ = try shop.waitUntil("the money moved", within: 20) { _ in
            try terminal.booked().count == before.count + 1
        }
        shop.killAgent()
        _ = sale.exitCode(within: 15)
        try terminal.start()
        try shop.startAgent()
        _ = try shop.waitUntil("the charge without a sale went back", within: 30) { _ in
            try terminal.booked() == before + [MachineShop.price, -MachineShop.price]
                && shop.waitingAtMachine().allSatisfy { $0["state"] == "voidRequested" }
        }
    }
}
