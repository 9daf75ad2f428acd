/// What casts doubt on the way to the hub.
extension OfflineMachine {
    /// Why the last thing that failed did, ahead of any verdict; `none` once the hub has answered again.
    package var doubt: ConnectivitySnapshot.Reason { network.signals.lastFailure?.reason ?? .none }
}
