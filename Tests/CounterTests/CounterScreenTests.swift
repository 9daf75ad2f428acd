import AgentAPI
import Counter
import HubProtocol
import Testing

@Suite("A cashier works a queue at the counter by keys alone")
struct CounterScreenTests {
    private var play = CounterPlay()

    @Test("an agent that has ended is red in the status row at once, and the row follows the next one")
    func agentGone() {
        var play = CounterPlay()
        play.feed(.status(.shown(command: "sync now")))
        play.scan("690")
        play.feed(.agentGone)
        let row = { (play: CounterPlay) in play.screen.frame().text.split(separator: "\n")[1] }
        #expect(row(play).contains("THE TILL'S SERVICE HAS STOPPED") && !row(play).contains("ONLINE"))
        let frame = play.screen.frame()
        #expect(Set(frame.cells[frame.columns..<2 * frame.columns].map(\.style)) == [.stopped])
        play.isHeld = true
        play.scan("691")
        play.feed(.response(id: play.held.removeLast().0, .gone))
        #expect(play.text.contains("The till's service has stopped"))
        play.feed(.status(.shown(isOffline: true)))
        #expect(row(play).contains("OFFLINE") && !row(play).contains("STOPPED"))
        #expect(play.text.contains("is back: scan or pay again"))
        #expect(play.screen.cart.lines.count == 1)
    }

    @Test(
        "the row has the colour and the mark of the banner's level, whatever the mode and its command are",
        arguments: [
            (BannerAdvice.Level.calm, FrameStyle.calm, "●"), (.alert, .alert, "▲"),
            (.stopped, .stopped, "■"),
        ])
    func level(_ level: BannerAdvice.Level, style: FrameStyle, mark: String) {
        for isOffline in [false, true] {
            var play = CounterPlay()
            play.feed(.status(.shown(isOffline: isOffline, level: level)))
            let frame = play.screen.frame()
            #expect(Set(frame.cells[frame.columns..<2 * frame.columns].map(\.style)) == [style])
            #expect(frame.text.split(separator: "\n")[1].hasPrefix(" \(mark) "))
        }
    }

