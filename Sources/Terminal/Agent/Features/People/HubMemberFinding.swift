internal import CurlTransport
internal import HubProtocol
internal import Retail

/// Members over the hub's routes of members.
struct HubMemberFinding: MemberFinding {
    let hub: HubClient

    func member(_ id: String) async throws(InquiryError) -> Member? {
        do throws(HubCallError) {
            return try await hub.member(id: id).map(Member.init)
        } catch {
            throw InquiryError(error)
        }
    }

    func members(phone: String) async throws(InquiryError) -> [Member] {
        do throws(HubCallError) {
            return try await hub.members(phone: phone).map(Member.init)
        } catch {
            throw InquiryError(error)
        }
    }
}

/// Leases over the hub's route of leases.
struct HubLeaseLending: LeaseLending {
    let hub: HubClient

    func lend(_ wanted: LeaseRequest) async throws(InquiryError) -> LentLeases {
        do throws(HubCallError) {
            return try await hub.lend(wanted)
        } catch {
            throw InquiryError(error)
        }
    }

    func giveBack(_ leases: LeaseReturn) async throws(InquiryError) -> LentLeases {
        do throws(HubCallError) {
            return try await hub.giveBack(leases)
        } catch {
            throw InquiryError(error)
        }
    }
}

extension Member {
    fileprivate init(_ record: MemberRecord) {
        self.init(
            id: record.id, name: record.name, phoneSince: record.value["phoneSince"]?.string,
            points: record.points)
    }
}
