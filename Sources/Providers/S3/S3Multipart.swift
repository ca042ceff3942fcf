import Access
import Bytes
import Crypto

/// `/s3/multipart`: an upload in parts as Uppy's Companion has it. The service itself begins, lists, completes and aborts the upload,
/// and signs a URL for each part. The grant is judged at every call, and a client's id of an upload holds for its caller and key alone.
struct S3Multipart: VendorIssuer, TokenIssuer {
    let endpoints: [VendorEndpoint]
    private let place: V4Place
    private let bucket: [UInt8]
    private let body: BodyClauses
    private let terms: MultipartQuestion.Terms
    private let seals: [UploadSeal]

    /// What is asked.
    enum Operation: String, CaseIterable {
        case create, list, part, batch, complete, abort

        /// Whether it changes something at the vendor.
        var isChange: Bool {
            switch self {
            case .create, .complete, .abort: true
            case .list, .part, .batch: false
            }
        }
    }

    static let route = RouteDescription(
        "s3.multipart", path: "/s3/multipart", "An upload in parts, as Uppy's Companion has it.",
        request: RouteRequest(
            parameters.descriptions, withoutKey: .refuse(parameter: parameters.key.name), paths: paths,
            changes: ChangingOperations(
                parameter: parameters.operation, names: Operation.allCases.filter(\.isChange).map(\.rawValue))
        ) {
            ask, instant throws(AskError) in ask.detail = try Detail(ask, at: instant.unixSeconds)
        },
        grant: RouteGrant(
            Fields(), scope: [.bucket, .keyPrefix], lifetime: .upTo(PresignedURLV4.lifetimes.upperBound),
            credential: S3.rule, enforcement: .s3Multipart
        ) { grant, context throws(FieldProblem) in .asking(try S3Multipart(grant, context)) },
        answer: RouteAnswer(
            [key, id, bucket] + urls + [location], token: ["url"]))

    private static let key = AnswerField("key", "The object's key.")
    private static let bucket = AnswerField("bucket", "The bucket.")
    private static let id = AnswerField("uploadId", "The upload, for this caller and key.")
    private static let location = AnswerField("location", "The object's URL.")

    private static let urls = [
        AnswerField("url", "The URL to put the part to, where one was asked for."),
        AnswerField("presignedUrls", type: .object, "The URLs by the numbers of the parts, where several were."),
        AnswerField("expires", type: .integer, "How long they hold, in seconds."),
    ]

    private static let paths: [RoutePath] = {
        let parts = [
            AnswerField("PartNumber", type: .integer, "The part."), AnswerField("ETag", "What S3 calls its content."),
            AnswerField("Size", type: .integer, "How large it is, in bytes."),
        ]
        func path(_ rest: String, _ operations: [RoutePath.Operation]) -> RoutePath {
            RoutePath("/s3/multipart\(rest)", pageHeaders: UppyRequest.headers, namesOperation: true, operations)
        }
        func operation(
            _ method: String, _ operation: Operation, _ summary: String, taking parameters: [String],
            answer: [AnswerField], isList: Bool = false
        ) -> RoutePath.Operation {
            var described = RoutePath.Operation(
                method, operation.rawValue, summary, taking: parameters, answer: answer)
            described.isList = isList
            described.asksVendor = operation != .part && operation != .batch
            return described
        }
        return [
            RoutePath("/s3/multipart", pageHeaders: UppyRequest.headers),
            path(
                "/{uploadId}",
                [
                    operation(
                        "GET", .list, "The parts that have been uploaded.", taking: ["key"], answer: parts, isList: true
                    ),
                    operation("DELETE", .abort, "Aborts an upload in parts.", taking: ["key"], answer: []),
                ]),
            path(
                "/{uploadId}/complete",
                [
                    operation(
                        "POST", .complete, "Makes the object of its parts.", taking: ["key", "parts"],
                        answer: [location, key, bucket])
                ]),
            path(
                "/{uploadId}/batch",
                [
                    operation(
                        "GET", .batch, "URLs to put several parts to.", taking: ["key", "partNumbers", "expires"],
                        answer: Array(urls.dropFirst()))
                ]),
            path(
                "/{uploadId}/{partNumber}",
                [
                    operation(
                        "GET", .part, "A URL to put a part to.", taking: ["key", "expires"],
                        answer: [urls[0], urls[2]])
                ]),
        ]
    }()

