import OfflineCore
import Testing

@Suite("Approvals")
struct ApprovalsTests {
    @Test("are the store's list, or by default all but the manual switch where somebody can approve")
    func lists() {
        #expect(Approvals(listed: nil, hasManager: false).actions == [])
        let standard = Approvals(listed: nil, hasManager: true)
        #expect(standard.actions.count == ApprovalAction.allCases.count - 1)
        #expect(!standard.needs(.manualOffline) && standard.needs(.refund))
        #expect(Approvals(listed: [], hasManager: true).actions == [])
        #expect(Approvals(listed: [.void], adding: [.refund], hasManager: false).actions == [.void, .refund])
        #expect(Approvals(listed: nil, adding: [.manualOffline], hasManager: true).needs(.manualOffline))
    }

    @Test("begin just above the limit of a discount, up to the largest amounts")
    func discounts() {
        let tenth = Approvals(listed: nil, hasManager: true)
        #expect(!tenth.isAboveLimit(discount: 0, of: 0))
        #expect(!tenth.isAboveLimit(discount: 100, of: 1000))
        #expect(tenth.isAboveLimit(discount: 101, of: 1000))
        let most = Int64(1) << 53 - 1
        #expect(!tenth.isAboveLimit(discount: most / 10, of: most))
        #expect(tenth.isAboveLimit(discount: most, of: most))
        let none = Approvals(listed: nil, hasManager: true, discountBasisPoints: 0)
        #expect(none.isAboveLimit(discount: 1, of: most))
        #expect(
            !Approvals(listed: nil, hasManager: true, discountBasisPoints: 10_000)
                .isAboveLimit(discount: most, of: most))
    }
}
