import Base
import Foundation
import HubProtocol
import TestKit
import Testing

/// Each command of a till that records something, with a fault at one call of the system that writes: the
/// process is killed there, or the call fails as on a disk that is full or broken. The same command again
/// ends well, and everything has had its effect once.
///
/// Each run draws some of the calls. With `HOLDFAST_KILLS` of a thousand or more (`make kills`) each call
/// of each command gets each fault; `HOLDFAST_SEED` repeats a draw.
@Suite("A fault at a call of the system", .onStage, .enabled(if: Strace.isAvailable, Strace.need))
struct SystemCallFaultTests {
    /// Each is a run of the command with the fault and one without. Two for each command and fault are enough
    /// to see a kind of mistake; all of them are for a run that has the time.
    private static let places = KillVariables.kills.map { $0 >= 1_000 ? Int.max : 2 } ?? 2

    @Test("Sent again, the command has its effect once", arguments: RecordingCommand.allCases)
    func command(_ command: RecordingCommand) throws {
        let seed = KillVariables.seed
        print("faults in \(command): seed \(seed)")
        var draw = SplitMix64(seed: seed)
        let till = try FaultyTill(command)
        let calls = try till.calls()
        #expect(calls.count > 10)
        for fault in Strace.Fault.allCases {
            var left = calls
            for _ in 0..<min(Self.places, left.count) {
                let call = left.remove(at: Int(draw.below(UInt64(left.count))))
                try till.run(with: fault, at: call)
            }
        }
        try till.check()
    }
}

/// What a till records by one command.
enum RecordingCommand: String, CaseIterable {
    case sale, parkedCart, soldCart, void, refund, cashMove, openedShift, closedShift, manualFlag, signIn
}

/// A till without its hub, which gets one command again and again.
private final class FaultyTill {
    private let shop = try? ShopUnderTest()
    private let command: RecordingCommand
    private var rounds = 0
    private var keys = SplitMix64(seed: 1)
    private static let article = Article.assortment[0].barcode

    init(_ command: RecordingCommand) throws {
        self.command = command
        let shop = try #require(shop)
        if command == .signIn {
            try shop.importRows(.cashiers, "c1,Li,1234,cashier", "c2,Xu,4321,cashier")
            _ = try shop.document("sync", "now")
        }
        shop.killHub()
        if ![.signIn, .openedShift, .closedShift].contains(command) {
            _ = try shop.document("shift", "open", "--float", "0")
        }
    }

