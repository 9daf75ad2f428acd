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
    package struct Response: AgentDocument {
        /// The absolute path of the file that was written.
        package let file: String
        /// How many journal entries the file has, with a result or without.
        package let entries: Int64
        /// How many entries have no result yet.
        package let pending: Int64
        /// How many attachments the file has.
        package let attachments: Int64
        /// The ids of attachments that cannot be read.
        package let lostAttachments: [String]
        /// The id of the hub's key; nil: the file is not encrypted.
        package let sealedTo: String?
        /// False where the device key is lost; `pos-hub ingest` then needs `--unsigned`.
        package let isSigned: Bool
        /// What could not be read of a damaged database; nil: everything was read.
        package let salvage: JSONValue?

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

        /// `salvage` may be missing, `sealedTo` may be null.
        package init(_ members: AgentMembers) throws(ShapeError) {
            self.init(
                file: try members.read("file"), entries: try members.read("entries"),
                pending: try members.read("pending"), attachments: try members.read("attachments"),
                lostAttachments: try members.read("lostAttachments"),
                sealedTo: try members.nullable("sealedTo"),
                isSigned: try members.read("signed"),
                salvage: try members.optional("salvage"))
        }

        /// The key of ``isSigned`` is `signed`; `salvage` is left out where it is nil.
        package var json: JSONValue {
            var members: JSONObject = [
                "file": .string(file), "entries": .integer(entries), "pending": .integer(pending),
                "attachments": .integer(attachments), "lostAttachments": lostAttachments.json,
                "sealedTo": JSONValue(sealedTo), "signed": .bool(isSigned),
            ]
            members["salvage"] = salvage
            return .object(members)
        }
    }
}
