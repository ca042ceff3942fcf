import Access
import Bytes
import Configuration
import HTTP
import Providers

/// `/openapi.json`: what can be asked, in OpenAPI 3.1, read off the providers' descriptions of themselves. Vendors' callbacks are
/// told by the paths of their routes; a grant's `publicURL` may name others.
enum OpenAPI {
    static let bytes: [UInt8] = {
        var out = ByteWriter(capacity: 64 * 1024)
        document.write(into: &out)
        out.append("\n")
        return out.array
    }()

    static let document: JSONDocument = [
        "openapi": "3.1.0",
        "info": [
            "title": "Countersign", "version": .text(Version.number),
            "summary": "Hands out short-lived credentials for cloud object storage.",
            "license": ["name": "Apache 2.0", "identifier": "Apache-2.0"],
        ],
        "servers": [["url": "http://127.0.0.1:8080", "description": "The public listener, where it is by default."]],
        "security": [[:], ["bearer": []], ["apiKey": []], ["ticket": []]],
        "paths": .object(paths),
        "components": [
            "securitySchemes": [
                "bearer": ["type": "http", "scheme": "bearer", "description": "An API key, or a token (JWT)."],
                "apiKey": ["type": "apiKey", "in": "header", "name": "X-API-Key"],
                "ticket": [
                    "type": "apiKey", "in": "query", "name": "ticket",
                    "description": "A URL ticket, which POST /tickets gives.",
                ],
                "vendorSignature": [
                    "type": "apiKey", "in": "header", "name": "Authorization",
                    "description": "What a vendor signs its callback by.",
                ],
            ],
            "schemas": ["Problem": problem],
            "responses": .object(statuses.map { (name(of: $0), response(of: $0)) }),
        ],
    ]

    // MARK: Paths

    private static var paths: [(name: String, value: JSONDocument)] {
        var paths: [(name: String, value: JSONDocument)] = []
        for operation in APIOperation.all where !paths.contains(where: { $0.name == operation.path }) {
            var item = APIOperation.all.filter { $0.path == operation.path }.flatMap { operation in
                operation.methods.map { method in
                    (name: method.lowercased(), value: describe(operation, withBody: method == "POST"))
                }
            }
            if case .operators = operation.credentials {
                let server: JSONDocument = [
                    "url": "http://127.0.0.1:8081", "description": "The admin listener, where it is by default.",
                ]
                item.insert((name: "servers", value: [server]), at: 0)
            }
            paths.append((name: operation.path, value: .object(item)))
        }
        return paths
    }

    /// - Parameter withBody: whether it is asked by a POST.
    private static func describe(_ operation: APIOperation, withBody: Bool) -> JSONDocument {
        let isSecond = withBody && operation.methods.count > 1
        var members: [(name: String, value: JSONDocument)] = [
            ("operationId", .text(operation.name + (isSecond ? ".post" : ""))),
            ("tags", [.text(operation.section ?? "Countersign")]), ("summary", .text(operation.summary)),
        ]
        if let security = security(of: operation) { members.append(("security", security)) }
        if case .route(let request) = operation.input {
            let inPath = request.parameters.filter { operation.pathNames.contains($0.name) }
            let inQuery = withBody ? [] : request.parameters.filter { !operation.pathNames.contains($0.name) }
            let parameters = inPath.map(pathParameter) + inQuery.flatMap { queryParameters($0) }
            if !parameters.isEmpty || !withBody { members.append(("parameters", .list(parameters))) }
        }
        if withBody { members.append(("requestBody", body(of: operation))) }
        members.append(("responses", responses(of: operation, withBody: withBody)))
        return .object(members)
    }

    /// Nil for what holds where nothing is said.
    private static func security(of operation: APIOperation) -> JSONDocument? {
        switch operation.credentials {
        case .nobody: [[:]]
        case .callers: nil
        case .operators: [[:], ["bearer": []], ["apiKey": []]]
        case .vendor: [["vendorSignature": []]]
        }
    }

    // MARK: Parameters

