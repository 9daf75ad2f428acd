import Base
@testable import HubProtocol
import Testing

@Suite("Codes with more than an article inside")
struct BarcodeTests {
    @Test(
        "a check digit is that of GS1's examples",
        arguments: ["4006381333931", "04006381333931", "96385074", "036000291452"])
    func checkDigit(_ code: String) {
        #expect(EANCheckDigit.isRight(Array(code.utf8)))
        let wrong = code.dropLast() + (code.last == "9" ? "0" : "9")
        #expect(!EANCheckDigit.isRight(Array(wrong.utf8)))
    }

    @Test("a GTIN is one number with or without zeros in front, and nothing else is one")
    func tradeItem() {
        let forms = ["00036000291452", "0036000291452", "036000291452"]
        for form in forms {
            #expect(TradeItemCode.forms(of: form) == forms && TradeItemCode.key(of: form) == forms[0])
        }
        #expect(TradeItemCode.forms(of: "96385074").last == "96385074")
        for other in ["036000291453", "0360002914520", "36000291452", "tea", ""] {
            #expect(TradeItemCode(other) == nil && TradeItemCode.forms(of: other) == [other])
        }
        #expect(ElementString.plain("]E0036000291452") == "036000291452")
        for marked in ["]C101040063813339", "]e0", "]", "]E", "036000291452", "]?0123"] {
            #expect(ElementString.plain(marked) == nil)
        }
    }

    @Test("a weight is thousandths, and the article is looked up in three forms")
    func weight() throws {
        let rule = try #require(BarcodeRule("21AAAAAWWWWWC"))
        let reading = try #require(rule.reading(of: "2112345003573"))
        #expect(reading.value == .weightMilli(357))
        #expect(reading.articles == ["2112345000008", "2112345", "12345"])
    }

    @Test("a price is minor units, and the digit that checks it is not read")
    func price() throws {
        let rule = try #require(BarcodeRule("22AAAAAVPPPPC"))
        let reading = try #require(rule.reading(of: "2212345704576"))
        #expect(reading.value == .priceMinor(457))
        #expect(reading.articles == ["2212345000005", "2212345", "12345"])
    }

    @Test(
        "what is no barcode of the rule has no reading",
        arguments: [
            "2112345003574", "2012345003576", "211234500357", "21123450035731", "21123x5003573", "",
            "4006381333931",
        ])
    func other(_ code: String) throws {
        let rule = try #require(BarcodeRule("21AAAAAWWWWWC"))
        #expect(rule.reading(of: code) == nil)
    }

    @Test(
        "what is no rule is refused",
        arguments: [
            "", "21AAAAAWWWWW", "21AAAAAWWWWWCC", "31AAAAAWWWWWC", "2XAAAAAWWWWWC", "21AAAAAAAAAAC",
            "21WWWWWWWWWWC", "21AAAWWWAAWWC", "21AAAAAWWWPPC", "21AAAAA00000C", "21AAAAAWWWWWW",
        ])
    func malformedRule(_ text: String) {
        #expect(BarcodeRule(text) == nil)
    }

    @Test("rules of a list have prefixes of their own")
    func list() {
        #expect(BarcodeRule.list("21AAAAAWWWWWC, 22AAAAAPPPPPC")?.count == 2)
        #expect(BarcodeRule.list("21AAAAAWWWWWC,21AAAAAPPPPPC") == nil)
        #expect(BarcodeRule.list("21AAAAAWWWWWC,") == nil)
        #expect(BarcodeRule.list("") == nil)
    }

