package import Base
package import HubProtocol

/// The texts of the dashboard in one language. Spans and numbers come written.
package protocol DashboardTexts: Sendable {
    /// The language in its own words.
    var languageName: String { get }

    func group(_ group: DashboardGroup) -> String
    func page(_ page: DashboardPage) -> String
    func frame(_ key: PageText.Frame) -> String
    func fleet(_ key: PageText.Fleet) -> String
    func service(_ key: PageText.Service) -> String
    func record(_ key: PageText.Record) -> String
    func sale(_ key: PageText.Sale) -> String
    func shift(_ key: PageText.Shift) -> String

    func role(_ role: PageWord.Role) -> String
    func source(_ source: PageWord.Source) -> String
    func cause(_ cause: PageWord.Cause) -> String
    func fault(_ fault: PageWord.NetworkFault) -> String
    func name(of service: PageWord.Service) -> String
    func alarm(_ alarm: AlarmKind) -> String
    func entry(_ entry: PageWord.Entry) -> String
    func flag(_ flag: PageWord.Flag) -> String
    func act(_ act: LoggedAction) -> String
    func right(_ right: PageWord.Right) -> String
    func name(_ figure: ShiftFigure) -> String
    func state(_ state: PaymentState) -> String
    func state(_ state: PageWord.Order) -> String
    func state(_ state: ServiceState) -> String
    func state(_ state: ShiftSettlement.State) -> String
    func mode(_ mode: FleetMode) -> String
    /// Of a piece that another terminal handed in; nil: its entries count.
    func state(_ hold: RelayHold?) -> String
    func done(_ result: FormResult) -> String
    func unit(_ unit: TimeUnit) -> String

    /// `span` before now.
    func ago(_ span: String) -> String
    /// How long a service is in its state, and how many of a hundred requests fail; nil without any.
    func lasting(_ span: String, failing percent: Int64?) -> String
    /// A bar's title of an offline period that is not over.
    func stillLasts(_ title: String) -> String
    func failed(percent: Int64) -> String
    func store(_ id: String) -> String
    func terminal(_ id: String) -> String
    func sales(of day: String) -> String
    func sales(count: String) -> String
    func online(_ number: String) -> String
    func wholeStores(_ number: String) -> String
    func moreStores(_ number: String) -> String
    /// How many of the refused mutations terminals still hold.
    func refusedAtTerminals(_ number: String) -> String
    func oldest(_ span: String) -> String
    /// Of a plot.
    func states(of service: String) -> String
    /// Of a statement of the hub.
    func entries(sold: String, received: String, gap: String) -> String

    /// Why something is refused, as a heading.
    func title(of problem: Problem) -> String
    /// Why something is refused, and what to do.
    func detail(of problem: Problem) -> String
    func refusal(_ refusal: LoginRefusal) -> String
    /// What an override does to whom, until when; nil: until it is taken back.
    func wanted(_ service: String, _ state: String, _ place: String, until end: String?) -> String
    /// Of an override for a store of which the hub has no terminal.
    func unknownStore(_ id: String) -> String

    /// What is wrong.
    func title(of trouble: Trouble.Kind) -> String
    func scopes(stores: Int, terminals: Int) -> String
    func missing(entries: String) -> String
    /// What an override takes the place of: its sentence, who set it and why.
    func replaces(_ sentence: String, by name: String, reason: String) -> String
}

extension Language {
    /// The one place that chooses the dashboard's texts.
    package var dashboardTexts: any DashboardTexts {
        switch self {
        case .english: EnglishDashboardTexts()
        case .chinese: ChineseDashboardTexts()
        }
    }
}

extension DashboardTexts {
    /// The fixed texts by the names that templates use.
    var byName: PageValues {
        func named<Key: RawRepresentable<String> & CaseIterable>(
            _ text: (Key) -> String
        ) -> [(String, Any)] {
            Key.allCases.map { ($0.rawValue, text($0)) }
        }
        var all: PageValues = [:]
        for texts in [
            named(page), named(frame), named(fleet), named(service), named(record), named(sale), named(shift),
        ] {
            all.merge(texts) { first, _ in first }
        }
        return all
    }

    /// The text of a word of a document; a word of a later version as it is.
    func word<Word: RawRepresentable<String>>(_ word: String, _ text: (Word) -> String) -> String {
        Word(rawValue: word).map(text) ?? word
    }

    /// The name of a service of a document.
    func name(ofService name: String) -> String { word(name) { self.name(of: $0) } }
}
