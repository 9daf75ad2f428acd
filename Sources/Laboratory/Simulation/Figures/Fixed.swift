/// `value` with `places` digits after the decimal point.
public func fixed(_ value: Double, places: Int) -> String {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let whole = Int64((value.magnitude * scale).rounded())
    let part = String(whole % Int64(scale))
    let sign = value < 0 && whole > 0 ? "-" : ""
    let padding = String(repeating: "0", count: max(0, places - part.count))
    return "\(sign)\(whole / Int64(scale))" + (places > 0 ? ".\(padding)\(part)" : "")
}
