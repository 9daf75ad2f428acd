internal import CurlTransport
internal import Retail
internal import TerminalStore

extension CounterPorts {
    /// The hub's services `account`, `member` and `marketing`, and the till's copy of the change feed.
    init(hub: HubClient, store: TerminalStores) {
        let copy = store.copy
        self.init(
            cashiers: HubCashierVerifying(hub: hub), roster: copy,
            failedPINs: SQLiteFailedPINs(store.database), signIns: SQLiteSignIn(store.database),
            members: HubMemberFinding(hub: hub),
            memberBook: copy, offers: HubOfferEvaluating(hub: hub), offerCopy: copy)
    }
}
