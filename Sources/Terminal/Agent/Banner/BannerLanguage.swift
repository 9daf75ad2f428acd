/// The languages of the banner.
public enum BannerLanguage: String, Hashable, Sendable, CaseIterable {
    case english = "en"
    case chinese = "zh"

    /// The language that an environment requests: by `LC_ALL`, `LC_MESSAGES` and `LANG`, the first that is
    /// set (POSIX.1-2017, section 8.2); English for everything that is not Chinese.
    public init(environment: [String: String]) {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        let locale = names.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        self = locale.hasPrefix("zh") ? .chinese : .english
    }
}