    /// What comes before the command, without a fault.
    ///
    /// - Returns: the command with its arguments, and its input.
    private func next() throws -> (arguments: [String], input: [String]) {
        let shop = try #require(shop)
        rounds += 1
        let key = ULID(milliseconds: 1_790_000_000_000, using: &keys).description
        func sold() throws -> String {
            let sale = try shop.document("sell", "--line", Self.article)
            return try #require(sale["orderId"]?.string)
        }
        switch command {
        case .sale: return (["sell", "--line", Self.article, "--key", key], [])
        case .parkedCart: return (["cart", "park", "--line", Self.article], [])
        case .soldCart:
            let cart = try shop.document("cart", "park", "--line", Self.article)
            return (["sell", "--cart", try #require(cart["cartId"]?.string)], [])
        case .void: return (["orders", "void", try sold(), "--reason", "wrong"], [])
        case .refund: return (["orders", "refund", try sold(), "--reason", "broken", "--key", key], [])
        case .cashMove: return (["shift", "cash", "in", "50", "--reason", "coins", "--key", key], [])
        case .openedShift:
            if rounds > 1 { _ = try shop.document("shift", "close", "--counted", "0") }
            return (["shift", "open", "--float", "0"], [])
        case .closedShift:
            _ = try shop.document("shift", "open", "--float", "0")
            return (["shift", "close", "--counted", "0"], [])
        case .manualFlag: return (["offline", rounds.isMultiple(of: 2) ? "off" : "on"], [])
        case .signIn: return (["sign-in", person, "--pin-stdin"], [person == "c1" ? "1234" : "4321"])
        }
    }

    private var person: String { rounds.isMultiple(of: 2) ? "c2" : "c1" }

    /// What a command is refused with when the one before it took effect.
    private var alreadyDone: String? {
        switch command {
        case .void: "voided_already"
        case .openedShift: "shift_open_already"
        case .closedShift: "shift_not_open"
        case _: nil
        }
    }

    /// The calls that one run of the command makes, without a fault.
    func calls() throws -> [Strace.Call] {
        let shop = try #require(shop)
        let (arguments, input) = try next()
        let record = shop.folder.path("calls")
        shop.tillWrapper = Strace.recording(to: record, files: try files())
        let end = try shop.pos(arguments + ["--json"], input: input)
        shop.tillWrapper = []
        #expect(end.exitCode == 0, "\(end.errors)")
        return try Strace.calls(in: record)
    }

    /// What a run writes, with the files that it makes and removes. A failing call on anything else,
    /// which the threads of a process wake each other by, is no fault of a disk.
    private func files() throws -> [String] {
        let home = try #require(shop).home
        let names = [
            "terminal.sqlite", "terminal.sqlite-wal", "terminal.sqlite-shm", "high-water.json",
            ".high-water.tmp", "manual-offline.json", ".flag.tmp", "flight.log", "last-run.json",
        ]
        return [home] + names.map { home + "/" + $0 }
    }

    func run(with fault: Strace.Fault, at call: Strace.Call) throws {
        let shop = try #require(shop)
        let (arguments, input) = try next()
        shop.tillWrapper = Strace.injecting(fault, at: call, files: try files())
        let end = try shop.pos(arguments + ["--json"], input: input)
        shop.tillWrapper = []
        // A cart has no key: a person looks whether it is there before parking it again.
        if command == .parkedCart, try carts() == rounds { return }
        let again = try shop.pos(arguments + ["--json"], input: input)
        let isDone = alreadyDone.map { again.errorCode == $0 } ?? false
        #expect(again.exitCode == 0 || isDone, "\(fault) at \(call): \(again.errors)")
        // A command that reported success is on disk.
        if end.exitCode == 0, alreadyDone != nil {
            #expect(isDone, "\(fault) at \(call): reported and not there")
        }
        switch command {
        case .manualFlag:
            let isOn = try shop.document("status")["manual"]?["on"]?.bool
            #expect((isOn ?? false) == !rounds.isMultiple(of: 2), "\(fault) at \(call)")
        case .signIn:
            #expect(
                try shop.document("whoami")["cashierId"]?.string == person, "\(fault) at \(call)")
        case _: break
        }
    }

    /// Compares the till with what was done, and the hub with the till.
    func check() throws {
        let shop = try #require(shop)
        let count = Int64(rounds)
        let orders = try shop.orders()
        let price = Article.assortment[0].price
        switch command {
        case .sale, .soldCart:
            #expect(orders.count == rounds)
            #expect(try drawer() == count * price)
            #expect(try carts() == 0)
        case .parkedCart: #expect(try carts() == rounds)
        case .void, .refund:
            #expect(orders.count == rounds)
            #expect(try drawer() == 0)
        case .cashMove: #expect(try drawer() == count * 50)
        case .openedShift, .closedShift:
            #expect(try shop.document("shift", "list")["shifts"]?.array?.count == rounds)
        case .manualFlag, .signIn: break
        }
        try shop.startHub()
        if command == .manualFlag { _ = try shop.document("offline", "off") }
        try shop.startAgent()
        try shop.waitUntilDrained(within: 60)
        let audit = try shop.audit()
        #expect(audit.isComplete)
        #expect(audit.orders == Int64(orders.count))
    }

    /// The cash that should be in the drawer.
    private func drawer() throws -> Int64? {
        try shop?.document("shift", "report")["cash"]?["expected"]?.integer
    }

    private func carts() throws -> Int? {
        try shop?.document("cart", "list")["carts"]?.array?.count
    }
}

/// strace, which records the calls of a program and lets one of them fail.
enum Strace {
    static let need: Comment = "needs strace, and a kernel that lets it trace"
    static let isAvailable = (try? Command.finish(["strace", "-qq", "-o", "/dev/null", "true"]))?.code == 0

    /// Those that change a file.
    private static let names = "write,pwrite64,fsync,fdatasync,ftruncate,rename,unlink"

    enum Fault: String, CaseIterable {
        case killed = "signal=KILL"
        case full = "error=ENOSPC"
        case broken = "error=EIO"
    }

    /// The call `name` of a process that is one of its threads' `count`-th, since strace counts by thread.
    struct Call: Hashable, CustomStringConvertible {
        let name: String
        let count: Int
        var description: String { "\(name) \(count)" }
    }

    private static func tracing(_ names: String, of files: [String], to record: String) -> [String] {
        ["strace", "-f", "-qq", "-o", record, "-e", "trace=\(names)"] + files.flatMap { ["-P", $0] }
    }

    static func recording(to record: String, files: [String]) -> [String] {
        tracing(names, of: files, to: record)
    }

    static func injecting(_ fault: Fault, at call: Call, files: [String]) -> [String] {
        tracing(call.name, of: files, to: "/dev/null")
            + ["-e", "inject=\(call.name):\(fault.rawValue):when=\(call.count)"]
    }

    /// The calls of a record, whose lines are `PID NAME(ARGUMENTS) = RESULT`, in order.
    static func calls(in file: String) throws -> [Call] {
        var counts: [String: Int] = [:]
        for line in try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
            guard words.count == 2, let end = words[1].firstIndex(of: "("), !words[1].hasPrefix("<") else {
                continue
            }
            counts["\(words[0]) \(words[1][..<end])", default: 0] += 1
        }
        var most: [String: Int] = [:]
        for (key, count) in counts {
            let name = String(key.split(separator: " ")[1])
            most[name] = max(most[name] ?? 0, count)
        }
        return most.sorted { $0.key < $1.key }.flatMap { name, count in
            (1...count).map { Call(name: name, count: $0) }
        }
    }
}