    @Test("an element string is read with separators, with a symbology identifier and with parentheses")
    func elements() throws {
        let forms = [
            "010400638133393110LOT7\u{1D}17261231", "]C1010400638133393110LOT7\u{1D}17261231",
            "(01)04006381333931(10)LOT7(17)261231", "\u{1D}010400638133393117261231" + "10LOT7",
        ]
        for form in forms {
            let elements = try #require(ElementString(form), "\(form)")
            #expect(elements.gtin == "04006381333931")
            #expect(elements.batch == "LOT7")
            #expect(elements.expiry == "261231")
            #expect(elements.weightMilli == nil && elements.price == nil)
            #expect(elements.articles == ["04006381333931", "4006381333931"])
        }
        #expect(
            ElementString("0100000096385074")?.articles
                == ["00000096385074", "0000096385074", "000096385074", "96385074"])
    }

    @Test(
        "a weight of every number of decimals is thousandths of a kilogram",
        arguments: [
            ("3100000012", 12_000), ("3101000012", 1_200), ("3102000012", 120), ("3103000357", 357),
            ("3104003574", 357), ("3104003575", 358), ("3105035749", 357), ("3105999999", 10_000),
        ] as [(String, Int64)])
    func weights(_ element: String, _ milli: Int64) {
        #expect(ElementString("0104006381333931" + element)?.weightMilli == milli)
    }

    @Test("an amount to pay becomes minor units of the article's currency, or none")
    func amounts() throws {
        let two = try #require(ElementString("01040063813339313922457"))
        #expect(two.priceMinor(decimals: 2) == 457)
        #expect(two.priceMinor(decimals: 3) == 4570)
        #expect(two.priceMinor(decimals: 0) == nil)
        let none = try #require(ElementString("01040063813339313920457"))
        #expect(none.priceMinor(decimals: 0) == 457)
        #expect(none.priceMinor(decimals: 2) == 45_700)
        let zeros = try #require(ElementString("010400638133393139234500"))
        #expect(zeros.priceMinor(decimals: 1) == 45)
        #expect(ElementString("01040063813339313922")?.price == nil)
        #expect(ElementString("0104006381333931")?.priceMinor(decimals: 2) == nil)
        let largest = try #require(ElementString("01040063813339313920999999999999999"))
        #expect(largest.priceMinor(decimals: 3) == 999_999_999_999_999_000)
    }

    @Test(
        "what is no element string, or names no article, has no reading",
        arguments: [
            "", "x", "4006381333931", "0104006381333932", "010400638133393", "10LOT7",
            "(01)04006381333931(10)",
            "(01)0400638133393", "(01", "0104006381333931ZZ", "0104006381333931310300035",
            "01040063813339313107000357", "01040063813339313924457", "01040063813339310104006381333931",
            "0104006381333931392212345678901234567", "(3103)000357", "5604006381333931",
        ])
    func malformed(_ text: String) {
        #expect(ElementString(text) == nil)
    }

    @Test("data that is not used here is skipped: a serial number, a count, a best-before date")
    func others() throws {
        let elements = try #require(
            ElementString("010400638133393121SERIAL\u{1D}3012\u{1D}152612313103000357"))
        #expect(elements.weightMilli == 357)
    }

    @Test(
        "what is wrong with a marked element string is named",
        arguments: [
            ("0104006381333932", .wrongCheckDigit(of: "01", digit: "2", right: "1")),
            ("(01)04006381333931(00)106141411234567890", .wrongCheckDigit(of: "00", digit: "0", right: "7")),
            ("(01)04006381333931(410)4006381333932", .wrongCheckDigit(of: "410", digit: "2", right: "1")),
            ("(01)04006381333931(05)1", .unknownIdentifier("05")),
            ("(01)04006381333931(244)1", .unknownIdentifier("244")),
            ("010400638133393138123", .unknownIdentifier("38")),
            ("0104006381333931ZZ", .unknownIdentifier("ZZ")),
            ("(01)04006381333931(\u{1B}[31m)1", .unknownIdentifier("?[31m")),
            ("]C10104006381333931310300035", .malformedData(of: "3103")),
            ("(01)04006381333931(17)26123A", .malformedData(of: "17")),
            ("01040063813339310104006381333931", .repeatedArticle), ("(10)LOT7", .noArticle),
        ] as [(String, BarcodeFault)])
    func faults(_ text: String, _ fault: BarcodeFault) {
        #expect(ElementString.fault(in: text) == fault)
        #expect(ElementString(text) == nil)
        for language in Language.allCases { #expect(!language.sharedTexts.text(fault).isEmpty) }
    }

    @Test(
        "a right element string and a code without its marks have no fault",
        arguments: [
            "(01)04006381333931(235)x(8200)y", "4006381333931", "x", "", "10LOT7", "0104006381333", "]x",
        ])
    func faultless(_ text: String) {
        #expect(ElementString.fault(in: text) == nil)
    }

    @Test("a wrong check digit of a rule's code is named; a code of another prefix is none of the rule")
    func ruleFaults() throws {
        let rule = try #require(BarcodeRule("20AAAAAWWWWWC"))
        #expect(rule.fault(in: "2000001003573") == .wrongCheckDigit(of: nil, digit: "3", right: "2"))
        #expect(rule.fault(in: "2000001003572") == nil)
        #expect(rule.fault(in: "2100001003573") == nil)
    }
}
