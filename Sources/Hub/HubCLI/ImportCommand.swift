internal import ArgumentParser
internal import HubCore

/// `pos-hub import`: takes files of master data in, each whole or not at all.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import master data from CSV.",
        subcommands: [
            ImportFile<ProductFormat>.self, ImportFile<MemberFormat>.self, ImportFile<CashierFormat>.self,
            ImportFile<PromotionFormat>.self, ImportFile<CouponFormat>.self,
        ])
}
