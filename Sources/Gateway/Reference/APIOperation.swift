import Access
import Bytes
import Configuration
import HTTP
import Providers

/// One thing that can be asked by HTTP. The API reference and the OpenAPI document are both made of these, and these of the providers'
/// descriptions of themselves.
struct APIOperation: Sendable {
    /// What it is asked with.
    enum Input: Sendable {
        /// Nothing.
        case none
        /// Parameters: of a GET in its query, of a POST in its body.
        case route(RouteRequest)
        /// Parameters in the body of a POST, beside others that another route takes.
        case open(ParameterList)
        /// The members of a JSON object, the body of a POST.
        case fields([FieldDescription])
        /// Whatever a vendor sends.
        case callback
    }

    /// Who may ask.
    enum Credentials: Sendable {
        case nobody, callers, operators, vendor
    }

    /// The provider's title; nil for the service's own.
    let section: String?
    /// The `operationId`, of a POST beside a GET with `.post` behind it.
    let name: String
    let path: String
    let summary: String
    let credentials: Credentials
    let input: Input
    let answer: [AnswerField]
    /// Whether the answer is a list of objects with these members.
    private(set) var isList = false
    /// Whether a vendor may have to be asked before it is answered.
    let asksVendor: Bool

    /// The one method that it is asked by, and the names of the parameters in its path; nil where it is asked as usual.
    private var form: (method: String, names: [String])?
    var pathNames: [String] { form?.names ?? [] }

    /// The methods that it is asked by; `HEAD` wherever there is `GET`.
    var methods: [String] {
        if let form { return [form.method] }
        return switch input {
        case .none: ["GET"]
        case .route: ["GET", "POST"]
        case .open, .fields, .callback: ["POST"]
        }
    }

    /// How it is refused, apart from how any request may be.
    var refusals: [Refusal.Code] {
        var concerns: [Refusal.Code.Concern] =
            switch credentials {
            case .nobody: []
            case .callers: [.callers, .issuers]
            case .operators: [.callers]
            case .vendor: [.callers, .issuers]
            }
        switch input {
        case .none, .fields: concerns.append(.parameters)
        case .open: concerns += [.parameters, .grants]
        case .route(let request):
            concerns += [.parameters, .grants]
            if request.textParameter != nil { concerns.append(.stringsToSign) }
        case .callback: break
        }
        if asksVendor { concerns.append(.vendors) }
        return Refusal.Code.concerning(concerns)
    }

    /// All codes that it may be refused by.
    /// - Parameter withBody: whether it is asked by a request with a body.
    func allRefusals(withBody: Bool) -> [Refusal.Code] {
        refusals + Refusal.Code.concerning(withBody ? [.everyRequest, .bodies] : [.everyRequest])
    }

    static let all: [APIOperation] =
        Registry.routes.flatMap { route in
            let (description, provider) = (route.description, route.provider)
            let others = description.request.paths.flatMap { path in
                path.operations.map { APIOperation($0, at: path, of: description, of: provider) }
            }
            return (description.mainPath?.operations.isEmpty ?? true ? [APIOperation(description, of: provider)] : [])
                + others
        } + [grants, tickets, liveness, explanation, brakes, brakeOrder]

    // MARK: Of providers

    private init(_ route: RouteDescription, of provider: ProviderDescription) {
        section = provider.title
        name = route.name
        path = route.path.text
        summary = route.summary
        guard route.grant.hasCallers else {
            credentials = .vendor
            input = .callback
            answer = []
            asksVendor = true
            return
        }
        credentials = .callers
        input = .route(route.request)
        let members = route.answer.members
        let isOwn = !route.answer.isWhole && !route.answer.token.isEmpty
        let common = isOwn ? APIOperation.common : []
        answer = members + common.filter { own in !members.contains { $0.name == own.name } }
        asksVendor =
            provider.sessions != nil || route.answer.token.isEmpty || !route.grant.credential.otherProviders.isEmpty
            || route.request.paths.contains { $0.operations.contains(where: \.asksVendor) }
    }

    private init(
        _ operation: RoutePath.Operation, at path: RoutePath, of route: RouteDescription,
        of provider: ProviderDescription
    ) {
        section = provider.title
        name = "\(route.name).\(operation.name)"
        self.path = path.template
        summary = operation.summary
        credentials = .callers
        input = .route(route.request.limited(to: path.names + operation.parameters + ["grant"]))
        answer = operation.answer
        isList = operation.isList
        asksVendor = operation.asksVendor
        form = (operation.method, path.names)
    }

    /// What a route tells beside its own members, unless its answer is for SDKs, or the vendor's own: then nothing was issued.
    private static let common = [
        AnswerField("grant", "The grant that it is by."),
        AnswerField("expiresAt", "When what is issued ends, in UTC; null for never."),
        AnswerField("expiresIn", type: .integer, "The same, in seconds from now."),
        AnswerField("limitedBy", "Why it ends then: `requested`, `grant`, `caller` or `credential`."),
        AnswerField("serverTime", "When it was issued, in UTC."),
    ]

    // MARK: The service's own

    private init(
        _ name: String, _ path: [UInt8], _ summary: String, for credentials: Credentials, _ input: Input,
        answer: [AnswerField]
    ) {
        section = nil
        self.name = name
        self.path = path.text
        self.summary = summary
        self.credentials = credentials
        self.input = input
        self.answer = answer
        asksVendor = false
    }

    private static let grants = APIOperation(
        "grants", Configuration.grantsPath, "What the caller may do.", for: .callers, .none,
        answer: [
            AnswerField("grants", type: .list, "The caller's grants.", items: Pipeline.listedMembers),
            AnswerField("serverTime", "When it was asked, in UTC."),
        ])

    private static let tickets = APIOperation(
        "tickets", Configuration.ticketsPath,
        "A URL ticket for one of the caller's own grants, with its route's parameters to fix.", for: .callers,
        .open(Pipeline.mintParameters),
        answer: [
            AnswerField("ticket", "The ticket."), AnswerField("url", "The URL to ask, with the ticket in it."),
            AnswerField("id", "Its id, by which it can be denied."), AnswerField("grant", "The grant that it is for."),
            AnswerField("expiresAt", "When it ends, in UTC."),
        ])

    private static let liveness = APIOperation(
        "livez", Configuration.livenessPath, "Whether the process answers.", for: .nobody, .none,
        answer: [AnswerField("status", "`ok`.")])

    private static let explanation = APIOperation(
        "explain", Configuration.explanationPath,
        "Why somebody would get something, or would not; nothing is issued.", for: .operators,
        .fields(Schema.Inquiry().descriptions), answer: ExplanationReport.members)

    private static let brakes = APIOperation(
        "brakes", Configuration.brakesPath, "What the operator has stopped and set free.", for: .operators, .none,
        answer: [AnswerField("brakes", type: .list, "All that is known.", items: BrakeReport.members)])

    private static let brakeOrder = APIOperation(
        "brakes.post", Configuration.brakesPath,
        "Stops what a grant, caller, credential or issuer gives, or everything; or sets it free.", for: .operators,
        .fields(Schema.BrakeOrder().descriptions),
        answer: [AnswerField("brake", type: .object, "What holds now, with the members of `brakes`.")]
            + IssuedBefore.members)
}
