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

    private func members() throws -> Members {
        Members(checkout: try ports.checkout(), storage: storage, delivery: ports, time: ports)
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
