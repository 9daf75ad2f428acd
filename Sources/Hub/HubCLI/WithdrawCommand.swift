internal import ArgumentParser
internal import HubProtocol
internal import HubServer

/// `pos-hub withdraw KIND ID`: takes one record of master data from every terminal.
struct WithdrawCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw", abstract: "Withdraw a record from every terminal.",
        discussion: "The same as a line of an import file with the column withdrawn set to true. "
            + "A later import of the id brings the record back.")

    @OptionGroup var options: StoreOptions

    @Argument(help: "product, member, cashier, promotion or coupon.")
    var kind: String

    @Argument(help: "Its id; of a product the sku, of a coupon the code.")
    var id: String

    func run() async throws {
        guard let kind = ImportedList.Kind(name: kind) else {
            throw CommandFailure.usage(
                "\(kind) is no kind of record; write product, member, cashier, promotion or coupon")
        }
        try await options.show(.withdraw(kind, id: id)) { _ in
            "the \(kind.entity) \(id) is withdrawn; terminals take it away at their next pull"
        }
    }
}

/// `pos-hub erase member ID`: takes a person's data out of the hub.
struct EraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase", abstract: "Erase a person's data from the hub.", subcommands: [Member.self])

    struct Member: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Erase a member: profile, and name and phone in the journals that the hub keeps.",
            discussion: "The id stays in sales. Backups, and the journals of terminals for 90 days, "
                + "keep what they have; see docs/concepts/security.md.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The member's id.")
        var id: String

        func run() async throws {
            try await options.show(.eraseMember(id: id)) { response in
                "the member \(id) is erased, and their data in "
                    + "\(response["journalEntries"]?.integer ?? 0) entries of journals; "
                    + "terminals follow at their next pull"
            }
        }
    }
}
