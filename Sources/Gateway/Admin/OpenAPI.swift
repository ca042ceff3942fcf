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

    private static let document: JSONDocument = [
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
            "responses": .object(refusals.map { (name(of: $0), response(to: $0)) }),
        ],
    ]

    // MARK: Paths

    private static var paths: [(name: String, value: JSONDocument)] {
        let routes = Registry.routes.map(\.description).map { route in
            (name: route.path.text, value: route.grant.hasCallers ? path(of: route) : callback(of: route))
        }
        let own: [(name: String, value: JSONDocument)] = [
            (
                Configuration.grantsPath.text,
                [
                    "get": operation(
                        "grants", "What the caller may do.",
                        [("responses", responses(schema(of: grantsMembers), withBody: false))])
                ]
            ),
            (
                Configuration.ticketsPath.text,
                [
                    "post": operation(
                        "tickets",
                        "A URL ticket for one of the caller's own grants, with its route's parameters to fix.",
                        [
                            ("requestBody", ticketBody),
                            ("responses", responses(schema(of: ticketMembers), withBody: true)),
                        ])
                ]
            ),
            (
                Configuration.livenessPath.text,
                [
                    "get": operation(
                        "livez", "Whether the process answers.",
                        [
                            ("security", [[:]]),
                            ("responses", responses(schema(of: [("status", ["const": "ok"])]), withBody: false)),
                        ])
                ]
            ),
            (
                Configuration.explanationPath.text,
                [
                    "servers": [["url": "http://127.0.0.1:8081", "description": "The admin listener, likewise."]],
                    "post": operation(
                        "explain", "Why somebody would get something, or would not; nothing is issued.",
                        [
                            ("security", [[:], ["bearer": []], ["apiKey": []]]),
                            ("requestBody", inquiry),
                            (
                                "responses",
                                responses(schema(of: members(of: ExplanationReport.members)), withBody: true)
                            ),
                        ]),
                ]
            ),
        ]
        return routes + own
    }

    private static func path(of route: RouteDescription) -> JSONDocument {
        var success: [(String, JSONDocument)] = [("application/json", ["schema": answer(of: route)])]
        if route.request.textParameter != nil { success.append(("text/plain", ["schema": ["type": "string"]])) }
        return [
            "get": operation(
                route.name, route.summary,
                [
                    ("parameters", .list(route.request.parameters.flatMap { queryParameters($0) })),
                    ("responses", responses(success, withBody: false)),
                ]),
            "post": operation(
                route.name + ".post", route.summary,
                [("requestBody", body(of: route)), ("responses", responses(success, withBody: true))]),
        ]
    }

    /// What a vendor sends, whatever it is: its body is judged by its signature alone.
    private static func callback(of route: RouteDescription) -> JSONDocument {
        let bodies: JSONDocument = [
            "application/x-www-form-urlencoded": ["schema": ["type": "object"]], "application/json": [:],
        ]
        return [
            "post": operation(
                route.name, route.summary,
                [
                    ("security", [["vendorSignature": []]]), ("requestBody", ["content": bodies]),
                    ("responses", responses(["type": "object", "description": "The grant's reply."], withBody: true)),
                ])
        ]
    }

    private static func operation(
        _ id: String, _ summary: String, _ rest: [(String, JSONDocument)]
    ) -> JSONDocument {
        .object([("operationId", .text(id)), ("summary", .text(summary))] + rest)
    }

    // MARK: Parameters

    private static func queryParameters(_ parameter: ParameterDescription) -> [JSONDocument] {
        ([(parameter.name, parameter.summary)]
            + parameter.aliases.map { ($0, "Another name of `\(parameter.name)`.") }).map { name, summary in
                [
                    "name": .text(name), "in": "query", "description": .text(summary),
                    "schema": schema(of: parameter.kind, inQuery: true),
                ]
            }
    }

    private static func body(of route: RouteDescription) -> JSONDocument {
        let members = route.request.parameters.flatMap { parameter in
            ([parameter.name] + parameter.aliases).map { name in
                (name, schema(of: parameter.kind, inQuery: false))
            }
        }
        var content = forms(of: members)
        if route.request.textParameter != nil {
            content.append(("text/plain", ["schema": ["type": "string", "minLength": 1]]))
        }
        return ["content": .object(content)]
    }

    private static var ticketBody: JSONDocument {
        let members: [(String, JSONDocument)] = [
            ("grant", ["type": "string", "minLength": 1]), ("expires", ["type": "integer", "minimum": 1]),
        ]
        return ["required": true, "content": .object(forms(of: members, isOpen: true))]
    }

    private static let inquiryFields = Schema.Inquiry().descriptions

    private static var inquiry: JSONDocument {
        let schema: JSONDocument = [
            "type": "object", "additionalProperties": false,
            "required": .list(inquiryFields.filter(\.isRequired).map { .text($0.name) }),
            "properties": .object(
                inquiryFields.map { field in
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
        case .size: ["integer", "string"]
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
        case .key(let length): return ["type": "string", "minLength": 1, "maxLength": .number(Int64(length))]
        case .keyPrefix(let length), .text(let length):
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
                ? list : ["anyOf": [list, ["type": "object", "additionalProperties": ["type": "string"]]]]
        }
    }

    // MARK: Answers

    private static func answer(of route: RouteDescription) -> JSONDocument {
        let own: [(String, JSONDocument)] = [
            ("grant", ["type": "string", "description": "The grant that it is by."]),
            ("expiresAt", ["type": ["string", "null"], "description": "When what is issued ends, in UTC."]),
            ("expiresIn", ["type": ["integer", "null"], "description": "The same, in seconds from now."]),
            (
                "limitedBy",
                [
                    "type": ["string", "null"],
                    "description": "What lets it end then.",
                ]
            ), ("serverTime", ["type": "string", "description": "When it was issued, in UTC."]),
        ]
        let members = members(of: route.answer.members)
        return schema(of: members + own.filter { own in !members.contains { $0.0 == own.0 } })
    }

    private static func members(of fields: [AnswerField]) -> [(String, JSONDocument)] {
        fields.map { ($0.name, ["type": type(of: $0.type), "description": .text($0.summary)]) }
    }

    private static func type(of kind: AnswerField.Kind) -> JSONDocument {
        switch kind {
        case .string: ["string", "null"]
        case .integer: ["integer", "null"]
        case .object: ["object", "null"]
        case .list: "array"
        }
    }

    /// Of the answer to `/grants`. A grant has also what its route tells callers of its fields.
    private static let grantsMembers: [(String, JSONDocument)] = [
        ("grants", ["type": "array", "items": schema(of: grantMembers)]), ("serverTime", ["type": "string"]),
    ]

    private static let grantMembers: [(String, JSONDocument)] = [
        ("name", ["type": "string"]), ("route", ["type": "string"]), ("path", ["type": "string"]),
        ("description", ["type": "string"]), ("provider", ["type": "string"]), ("bucket", ["type": "string"]),
        ("key", ["type": ["string", "null"]]), ("keyPrefix", ["type": "string"]), ("lifetime", ["type": "integer"]),
        ("maxLifetime", ["type": "integer"]), ("notAfter", ["type": "string"]),
    ]

    private static let ticketMembers: [(String, JSONDocument)] = [
        ("ticket", ["type": "string"]), ("url", ["type": "string"]), ("id", ["type": "string"]),
        ("grant", ["type": "string"]), ("expiresAt", ["type": "string"]),
    ]

    private static func schema(of members: [(String, JSONDocument)]) -> JSONDocument {
        ["type": "object", "properties": .object(members.map { ($0.0, $0.1) })]
    }

    private static func responses(_ schema: JSONDocument, withBody: Bool) -> JSONDocument {
        responses([("application/json", ["schema": schema])], withBody: withBody)
    }

    private static func responses(_ success: [(String, JSONDocument)], withBody: Bool) -> JSONDocument {
        let others = refusals.filter { withBody || !$0.concernsBody }.map { refusal in
            (
                name: "\(refusal.status.rawValue)",
                value: ["$ref": .text("#/components/responses/\(name(of: refusal))")] as JSONDocument
            )
        }
        let content = JSONDocument.object(success.map { ($0.0, $0.1) })
        return .object([("200", ["description": "What was asked for.", "content": content])] + others)
    }

    // MARK: Refusals

    /// One code for each status that a refusal has, in the order of the statuses.
    private static let refusals: [Refusal.Code] = Status.allCases.compactMap { status in
        Refusal.Code.allCases.first { $0.status == status }
    }

    private static func name(of refusal: Refusal.Code) -> String { "Problem\(refusal.status.rawValue)" }

    private static func response(to refusal: Refusal.Code) -> JSONDocument {
        [
            "description": .text(refusal.summary),
            "content": ["application/problem+json": ["schema": ["$ref": "#/components/schemas/Problem"]]],
        ]
    }

    private static let problem: JSONDocument = [
        "type": "object", "description": "A problem document (RFC 9457).",
        "required": ["type", "title", "status", "code", "detail", "requestId"],
        "properties": [
            "type": ["const": "about:blank"], "title": ["type": "string"], "status": ["type": "integer"],
            "code": ["type": "string", "description": "Stable, for programs."],
            "detail": ["type": "string", "description": "For people: why, and what would be right."],
            "requestId": ["type": "string", "description": "By which the service's log has it."],
            "parameter": ["type": "string"], "clause": ["type": "string"],
        ],
    ]
}
