import HubProtocol
import OfflineCore
import OfflineMode
import Retail
import Synchronization
import Testing

@Suite("Members whom a terminal makes")
struct NewMemberTests {
    private let ports = ScriptedPorts()
    private let storage = KeptMembers()

    private func members(countryCode: Int? = nil) throws -> Members {
        Members(
            checkout: try ports.checkout(countryCode: countryCode), storage: storage, delivery: ports,
            time: ports)
    }

    private func refusal(phone: String = "13800138000", name: String = "Li") async throws -> String? {
        let members = try members()
        do throws(MemberRefusal) {
            _ = try await members.add(phone: phone, name: name, by: PersonClaim())
            return nil
        } catch {
            return error.code
        }
    }

    @Test("are recorded and sent, with and without the hub", arguments: [Mode.online, .offline])
    func made(_ mode: Mode) async throws {
        ports.with { $0.mode = mode }
        let added = try await members().add(phone: "138 0013 8000", name: "Li", by: PersonClaim())
        #expect(added.isNew && added.member == Member(id: "N1", name: "Li"))
        #expect(storage.made == ["138 0013 8000 Li"])
        #expect(ports.log.contains("nudge"))
    }

    @Test(
        "have their number as E.164 where the store's country is known, and are found by it as it is dialled")
    func international() async throws {
        let added = try await members(countryCode: 49).add(
            phone: "0170 123 45 67", name: "Ada", by: PersonClaim())
        #expect(added.isNew && storage.made == ["+491701234567 Ada"])
        ports.hub.with { $0.members = ["M1": ("Ada", "+491701234567")] }
        for typed in ["0170 1234567", "+49 170 1234567", "0049 170/1234567", "491701234567"] {
            let found = try await members(countryCode: 49).add(phone: typed, name: "Eve", by: PersonClaim())
            #expect(!found.isNew && found.member.id == "M1", "\(typed)")
        }
        #expect(storage.made.count == 1)
    }

    @Test(
        "complete what is dialled in a country, and nothing that names its own",
        arguments: [
            ("0170 1234567", 49, "+491701234567"), ("+49 (0)170 123-4567", nil, "+491701234567"),
            ("0049170 1234567", 1, "+491701234567"), ("491701234567", 49, "+491701234567"),
            ("06 1234 5678", 39, "+390612345678"), ("(212) 555-0100", 1, "+12125550100"),
            ("1 212 555 0100", 1, "+12125550100"), ("138 0013 8000", 86, "+8613800138000"),
            ("8613800138000", 86, "+8613800138000"), ("9123 4567", 65, "+6591234567"),
            ("0170 1234567", nil, nil), ("m-100", 49, nil), ("12345", 49, nil),
            ("+49 170 1234567 8901234", 49, nil), ("", 49, nil),
        ] as [(String, Int?, String?)])
    func completed(_ typed: String, _ country: Int?, _ full: String?) {
        #expect(MemberRecord.international(typed, in: country) == full)
    }

    @Test("are not made where somebody has the number, at the hub or in the terminal's copy")
    func known() async throws {
        ports.hub.with { $0.members = ["M1": ("Wu", "13800138000")] }
        let found = try await members().add(phone: "13800138000", name: "Li", by: PersonClaim())
        #expect(!found.isNew && found.member == Member(id: "M1", name: "Wu"))
        ports.hub.with { $0.members = [:] }
        ports.copy.with { $0.members = ["M2": (nil, "13800138000")] }
        ports.with { $0.mode = .offline }
        #expect(
            try await members().add(phone: "13800138000", name: "Li", by: PersonClaim()).member.id == "M2")
        // An id that looks like the number is somebody else.
        ports.copy.with { $0.members = ["444444": ("Xu", "555555")] }
        #expect(try await members().add(phone: "444444", name: "Li", by: PersonClaim()).isNew)
        #expect(storage.made == ["444444 Li"])
    }

    @Test("need a telephone number of a person, a name, and the person who sells where the store has people")
    func refused() async throws {
        for phone in ["", "12345", "call me", String(repeating: "1", count: 21)] {
            #expect(try await refusal(phone: phone) == "phone_invalid")
        }
        for name in ["", "  ", String(repeating: "x", count: MemberRecord.longestField + 1)] {
            #expect(try await refusal(name: name) == "name_invalid")
        }
        #expect(try await refusal(name: "4111 1111 1111 1111") == "card_number_refused")
        ports.copy.with { $0.pins = ["c1": "1111"] }
        #expect(try await refusal() == "sign_in_required")
        #expect(storage.made.isEmpty)
    }
}

/// Members as they were recorded.
private final class KeptMembers: MemberStorage {
    private let kept = Mutex<[String]>([])

    var made: [String] { kept.withLock { $0 } }

    func add(phone: String, name: String, at _: Int64) async throws(StorageError) -> Member {
        let count = kept.withLock { kept in
            kept.append("\(phone) \(name)")
            return kept.count
        }
        return Member(id: "N\(count)", name: name)
    }
}