    private struct Parameters: ParameterGroup {
        let grant = Parameter.grant
        let operation = Parameter(
            "operation", .text(maximumLength: 16), default: Operation.create.rawValue,
            "What is asked, where the path does not tell (a GET allows list, part and batch only): "
                + Operation.allCases.map(\.rawValue).joined(separator: ", ")
        )
        let key = Parameter("key", .key(maximumLength: ObjectKeyRule.maximumLength), "The object's whole key.")
        let filename = UppyRequest.filename
        let type = Parameter("type", .text(maximumLength: 256), "The object's Content-Type.")
        let metadata = UppyRequest.metadata
        let uploadID = Parameter(
            "uploadId", .text(maximumLength: UploadSeal.longest), "The upload, as the answer of its beginning has it.")
        let partNumber = Parameter("partNumber", .integer(UppyRequest.partNumbers), "The part.")
        let partNumbers = Parameter(
            "partNumbers", .text(maximumLength: 6 * UploadedPart.mostURLs),
            "The parts, at most \(UploadedPart.mostURLs), with commas between.")
        let parts = Parameter(
            "parts", .json(maximumLength: 1 << 20), "The parts that make the object: a list of `PartNumber` and `ETag`."
        )
        let expires = Parameter.expires
    }

    private static let parameters = Parameters()

    private struct Fields: FieldGroup {
        let contentTypes = Field(
            "contentTypes", .strings, told: true,
            "The types that objects may get; `image/*` stands for all that begin with `image/`.")
        let overwrite = Field(
            "overwrite", .boolean, default: false, told: true,
            "Whether an upload may replace an existing object. Without it, S3 is told to complete none that does.")
        let completeTimeout = Field(
            "completeTimeout", .duration(1_000...80_000), default: 60_000,
            "How long S3 may take to complete an upload. All other operations have `limits.patience` of the credential."
        )
    }

    private init(_ grant: Settings<Fields>, _ context: GrantContext) throws(FieldProblem) {
        place = try S3.place(context)
        guard let bucket = context.bucket else {
            throw FieldProblem("bucket", "must be named, since uploads are bound to it")
        }
        self.bucket = bucket
        var own = ByteWriter()
        place.scheme.writeOrigin(of: bucket.span, on: place.endpoint, into: &own)
        endpoints = try VendorEndpoint.list([own.array], field: "credential")
        body = try BodyClauses(contentTypes: grant.contentTypes, maxSize: nil)
        terms = MultipartQuestion.Terms(mustCreate: !grant.overwrite, completeTimeout: grant.completeTimeout)
        unenforced = context.unenforcedByS3Servers
        seals = try UploadSeal.all(of: context)
    }

    // MARK: Asking

    private struct Detail: AskDetail {
        let operation: Operation
        /// As the client has it; empty for `create`.
        let sealed: [UInt8]
        let type: [UInt8]?
        let numbers: [Int64]
        let parts: [UploadedPart]
        /// Seconds since 1970.
        let moment: Int64

        init(_ ask: borrowing Ask, at now: Int64) throws(AskError) {
            let asked = S3Multipart.parameters
            let operation = ask.reading(asked.operation) { text in
                Operation.allCases.first { text.equals(Array($0.rawValue.utf8)) }
            }
            guard let operation else { throw AskError(.invalid, asked.operation.name, "must be one that there is") }
            self.operation = operation
            if let fault = ask.reading(asked.filename, KeySpelling.fault) {
                throw AskError(.invalid, asked.filename.name, fault.description)
            }
            moment = now
            type = ask[asked.type]?.array
            guard type?.allSatisfy({ $0.isVisible || $0 == UInt8(ascii: " ") }) ?? true else {
                throw AskError(.invalid, asked.type.name, "must be a content type")
            }
            guard let sealed = ask[asked.uploadID]?.array else {
                guard operation == .create else { throw AskError(.missing, asked.uploadID.name, "is needed") }
                (self.sealed, numbers, parts) = ([], [], [])
                return
            }
            guard operation != .create else {
                throw AskError(.invalid, asked.uploadID.name, "is what beginning an upload answers")
            }
            guard ask.key != nil, !ask.keyIsRelative else {
                throw AskError(.missing, asked.key.name, "must be the upload's whole key")
            }
            self.sealed = sealed
            var numbers: [Int64] = []
            if operation == .part {
                guard let number = ask[asked.partNumber] else {
                    throw AskError(.missing, asked.partNumber.name, "is needed")
                }
                numbers = [number]
            } else if operation == .batch {
                numbers = try UploadedPart.numbers(ask[asked.partNumbers], of: asked.partNumbers.name)
            }
            self.numbers = numbers
            parts = operation == .complete ? try UploadedPart.list(ask[asked.parts], of: asked.parts.name) : []
        }
    }