    private static func queryParameters(_ parameter: ParameterDescription) -> [JSONDocument] {
        ([(parameter.name, parameter.summary)]
            + aliases(of: parameter).map { ($0, "Another name of `\(parameter.name)`.") }).map { name, summary in
                [
                    "name": .text(name), "in": "query", "description": .text(summary),
                    "schema": schema(of: parameter.kind, inQuery: true),
                ]
            }
    }

    private static func pathParameter(_ parameter: ParameterDescription) -> JSONDocument {
        [
            "name": .text(parameter.name), "in": "path", "required": true, "description": .text(parameter.summary),
            "schema": schema(of: parameter.kind, inQuery: true),
        ]
    }

    private static func body(of operation: APIOperation) -> JSONDocument {
        switch operation.input {
        case .none: [:]
        case .route(let request): body(of: request, without: operation.pathNames)
        case .open(let parameters):
            ["required": true, "content": .object(forms(of: members(of: parameters), isOpen: true))]
        case .fields(let fields): body(of: fields)
        case .callback:
            [
                "content": [
                    "application/x-www-form-urlencoded": ["schema": ["type": "object"]],
                    "application/json": ["schema": [:]],
                ]
            ]
        }
    }

    private static func body(of request: RouteRequest, without names: [String]) -> JSONDocument {
        var content = forms(of: members(of: request.parameters.filter { !names.contains($0.name) }))
        if request.textParameter != nil {
            content.append(("text/plain", ["schema": ["type": "string", "minLength": 1]]))
        }
        return ["content": .object(content)]
    }

    private static func members(of parameters: some Sequence<ParameterDescription>) -> [(String, JSONDocument)] {
        parameters.flatMap { parameter in
            ([parameter.name] + aliases(of: parameter)).map { ($0, schema(of: parameter.kind, inQuery: false)) }
        }
    }

    /// Without those that are the parameter's name in other letters: generated clients write `a_b` as `aB`, too, and would have two of it.
    private static func aliases(of parameter: ParameterDescription) -> [String] {
        func letters(_ name: String) -> String { name.filter { $0 != "_" }.lowercased() }
        return parameter.aliases.filter { letters($0) != letters(parameter.name) }
    }

    private static func body(of fields: [FieldDescription]) -> JSONDocument {
        let schema: JSONDocument = [
            "type": "object", "additionalProperties": false,
            "required": .list(fields.filter(\.isRequired).map { .text($0.name) }),
            "properties": .object(
                fields.map { field in
                    (field.name, ["type": type(of: field.kind), "description": .text(field.summary)])
                }),
        ]
        return ["required": true, "content": ["application/json": ["schema": schema]]]
    }

    /// What a field of the configuration is written as in JSON.
    private static func type(of kind: FieldDescription.Kind) -> JSONDocument {
        switch kind {
        case .boolean: "boolean"
        case .integer: "integer"
        case .size, .days: ["integer", "string"]
        case .strings: ["array", "string"]
        case .objects: "array"
        case .object, .json, .members: "object"
        case .secret: ["object", "string"]
        case .rate: ["string", "null"]
        case .string, .vendorText, .choice, .duration, .time, .template: "string"
        }
    }

    /// - Parameter isOpen: whether members of other names are for others to judge.
    private static func forms(
        of members: [(String, JSONDocument)], isOpen: Bool = false
    ) -> [(name: String, value: JSONDocument)] {
        let schema: JSONDocument = [
            "type": "object", "properties": .object(members.map { ($0.0, $0.1) }),
            "additionalProperties": .flag(isOpen),
        ]
        return ["application/json", "application/x-www-form-urlencoded"].map { ($0, ["schema": schema]) }
    }

