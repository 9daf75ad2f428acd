import HubCore
import Testing

@Suite("Dependency status")
struct DependencyStatusTests {
    private func status(_ findings: DependencyStatus.Finding...) -> DependencyStatus {
        DependencyStatus(of: findings)
    }

    @Test("A mutation that nothing is known of is missing; one that was refused alone has failed")
    func single() {
        #expect(status() == .missing)
        #expect(status(.refused) == .failed)
        #expect(status(.accepted) == .settled)
        #expect(status(.discarded) == .discarded)
        #expect(status(.foreign) == .foreign)
    }

    @Test(
        "An accepted edit settles what was refused or discarded; another device's entry of that id is no matter"
    )
    func together() {
        #expect(status(.refused, .accepted) == .settled)
        #expect(status(.accepted, .discarded) == .settled)
        #expect(status(.refused, .discarded) == .discarded)
        #expect(status(.accepted, .foreign) == .settled)
        #expect(status(.refused, .foreign) == .failed)
        #expect(status(.discarded, .foreign) == .discarded)
    }
}
