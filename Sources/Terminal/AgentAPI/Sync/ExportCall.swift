package import HubProtocol

/// `POST /v1/sync/export`: writes the journal into a file.
package struct ExportCall: AgentCall {
    /// An absolute path.
    package let file: String
    /// Why the file is not encrypted; nil: it is.
    package let plainReason: String?

    /// An export; with `plainReason`, 1 to 500 characters, the file is not encrypted.
    package init(file: String, plainReason: String?) {
        (self.file, self.plainReason) = (file, plainReason)
    }

    /// Reads the body of a request.
    ///
    /// - Throws: `malformed` where `file` is no absolute path.
    package init(body: JSONValue?) throws(RequestRefusal) {
        guard let file = body?["file"]?.string, file.hasPrefix("/") else {
            throw RequestRefusal.malformed("file", "an absolute path")
        }
        self.init(file: file, plainReason: body?["plainReason"]?.string)
    }

    /// `POST /v1/sync/export`; `plainReason` is null for an encrypted file.
    package var request: AgentRequest {
        AgentRequest(
            "POST", AgentRoutes.syncExport,
            body: ["file": .string(file), "plainReason": JSONValue(plainReason)])
    }

    /// The document of `pos sync export --json`.
    package struct Response: MemberDocument {
        /// The absolute path of the file that was written.
        package var file = ""
        /// How many journal entries the file has, with a result or without.
        package var entries: Int64 = 0
        /// How many entries have no result yet.
        package var pending: Int64 = 0
        /// How many attachments the file has.
        package var attachments: Int64 = 0
        /// The ids of attachments that cannot be read.
        package var lostAttachments: [String] = []
        /// The id of the hub's key; nil: the file is not encrypted.
        package var sealedTo: String?
        /// False where the device key is lost; `pos-hub ingest` then needs `--unsigned`.
        package var isSigned = false
        /// What could not be read of a damaged database; nil: everything was read.
        package var salvage: JSONValue?

        /// A response; `sealedTo` is nil for a file that is not encrypted.
        package init(
            file: String, entries: Int64, pending: Int64, attachments: Int64, lostAttachments: [String],
            sealedTo: String?, isSigned: Bool, salvage: JSONValue?
        ) {
            self.file = file
            self.entries = entries
            self.pending = pending
            self.attachments = attachments
            self.lostAttachments = lostAttachments
            self.sealedTo = sealedTo
            self.isSigned = isSigned
            self.salvage = salvage
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("file", &file)
            try m("entries", &entries)
            try m("pending", &pending)
            try m("attachments", &attachments)
            try m("lostAttachments", &lostAttachments)
            try m.nullable("sealedTo", &sealedTo)
            try m("signed", &isSigned)
            try m.optional("salvage", &salvage)
        }
    }
}