    private static func schema(of kind: ParameterDescription.Kind, inQuery: Bool) -> JSONDocument {
        switch kind {
        case .grant, .bucket: return ["type": "string", "minLength": 1]
        case .fileExtension: return ["type": "string", "pattern": "^[a-z0-9]{1,8}$"]
        case .key(let length), .keyName(let length):
            return ["type": "string", "minLength": 1, "maxLength": .number(Int64(length))]
        case .ignored: return [:]
        case .json where !inQuery: return [:]
        case .keyPrefix(let length), .text(let length), .json(let length):
            return ["type": "string", "maxLength": .number(Int64(length))]
        case .lifetime(let least):
            return ["type": "integer", "minimum": .number(least), "maximum": .number(Int64(Int32.max))]
        case .integer(let bounds):
            return ["type": "integer", "minimum": .number(bounds.lowerBound), "maximum": .number(bounds.upperBound)]
        case .pairs(let separator, let count, let length):
            let sign = String(UnicodeScalar(separator))
            let list: JSONDocument = [
                "type": "array", "maxItems": .number(Int64(count)),
                "items": [
                    "type": "string", "maxLength": .number(Int64(length)), "pattern": .text("^[^\(sign)]+\(sign)"),
                ],
            ]
            return inQuery
                ? list
                : ["anyOf": [list, ["type": "object", "additionalProperties": ["type": ["string", "number"]]]]]
        }
    }

    // MARK: Answers

    private static func answer(of operation: APIOperation) -> JSONDocument {
        if case .callback = operation.input { return ["type": "object", "description": "The grant's reply."] }
        let answer = object(of: operation.answer)
        return operation.isList ? ["type": "array", "items": answer] : answer
    }

    private static func object(of fields: [AnswerField]) -> JSONDocument {
        ["type": "object", "properties": .object(fields.map { (name: $0.name, value: schema(of: $0)) })]
    }

    private static func schema(of field: AnswerField) -> JSONDocument {
        let description = JSONDocument.text(field.summary)
        return switch field.type {
        case .string: ["type": ["string", "null"], "description": description]
        case .integer: ["type": ["integer", "null"], "description": description]
        case .boolean: ["type": ["boolean", "null"], "description": description]
        case .object: ["type": ["object", "null"], "description": description]
        case .list:
            ["type": "array", "items": field.items.isEmpty ? [:] : object(of: field.items), "description": description]
        }
    }

    private static func responses(of operation: APIOperation, withBody: Bool) -> JSONDocument {
        var content: [(name: String, value: JSONDocument)] = [
            ("application/json", ["schema": answer(of: operation)])
        ]
        if case .route(let request) = operation.input, request.textParameter != nil {
            content.append(("text/plain", ["schema": ["type": "string"]]))
        }
        let possible = Set(operation.allRefusals(withBody: withBody).map(\.status))
        let others = statuses.filter { possible.contains($0) }.map { status in
            (
                name: "\(status.rawValue)",
                value: ["$ref": .text("#/components/responses/\(name(of: status))")] as JSONDocument
            )
        }
        return .object([("200", ["description": "What was asked for.", "content": .object(content)])] + others)
    }

    // MARK: Refusals

    /// Those of refusals.
    private static let statuses = Status.allCases.filter { status in
        Refusal.Code.allCases.contains { $0.status == status }
    }

    private static func name(of status: Status) -> String { "Problem\(status.rawValue)" }

    /// OpenAPI describes statuses, so that codes of one status share a description.
    private static func response(of status: Status) -> JSONDocument {
        let codes = Refusal.Code.inOrder.filter { $0.status == status }
        return [
            "description": .text(codes.map { "`\($0.text)`: \($0.cause)" }.joined(separator: "\n\n")),
            "content": ["application/problem+json": ["schema": ["$ref": "#/components/schemas/Problem"]]],
        ]
    }

    private static let problem: JSONDocument = [
        "type": "object", "description": "A problem document (RFC 9457).",
        "required": ["type", "title", "status", "code", "detail", "requestId"],
        "properties": [
            "type": ["type": "string", "format": "uri-reference", "pattern": "[a-z_]+$"],
            "title": ["type": "string"], "status": ["type": "integer"],
            "code": ["type": "string", "description": "Stable, for programs."],
            "detail": ["type": "string", "description": "For people: why, and what would be right."],
            "requestId": [
                "type": "string",
                "description": "The request's id, also in the service's log: for most requests only with log.requests.",
            ],
            "parameter": ["type": "string"], "clause": ["type": "string"],
        ],
    ]
}
