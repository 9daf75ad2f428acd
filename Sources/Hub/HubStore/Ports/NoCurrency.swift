/// Stands where no currency is known yet.
enum NoCurrency {
    /// ISO 4217's own code for "no currency".
    static let code = "XXX"
}
