import HubProtocol
import OfflineCore
import OfflineMode
import Retail
import Testing

@Suite("Members at the checkout")
struct MemberTests {
    private let ports = ScriptedPorts()

    private func member(_ typed: String) async throws -> Member? {
        let response = try await ports.checkout().sell(
            SaleRequest(lines: [.init(barcode: "0")], memberId: typed))
        let content = response.sale.content
        return content.memberId.map { Member(id: $0, name: content.memberName) }
    }

    private static let people: [String: (name: String?, phone: String)] = [
        "M1": ("Li", "13800138000"), "M2": (nil, "222222"), "M3": ("Wu", "333333"), "M4": ("Xu", "333333"),
        "M5": ("Yu", "55555"),
    ]

    @Test("stay as typed without the hub and without a copy, and nothing is looked up")
    func nobody() async throws {
        ports.with { $0.faultyServices = ["member"] }
        #expect(try await member("13800138000") == Member(id: "13800138000", name: nil))
        #expect(ports.hub.log.isEmpty)
        #expect(ports.copy.log.isEmpty)
    }

    @Test(
        "are found by id and by telephone number, at the hub and in the till's own copy",
        arguments: [true, false])
    func found(online: Bool) async throws {
        (online ? ports.hub : ports.copy).with { $0.members = Self.people }
        if !online { ports.with { $0.mode = .offline } }
        #expect(try await member("M1") == Member(id: "M1", name: "Li"))
        #expect(try await member("13800138000") == Member(id: "M1", name: "Li"))
        #expect(try await member("222222") == Member(id: "M2", name: nil))
        // Two members have it; it is too short for a number; no member has it.
        for typed in ["333333", "55555", "4444444", "Mx"] {
            #expect(try await member(typed) == Member(id: typed, name: nil))
        }
        #expect((online ? ports.copy : ports.hub).log.isEmpty)
    }

    @Test("are found in the till's own copy when the hub's response is unclear")
    func unclear() async throws {
        ports.copy.with { $0.members = Self.people }
        ports.hub.with { $0.error = .unclear(detail: "503") }
        #expect(try await member("13800138000") == Member(id: "M1", name: "Li"))
        ports.copy.with { $0.error = .unavailable(detail: "disk") }
        #expect(try await member("M1") == Member(id: "M1", name: nil))
    }

    @Test(
        "are looked up in the till's own copy at once when it goes offline during the wait",
        .timeLimit(.minutes(1)))
    func switchedWhileWaiting() async throws {
        ports.copy.with { $0.members = Self.people }
        ports.hub.with { $0.isSilent = true }
        // Nobody would wait so long: only the switch ends it.
        ports.with { $0.waitBudget = .seconds(3600) }
        let checkout = try ports.checkout()
        let sale = Task {
            try await checkout.sell(SaleRequest(lines: [.init(barcode: "0")], memberId: "M1"))
        }
        while ports.hub.log.isEmpty { await Task.yield() }
        // The wait begins behind the request or before it.
        while !Task.isCancelled, ports.with({ $0.sales.isEmpty }) {
            for participant in ports.with({ $0.participants }) {
                await participant.terminalWillGoOffline(causes: [])
            }
            ports.with { $0.mode = .offline }
            await Task.yield()
        }
        #expect(try await sale.value.sale.content.memberName == "Li")
        // It was no fault of the hub: the next sale waits for it.
        #expect(ports.saleWaits.current.waits(for: "member"))
    }

    @Test("are queried at the hub again once the till is online again")
    func back() async throws {
        ports.hub.with { $0.isSilent = true }
        ports.with { $0.waitBudget = .milliseconds(50) }
        let checkout = try ports.checkout()
        _ = try await checkout.sell(SaleRequest(lines: [.init(barcode: "0")], memberId: "M1"))
        #expect(!ports.saleWaits.current.waits(for: "marketing"))
        for participant in ports.with({ $0.participants }) { await participant.terminalDidComeOnline() }
        #expect(ports.saleWaits.current.waits(for: "marketing"))
        #expect(!ports.saleWaits.current.waits(for: "member"), "it was too slow by itself")
    }

    @Test("are printed on the receipt by name")
    func receipt() async throws {
        ports.hub.with { $0.members = ["M1": (String(repeating: "李", count: 60), ""), "M2": ("Li", "")] }
        let request = SaleRequest(lines: [.init(barcode: "0")], memberId: "M2")
        #expect(try await ports.checkout().sell(request).receipt.contains("\nMember Li (M2)\n"))
        let long = try await ports.checkout().sell(SaleRequest(lines: request.lines, memberId: "M1"))
        let line = long.receipt.split(separator: "\n").first { $0.hasPrefix("Member") }
        #expect(line == "Member \(String(repeating: "李", count: 16))…")
    }

    @Test("do not make a sale larger than a request may be")
    func bounded() async throws {
        let id = String(repeating: "1", count: 201)
        ports.hub.with {
            $0.members = ["M1": (String(repeating: "x", count: 5000), "1"), id: ("Li", "666666")]
        }
        #expect(try await member("M1")?.name?.count == 100)
        #expect(try await member("666666") == Member(id: "666666", name: nil))
    }
}