    @Test("scans are lines with a total, paid in cash with change, and the next customer begins")
    mutating func sale() {
        play.scan("690", "2*691", "692:0.5")
        #expect(play.screen.cart.lines.map(\.quantityMilli) == [nil, 2000, 500])
        #expect(play.screen.cart.total == 650 + 2560 + 6400)
        play.press(.function(10))
        play.type("100\r")
        #expect(play.text.contains("Change"))
        #expect(play.screen.cart.isEmpty)
        play.scan("690")
        #expect(play.screen.dialog == nil)
        #expect(play.screen.cart.lines.count == 1)
        #expect(play.text.contains("Last sale    96.10 CNY · change 3.90 CNY"))
        guard
            case .sell(let call)? = play.requests.first(where: { if case .sell = $0 { true } else { false } })
        else { return #expect(Bool(false), "nothing was sold") }
        #expect(call.payments == [SellCall.Tender(method: "cash", amountMinor: 10_000)])
        #expect(call.quotedTotalMinor == 9_610)
    }

    @Test("a paste of many barcodes is scanned in order, a refused one is named and costs no other")
    mutating func paste() {
        play.press(.paste("690\n4711\n691\n692\n"))
        #expect(play.screen.cart.lines.map(\.barcode) == ["690", "691", "692"])
        #expect(play.text.contains("No article has the code 4711"))
        #expect(play.bells == 1)
    }

    @Test("keys go on while a price is out, and one quote is out at a time")
    mutating func ahead() {
        play.isHeld = true
        play.scan("690", "691", "692")
        #expect(play.held.count == 1)
        #expect(play.screen.unpriced == 3)
        play.press(.function(10))
        #expect(play.screen.dialog == nil)
        play.release()
        #expect(play.screen.cart.lines.map(\.barcode) == ["690", "691", "692"])
    }

    @Test(
        "the price of an article without a fixed one is entered behind its scan, and no barcode is taken for it"
    )
    mutating func openPrice() {
        play.scan("690", "2*695")
        #expect(play.text.contains("Price of Repair"))
        #expect(play.screen.cart.lines.map(\.barcode) == ["690"])
        play.type("0\r4006381333931\r45.50\r")
        #expect(play.bells == 4)
        play.type("4550\r")
        #expect(play.screen.dialog == nil)
        #expect(play.screen.cart.lines.map(\.barcode) == ["690", "695"])
        #expect(play.screen.cart.lines[1].unitPriceMinor == 4550)
        #expect(play.screen.cart.lines[1].quantityMilli == 2000)
        play.scan("695")
        play.press(.escape)
        #expect(play.screen.cart.lines.count == 2)
        play.press(.paste("695\n691\n"))
        #expect(play.screen.dialog == nil)
        #expect(play.screen.cart.lines.last?.barcode == "691")
    }

    @Test(
        "a quantity that cannot be read is not taken for a barcode",
        arguments: ["0*690", "-1*690", "*690x", "*-3"])
    mutating func malformedQuantity(_ scan: String) {
        play.scan(scan)
        #expect(play.text.contains("A quantity is 2 or 0.357."))
        #expect(play.screen.cart.isEmpty)
    }

    @Test("the quantity of an article by weight is entered behind its scan, and no barcode is taken for it")
    mutating func openQuantity() {
        play.scan("690", "696")
        #expect(play.text.contains("How much of Cheese?"))
        play.type("40063813\r0\r")
        #expect(play.bells == 3)
        play.type("0,357\r")
        #expect(play.screen.dialog == nil)
        #expect(play.screen.cart.lines.map(\.barcode) == ["690", "696"])
        #expect(play.screen.cart.lines[1].quantityMilli == 357)
        play.scan("0,2*696")
        #expect(play.screen.cart.lines.last?.quantityMilli == 200)
    }

    @Test("a barcode that is scanned where an amount is typed is no amount, whatever its length")
    mutating func scannedAmount() {
        play.scan("690")
        play.press(.function(10))
        // EAN-13, EAN-8, one that begins with zeros, and UPC-A.
        play.type("6901234567892\r96385074\r00012348\r036000291452\r")
        #expect(play.bells == 4 && play.screen.cart.tenders.isEmpty)
        let isSold = play.requests.contains { if case .sell = $0 { true } else { false } }
        #expect(!isSold)
        // One digit less, or a round amount, is one.
        play.type("6.51\r")
        let paid = play.requests.compactMap { if case .sell(let call) = $0 { call.payments } else { nil } }
        #expect(play.screen.cart.isEmpty && paid == [[.init(method: "cash", amountMinor: 651)]])
        play.scan("690")
        play.press(.function(5))
        play.type("96385074\r")
        #expect(play.bells == 5 && play.screen.cart.lines[0].unitPriceMinor == nil)
        play.press(.escape, .alt("z"), .typed("o"))
        play.type("96385074\r")
        #expect(play.bells == 6 && play.shift == nil)
    }

    @Test("what the catalogue does not have is sold by a department that is chosen, at an entered price")
    mutating func openItem() {
        play.scan("690", "2*4711")
        #expect(play.text.contains("Alt-U"))
        play.press(.alt("u"))
        #expect(play.text.contains("4711") && play.text.contains("food") && play.text.contains("tax 7 %"))
        play.press(.down, .enter)
        play.type("5.50\r")
        #expect(play.screen.cart.lines.count == 2)
        #expect(play.screen.cart.lines[1].barcode == "4711")
        #expect(play.screen.cart.lines[1].quantityMilli == 2000)
        #expect(play.screen.cart.lines[1].department == "food")
        #expect(play.screen.cart.lines[1].taxBasisPoints == 1900)
        #expect(play.screen.cart.lines[1].unitPriceMinor == 550)
        // Without a scan before it, something without a code.
        play.press(.alt("u"), .enter)
        play.type("1\r")
        #expect(play.screen.cart.lines[2].barcode == "")
        #expect(play.screen.cart.lines[2].taxBasisPoints == 700)
    }

    @Test("a catalogue without departments says so, and takes nothing")
    mutating func noDepartments() {
        play.departments = []
        play.scan("4711")
        play.press(.alt("u"))
        #expect(play.screen.dialog == nil)
        #expect(play.text.contains("no departments"))
    }

    @Test("quantity, discount, price and removal are of the marked line")
    mutating func edits() {
        play.scan("690", "691")
        play.press(.up, .function(3))
        play.type("3\r")
        play.press(.function(4))
        play.type("10%\r")
        play.press(.down, .function(5))
        play.type("9.90\r")
        #expect(play.screen.cart.lines.map(\.quantityMilli) == [3000, nil])
        #expect(play.screen.cart.lines[0].discountMinor == 195)
        #expect(play.screen.cart.lines[1].unitPriceMinor == 990)
        play.press(.up, .delete)
        #expect(play.screen.cart.lines.map(\.barcode) == ["691"])
    }

    @Test("a cart is parked, another one is sold, and it comes back with the key of its sale")
    mutating func park() {
        play.scan("690", "691")
        play.press(.function(8))
        play.type("blue coat\r")
        #expect(play.screen.cart.isEmpty)
        play.scan("692")
        play.press(.function(10), .enter)
        play.press(.enter, .function(8))
        #expect(play.text.contains("blue coat"))
        play.press(.enter)
        #expect(play.screen.cart.lines.map(\.barcode) == ["690", "691"])
        #expect(play.screen.cart.total == 1930)
    }

    @Test("a sale without a cashier asks for id and PIN, then goes on; the PIN is nowhere on the screen")
    mutating func signIn() {
        play.scan("690")
        play.refusal = AgentFailure(code: "sign_in_required", message: "sign in", exit: 1)
        play.press(.function(10), .enter)
        play.type("wang\r9876")
        #expect(!play.text.contains("9876"))
        play.type("\r")
        #expect(play.text.contains("That is not the PIN"))
        #expect(play.screen.cart.lines.count == 1)
        play.type("1234\r")
        #expect(play.screen.cart.isEmpty)
        #expect(play.orders.count == 1)
        #expect(play.screen.cashier?.name == "王小明")
    }

    @Test("what needs a manager asks for one and keeps the cart; the approval is for one request")
    mutating func approval() {
        play.scan("690")
        play.refusal = AgentFailure(
            code: "approval_required", message: "manager", exit: 1, details: .init(action: "priceOverride"))
        play.press(.function(10), .enter)
        #expect(play.screen.cart.lines.count == 1)
        play.type("li\r987654\r")
        guard case .sell(let call)? = play.requests.last else {
            return #expect(Bool(false), "not sent again")
        }
        #expect(call.person.approver == AgentPerson.Approver(id: "li", pin: "987654"))
        #expect(play.orders.count == 1)
        play.scan("690")
        play.press(.function(10), .enter)
        guard case .sell(let next)? = play.requests.last else { return #expect(Bool(false), "not sold") }
        #expect(next.person.approver == nil)
    }

    @Test(
        "every refusal leaves the cart as it is", arguments: ["card_declined", "price_changed", "disk_full"])
    mutating func refusals(_ code: String) {
        play.scan("690", "691")
        play.refusal = AgentFailure(code: code, message: "The reason.", exit: 1)
        play.press(.function(10), .enter)
        #expect(play.screen.cart.lines.count == 2)
        #expect(play.screen.cart.total == 1930)
        #expect(play.screen.message?.isError == true)
    }

    @Test(
        "equal scans are one line where the store wants it, but for a line with a price or weight of its own")
    mutating func equalScans() {
        play.scan("690", "691", "690")
        #expect(play.screen.cart.lines.map(\.barcode) == ["690", "691", "690"])
        play = CounterPlay()
        var till = TillState(storeName: "S", number: 1, timeZone: "UTC", cashier: nil, shiftId: nil)
        till.joinsEqualScans = true
        play.feed(.status(.shown(till: till)))
        play.scan("690", "691", "690", "2*690")
        #expect(play.screen.cart.lines.map(\.barcode) == ["690", "691"])
        #expect(play.screen.cart.lines.map(\.quantityMilli) == [4000, nil])
        // The line that counted up is the marked one.
        play.press(.function(4))
        play.type("1\r")
        #expect(play.screen.cart.lines.map(\.discountMinor) == [100, nil])
        play.scan("690")
        #expect(play.screen.cart.lines.map(\.barcode) == ["690", "691", "690"])
    }

    @Test("clocks that differ are confirmed by paying once more")
    mutating func clocks() {
        play.scan("690")
        play.refusal = AgentFailure(code: "clock_differs", message: "two days", exit: 1)
        play.press(.function(10), .enter)
        #expect(play.orders.isEmpty)
        #expect(play.text.contains("The clocks of till and head office differ"))
        play.press(.function(10), .enter)
        guard case .sell(let call)? = play.requests.last else { return #expect(Bool(false), "not sold") }
        #expect(call.isClockConfirmed)
        #expect(play.orders.count == 1)
    }

    @Test("a voucher that paid another sale is taken when it is entered once more, for this cart alone")
    mutating func usedVoucher() {
        for isConfirmed in [false, true, false] {
            if !isConfirmed { play.scan("690") }
            if !isConfirmed {
                play.refusal = AgentFailure(
                    code: "voucher_used", message: "V paid S1-1 (--voucher-confirmed).", exit: 1)
            }
            play.press(.function(10), .enter)
            guard case .sell(let call)? = play.requests.last else { return #expect(Bool(false), "not sold") }
            #expect(call.isVoucherConfirmed == isConfirmed)
            if isConfirmed {
                play.press(.escape)
            } else {
                #expect(play.sentences.contains("To confirm it, pay with it again."))
            }
        }
    }

    @Test("cash that does not reach the total stays, and the rest goes by card")
    mutating func split() {
        play.scan("692")
        play.press(.function(10))
        play.type("100\r")
        #expect(play.text.contains("28.00 CNY still due"))
        play.type("28")
        play.press(.down, .enter)
        guard case .sell(let call)? = play.requests.last else { return #expect(Bool(false), "not sold") }
        #expect(call.payments?.map(\.method) == ["cash", "card"])
        #expect(call.payments?.map(\.amountMinor) == [10_000, 2_800])
    }

    @Test("what is scanned while a sale or a sign-in is out is of the next cart, and none of it is lost")
    mutating func typedAhead() {
        play.scan("690")
        play.press(.function(10))
        play.isHeld = true
        play.press(.enter)
        play.scan("691", "692")
        #expect(play.screen.cart.lines.map(\.barcode) == ["690"])
        play.release()
        #expect(play.orders.count == 1)
        #expect(play.screen.cart.lines.map(\.barcode) == ["691", "692"])
        play.press(.function(11))
        play.type("wang\r")
        play.isHeld = true
        play.type("1234\r690\r")
        play.release()
        #expect(play.screen.cashier?.id == "wang")
        #expect(play.screen.cart.lines.map(\.barcode) == ["691", "692", "690"])
    }

    @Test("what was typed behind a sale that is refused is dropped and does not become an approver")
    mutating func typedBehindRefusal() {
        play.scan("690")
        play.refusal = AgentFailure(code: "approval_required", message: "manager", exit: 1)
        play.press(.function(10))
        play.isHeld = true
        play.press(.enter)
        play.scan("691")
        play.release()
        #expect(play.screen.cart.lines.map(\.barcode) == ["690"])
        guard case .entry(.approver, let editor)? = play.screen.dialog else {
            return #expect(Bool(false), "no approver is asked for")
        }
        #expect(editor.text.isEmpty)
    }

    @Test("Escape while a card is asked gives the payment up once")
    mutating func giveUp() {
        play.scan("690")
        play.press(.function(10))
        play.isHeld = true
        play.press(.down, .down, .down, .down, .down, .enter)
        play.feed(.secondPassed)
        #expect(play.text.contains("Esc gives it up"))
        play.feed(.status(.shown(cardStep: .enterPIN)))
        #expect(play.text.contains("card machine: enter the PIN") && play.text.contains("Esc gives it up"))
        play.press(.escape)
        guard case .giveUp(let key)? = play.requests.last else { return #expect(Bool(false), "not given up") }
        #expect(key == "01J0000000000000000000000A")
    }

    @Test("the panel of the payment says that somebody else used the card machine")
    mutating func foreignBooking() {
        play.scan("690")
        play.feed(.status(.shown(foreignBooking: 143)))
        play.press(.function(10))
        #expect(play.text.contains("somebody else made booking"))
        play.feed(.status(.shown()))
        #expect(!play.text.contains("somebody else"))
    }

    @Test("an article is found by a part of its name, one Chinese character too")
    mutating func search() {
        play.press(.function(2))
        play.type("奶")
        #expect(play.text.contains("全脂牛奶 1 升"))
        play.press(.enter)
        #expect(play.screen.cart.lines.map(\.barcode) == ["690"])
    }

    @Test("a full cart is not left by one key; an empty one is")
    mutating func leave() {
        play.scan("690")
        play.press(.control("q"))
        #expect(!play.hasLeft)
        play.press(.escape)
        #expect(play.screen.cart.lines.count == 1)
        play.press(.control("q"), .typed("y"))
        #expect(play.hasLeft)
    }

    @Test("the banner's action is a key")
    mutating func banner() {
        play.feed(.status(.shown(isOffline: true, command: "pos sync now")))
        #expect(play.text.contains("F12 try now"))
        play.press(.function(12))
        guard case .retry? = play.requests.last else { return #expect(Bool(false), "nothing was requested") }
        play.feed(.status(.shown(isOffline: true, command: "pos offline off")))
        play.press(.alt("b"))
        guard case .setManual(let call)? = play.requests.last else {
            return #expect(Bool(false), "the switch was not set")
        }
        #expect(!call.isOn)
    }

    @Test("every action has a letter of its own, and the menu needs no F-keys")
    mutating func menu() {
        #expect(Set(CounterAction.allCases.map(\.letter)).count == CounterAction.allCases.count)
        play.scan("690")
        play.press(.tab, .typed("p"))
        #expect(play.text.contains("Amount, or choose below"))
    }

    @Test("a telephone number that nobody has becomes a member by a name, or stays as typed")
    mutating func newMember() {
        func made() -> [AddMemberCall] {
            play.requests.compactMap { if case .addMember(let call) = $0 { call } else { nil } }
        }
        play.scan("690")
        play.press(.function(6))
        play.type("404404404\r")
        #expect(play.text.contains("New member 404404404") && play.text.contains("Nobody knows"))
        play.press(.escape)
        #expect(made().isEmpty && play.text.contains("404404404"))
        play.press(.function(6))
        play.type("404404404\rLi\r")
        #expect(made().map(\.phone) == ["404404404"] && made().map(\.name) == ["Li"])
        #expect(play.text.contains("N1") && !play.text.contains("New member"))
        // What is no telephone number stays noted.
        play.press(.function(6))
        play.type("404\r")
        #expect(!play.text.contains("New member") && play.text.contains("Nobody knows"))
    }
}
