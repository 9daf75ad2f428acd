/// Why a code that has a form known here cannot be read.
package enum BarcodeFault: Error, Hashable, Sendable {
    /// The code was misread or mistyped. `of` is the application identifier of the data; nil: the whole code.
    case wrongCheckDigit(of: String?, digit: String, right: String)
    /// GS1 has assigned no application identifier that begins so, so where its data ends is unknown too.
    case unknownIdentifier(String)
    /// Data that is too short, too long or not of digits for its application identifier.
    case malformedData(of: String)
    /// The weight or price in a label is zero: the scale was empty, or the code is the article's own.
    case noValue
    /// Two elements are the article (01).
    case repeatedArticle
    /// It is longer than any code that a scanner reads.
    case tooLong
    /// The elements can be read, and none of them is the article (01).
    case noArticle
}

extension BarcodeFault {
    /// A part of a sentence about the code, in English and without a full stop.
    package var message: String {
        switch self {
        case .wrongCheckDigit(nil, let digit, let right):
            "its check digit is \(digit), not \(right)"
        case .wrongCheckDigit(let source?, let digit, let right):
            "the check digit of (\(source)) is \(digit), not \(right)"
        case .unknownIdentifier(let identifier): "GS1 has no application identifier (\(identifier))"
        case .malformedData(let identifier): "the data of (\(identifier)) has not its form"
        case .noValue: "its weight or price is zero"
        case .repeatedArticle: "it has the article (01) twice"
        case .tooLong: "it has more than \(TextBound.scanned) bytes"
        case .noArticle: "it has no article (01)"
        }
    }

    /// The same in Chinese.
    package var chinese: String {
        switch self {
        case .wrongCheckDigit(nil, let digit, let right): "校验码为 \(digit)，应为 \(right)"
        case .wrongCheckDigit(let source?, let digit, let right):
            "(\(source)) 的校验码为 \(digit)，应为 \(right)"
        case .unknownIdentifier(let identifier): "GS1 没有应用标识符 (\(identifier))"
        case .malformedData(let identifier): "(\(identifier)) 的数据格式不对"
        case .noValue: "其中的重量或价格为零"
        case .repeatedArticle: "商品标识 (01) 出现两次"
        case .tooLong: "它超过 \(TextBound.scanned) 字节"
        case .noArticle: "没有商品标识 (01)"
        }
    }
}
