package import Base
package import HubProtocol

/// What every page of the dashboard shares: who looks at it, in which language, and how old its figures are.
package struct PageFrame: Sendable {
    /// The operator whose session shows the page, with what the role may do.
    package struct Person: Sendable {
        /// The operator's name.
        package let name: String
        /// The operator's role.
        package let role: String
        /// Sent back with every form.
        package let csrfToken: String
        /// What the role may do; forms for the rest are left out.
        package let rights: Set<Right>

        package init(name: String, role: String, csrfToken: String, rights: Set<Right>) {
            self.name = name
            self.role = role
            self.csrfToken = csrfToken
            self.rights = rights
        }
    }

    /// What a page offers only to some roles.
    package enum Right: Hashable, Sendable {
        case overrideStore, overrideChain, confirmOverride
        /// Acknowledge an alarm, decide on a refused mutation, and settle a debt.
        case resolve
    }

    private let language: Language
    /// Of the language.
    var texts: any DashboardTexts
    /// Nil with a token, on the local socket, and where `ops.open` is set: such a page has no forms.
    package let person: Person?
    /// Milliseconds since 1970.
    package let now: Int64
    /// The page's path with its query.
    package let path: String
    /// When the figures were read, in milliseconds since 1970.
    package let readAt: Int64
    /// Since when the hub's store does not respond; nil while it does.
    package let storeAwaySince: Int64?
    /// The id of the last change that the page shows; its events begin behind it. Nil for what came of a form
    /// and for a refusal, which a reload would take away.
    package let version: String?
    /// What came of the form that led here; nil for a page that was opened.
    package let notice: Notice?
    /// What the stores' settings say of them.
    let stores: StoreDirectory
    /// By which it names terminals; nil where nobody read it.
    private let fleet: Fleet?
    /// By which the page writes its times: that of the chain, and on a store's own page that store's.
    private var zone: PageZone

    /// What came of a form.
    package struct Notice: Sendable {
        /// A line for the person.
        package let text: String
        /// Whether the form was refused.
        package let isRefusal: Bool

        package init(_ text: String, isRefusal: Bool) {
            self.text = text
            self.isRefusal = isRefusal
        }

        /// Why it was refused, in the language of the page.
        package init(_ problem: Problem, _ language: Language) {
            self.init(language.dashboardTexts.detail(of: problem), isRefusal: true)
        }

        /// What came of a form that was accepted.
        package init(_ result: FormResult, _ language: Language) {
            self.init(language.dashboardTexts.done(result), isRefusal: false)
        }
    }

    /// The table that is wanted as comma-separated values in place of the page.
    package let table: String?
    /// The address of such a table without its name.
    private let tables: String

    /// Makes a frame; by default without a notice.
    ///
    /// - Parameter query: as the page's address has it; its filter is that of the page's tables too.
    package init(
        language: Language, person: Person?, now: Int64, path: String, readAt: Int64,
        storeAwaySince: Int64?, version: String? = "", notice: Notice? = nil,
        stores: StoreDirectory = StoreDirectory(), fleet: Fleet? = nil, query: String = "",
        table: String? = nil
    ) {
        self.fleet = fleet
        self.table = table
        let filter = query.split(separator: "&").filter { part in
            !["table", "page", "cursor", "done"].contains(part.prefix { $0 != "=" })
        }
        tables = path + "?" + filter.map { $0 + "&" }.joined() + "table="
        self.stores = stores
        zone = stores.clock.zone
        self.version = version
        self.language = language
        texts = language.dashboardTexts
        self.person = person
        self.now = now
        self.path = path
        self.readAt = readAt
        self.storeAwaySince = storeAwaySince
        self.notice = notice
    }

    var wording: Wording { 
        Wording(texts: texts, now: now, zone: zone, stores: stores, fleet: fleet)
    }

    /// The business day of the chain.
    package var day: String { stores.clock.day(at: now) }

    /// Whether no store is in a day yet.
    func isToCome(_ day: String) -> Bool { day > latestDay }

    /// The latest of the days that stores are in.
    var latestDay: String { stores.days(at: now).last ?? day }

    /// The frame of a page that shows one store alone.
    func of(store id: String) -> PageFrame {
        var frame = self
        frame.zone = stores.clock(of: id).zone
        return frame
    }

    func may(_ right: Right) -> Bool { person?.rights.contains(right) ?? false }
}

/// A value of a template: a text, a choice, or rows of them. A key that is absent is an empty section.
typealias PageValues = [String: Any]

extension PageFrame {
    /// What the login needs as well: the texts, and the languages that a visitor can change to.
    static func values(_ language: Language, _ texts: any DashboardTexts) -> PageValues {
        [
            "language": language.rawValue, "t": texts.byName,
            "others": Language.allCases.filter { $0 != language }.map { other in
                ["key": other.rawValue, "name": other.dashboardTexts.languageName] as PageValues
            },
        ]
    }

    /// What the layout needs.
    func values(title: String) -> PageValues {
        let wording = wording
        let first = "/" + (path.dropFirst().prefix { $0 != "/" && $0 != "?" })
        var values = Self.values(language, texts)
        values["title"] = title
        if let version { values["live"] = ["version": version] as PageValues }
        values["readAt"] = PageTime(readAt, wording).values
        values["zone"] = zone.name
        values["tables"] = tables
        let page = DashboardPage.allCases.first { $0.path == first } ?? .overview
        values["group"] = texts.group(page.group)
        values["groups"] = DashboardGroup.allCases.map { group -> PageValues in
            Self.link(to: group.pages[0].path, texts.group(group), isHere: group == page.group)
        }
        values["pages"] = page.group.pages.map {
            Self.link(to: $0.path, texts.page($0), isHere: $0.path == first)
        }
        if let person {
            values["csrf"] = person.csrfToken
            values["person"] =
                ["who": wording.list([person.name, wording.role(person.role)]), "csrf": person.csrfToken]
                as PageValues
        }
        if let storeAwaySince { values["away"] = PageTime(storeAwaySince, wording).values }
        if let notice {
            values["notice"] =
                ["text": notice.text, "tone": notice.isRefusal ? "bad" : "good"] as PageValues
        }
        return values
    }

    private static func link(to path: String, _ name: String, isHere: Bool) -> PageValues {
        var values: PageValues = ["path": path, "name": name]
        if isHere { values["here"] = true }
        return values
    }
}

/// A moment as a template writes it.
struct PageTime {
    let values: PageValues

    init(_ moment: Int64, _ wording: Wording) {
        values = [
            "iso": Timestamp.text(milliseconds: moment), "clock": wording.clock(moment),
            "ago": wording.ago(moment),
        ]
    }
}