    // MARK: Judging

    /// An upload's id holds for its caller.
    var vendorName: KeyTemplate? { .caller }
    var doubts: [String] { body.doubts }
    let unenforced: [Enforcement]

    func objection(to ask: borrowing Ask) -> Objection? {
        guard let detail = ask.detail as? Detail else { return Objection("key", "was not read") }
        return body.objection(toType: detail.type?.span, isNeeded: detail.operation == .create)
    }

    func objection(toVendorName name: Span<UInt8>, of ask: borrowing Ask) -> Objection? {
        guard let detail = ask.detail as? Detail, detail.operation != .create else { return nil }
        guard let key = ask.key, id(of: detail, caller: name, key) != nil else {
            return Objection("uploadId", "must be that of an upload of this caller and key, as its beginning answered")
        }
        return nil
    }

    private func id(of detail: Detail, caller: Span<UInt8>, _ key: Span<UInt8>) -> [UInt8]? {
        UploadSeal.open(
            detail.sealed, for: UploadSeal.Subject(caller: caller, bucket: bucket.span, key: key), by: seals,
            at: detail.moment)
    }

    // MARK: Answering

    func signer(of ask: borrowing Ask) -> (any TokenIssuer)? {
        (ask.detail as? Detail)?.numbers.isEmpty == false ? self : nil
    }

    func issue(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, at instant: Instant,
        into out: inout ByteWriter, using scratch: inout ByteWriter
    ) throws(IssueError) {
        guard let detail = ask.detail as? Detail, let id = id(of: detail, caller: permit.vendorName, permit.key)
        else { throw .nothingToSign }
        func write(_ number: Int64, into url: inout ByteWriter, using scratch: inout ByteWriter) throws(IssueError) {
            var query = ByteWriter(capacity: 64)
            query.append(partNumber: number)
            query.append(parameter: StaticString("uploadId").bytes, id.span)
            try place.writeSignedURL(
                StaticString("PUT").bytes, query.bytes, under: permit, with: key, into: &url, using: &scratch)
        }
        try out.append(members: { json throws(IssueError) in
            if detail.operation == .part, let number = detail.numbers.first {
                try json.add("url", text: { url throws(IssueError) in try write(number, into: &url, using: &scratch) })
            } else {
                try json.add(
                    "presignedUrls",
                    object: { urls throws(IssueError) in
                        for number in detail.numbers {
                            var url = ByteWriter(capacity: 512)
                            try write(number, into: &url, using: &scratch)
                            urls.add(named: Array(text: "\(number)"), url.array)
                        }
                    })
            }
            json.add("expires", permit.lifetime)
        })
    }

    func question(
        _ ask: borrowing Ask, under permit: borrowing Permit, with key: SigningKey, using scratch: inout ByteWriter
    ) throws(IssueError) -> any VendorQuestion {
        guard let detail = ask.detail as? Detail else { throw .nothingToSign }
        let id = id(of: detail, caller: permit.vendorName, permit.key)
        guard detail.operation == .create || id != nil else { throw .nothingToSign }
        let upload = MultipartQuestion.Upload(permit, id: id ?? [], type: detail.type, parts: detail.parts)
        return MultipartQuestion(
            detail.operation, upload, at: place, with: key, by: seals[0], terms)
    }
}
