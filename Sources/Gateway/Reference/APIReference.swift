import Access
import Bytes
import HTTP
import Providers

/// docs/api.md: the HTTP API for programmers of clients, made of the same descriptions as `/openapi.json`.
package enum APIReference {
    /// docs/openapi.json, without its last line break.
    package static let openAPI = OpenAPI.document.indented

    /// docs/api.md, without its last line break.
    package static let text =
        ([introduction, contents, requests] + sections.map(write) + [errors]).joined(separator: "\n\n")

    private static let introduction = """
        # The HTTP API

        Made by `scripts/write-reference`; do not edit. The same as an OpenAPI document: [openapi.json](openapi.json), which the admin
        listener also serves at `/openapi.json`. Clients can be generated from it: `scripts/check-clients` does so for Python by
        openapi-python-client, and for TypeScript (from 4.9 on) by the generator typescript-fetch of openapi-generator.
        """

    /// The operations of a provider, or the service's own.
    private struct Section {
        let title: String
        let operations: [APIOperation]
    }

    private static let sections: [Section] =
        Registry.providers.map { provider in
            Section(title: provider.title, operations: APIOperation.all.filter { $0.section == provider.title })
        } + [Section(title: "The service itself", operations: APIOperation.all.filter { $0.section == nil })]

    // MARK: Contents

    private static let contents: String = {
        var lines = ["## Contents", "", "- [Requests and answers](#requests-and-answers)"]
        for section in sections {
            lines.append("- \(link(section.title))")
            lines += section.operations.map { "  - \(link(heading(of: $0))): \($0.summary)" }
        }
        lines.append("- [Errors](#errors)")
        lines += Refusal.Code.inOrder.map { "  - \(link("\($0.text)")): \($0.status.rawValue)" }
        return lines.joined(separator: "\n")
    }()

    private static func heading(of operation: APIOperation) -> String { "\(operation.name)" }

    /// To a heading, by the anchor that Markdown gives it: small letters, hyphens for spaces, no other signs but `_`.
    private static func link(_ heading: String) -> String {
        let anchor = heading.lowercased().compactMap { character -> Character? in
            if character == " " { return "-" }
            return character.isLetter || character.isNumber || character == "_" || character == "-" ? character : nil
        }
        return "[\(heading)](#\(String(anchor)))"
    }

    // MARK: What all requests have in common

    private static let requests = """
        ## Requests and answers

        - **Credentials.** Send `Authorization: Bearer KEY` with an API key or a token (JWT), or `X-API-Key: KEY`, or the query
          `ticket=TICKET`, or show a client certificate in TLS. Send one of these, not two.
        - **Parameters.** A GET has its parameters in the query. A POST has all of them in its body, as `application/json` or
          `application/x-www-form-urlencoded`. Every name must be known, and stand there once. Names that begin with `_` are ignored.
        - **Times.** Lifetimes are in seconds. `expiresAt` is in UTC. Use `expiresIn` where the client's clock may be wrong.
        - **Answers** are JSON, with `Cache-Control: no-store`. Members that this document does not list may come later: ignore them.
        - **Fields of answers.** `X-Request-Id` names the request in the service's log. `Retry-After` says after how many seconds to ask
          again. `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` tell of a grant's rates.
        - **Aliases.** The configuration may give a route more paths, by `server.aliases`.
        """

    // MARK: Operations

    private static func write(_ section: Section) -> String {
        (["## \(section.title)"] + section.operations.map(write)).joined(separator: "\n\n")
    }

    private static func write(_ operation: APIOperation) -> String {
        let methods = operation.methods.joined(separator: " or ")
        var parts = [
            "### \(heading(of: operation))", "`\(methods) \(operation.path)`", operation.summary,
            credentials(of: operation),
        ]
        parts += input(of: operation)
        parts += answer(of: operation)
        let codes = operation.refusals.map { link("\($0.text)") }.joined(separator: ", ")
        parts.append("Errors: \(codes); and [those of every request](#errors).")
        return parts.joined(separator: "\n\n")
    }

    private static func credentials(of operation: APIOperation) -> String {
        switch operation.credentials {
        case .nobody: "It needs no credential."
        case .callers: "It needs the caller's credential, unless a grant is for `anonymous`."
        case .operators: "The admin listener answers to it alone. It needs a key of `admin.auth`, if there are any."
        case .vendor:
            "The vendor asks this, and proves it by its signature. The path is that of the grant's `publicURL`, if it has one."
        }
    }

    /// What it is asked with, and an example.
    private static func input(of operation: APIOperation) -> [String] {
        switch operation.input {
        case .none: ["It has no parameters."]
        case .callback: ["The body is the vendor's, up to `server.limits.body`."]
        case .route(let request):
            [
                table(request.parameters.map { ($0, need(of: $0, in: request, operation)) }),
                "Example: `\(example(operation, request))`",
            ]
                + (request.textParameter.map {
                    [
                        "A body of `text/plain` is `\($0)`; with `Accept: text/plain`, the answer is plain text, too."
                    ]
                } ?? [])
        case .open(let parameters):
            [
                table(parameters.map { ($0, $0.name == "grant" ? "yes" : "no") }),
                "Parameters of the grant's route may be there, too. The ticket fixes their values.",
            ]
        case .fields(let fields):
            [
                rows(fields.map { ($0.name, type(of: $0.kind), $0.isRequired ? "yes" : "no", $0.summary) })
            ]
        }
    }

    private static func table(_ parameters: [(ParameterDescription, String)]) -> String {
        rows(
            parameters.map { parameter, need in
                let others = parameter.aliases.map { "`\($0)`" }.joined(separator: ", ")
                let meaning = parameter.summary + (others.isEmpty ? "" : " Other names: \(others).")
                return (parameter.name, type(of: parameter.kind), need, meaning)
            })
    }

    private static func rows(_ rows: [(name: String, type: String, need: String, meaning: String)]) -> String {
        (["| Parameter | Type | Needed | Meaning |", "|---|---|---|---|"]
            + rows.map { "| `\($0.name)` | \($0.type) | \($0.need) | \($0.meaning.replacing("|", with: "\\|")) |" })
            .joined(separator: "\n")
    }

    /// Whether a request must have a parameter.
    private static func need(
        of parameter: ParameterDescription, in request: RouteRequest, _ operation: APIOperation
    ) -> String {
        if operation.pathNames.contains(parameter.name) { return "in the path" }
        if case .ignored = parameter.kind { return "no, and ignored" }
        if parameter.name == request.textParameter { return "yes" }
        if case .grant = parameter.kind { return "if several grants allow it" }
        if case .bucket = parameter.kind { return "if the grant names no bucket" }
        if case .refuse(parameter.name) = request.withoutKey { return "if the grant names no key" }
        return "no"
    }

    private static func example(_ operation: APIOperation, _ request: RouteRequest) -> String {
        let needed = request.parameters.filter {
            ["yes", "if the grant names no key"].contains(need(of: $0, in: request, operation))
        }
        var query = ByteWriter()
        for parameter in needed {
            query.append(query.isEmpty ? "?" : "&")
            query.append(text: parameter.name)
            query.append("=")
            Percent.encode(Array((APIExample.value(of: parameter) ?? "").utf8).span, into: &query)
        }
        // The default of a route that can change something does so.
        let method = request.changes == nil || operation.methods.count == 1 ? operation.methods[0] : "POST"
        return "\(method) \(operation.path)\(query.array.text.replacing("%2F", with: "/"))"
    }

    private static func type(of kind: ParameterDescription.Kind) -> String {
        switch kind {
        case .grant, .bucket: "text"
        case .fileExtension: "1 to 8 of a-z 0-9"
        case .json(let length): "JSON value, at most \(length) bytes"
        case .ignored: "anything"
        case .key(let length), .keyPrefix(let length), .keyName(let length), .text(let length):
            "text, at most \(length) bytes"
        case .lifetime(let least): "whole number, from \(least)"
        case .integer(let bounds): "whole number, \(bounds.lowerBound) to \(bounds.upperBound)"
        case .pairs(let separator, let count, _):
            "`name\(String(UnicodeScalar(separator)))value`, up to \(count) times; in JSON a list of these, or an object"
        }
    }

    private static func type(of kind: FieldDescription.Kind) -> String {
        switch kind {
        case .json: "object"
        case .time: "time"
        case .boolean: "`true` or `false`"
        case .integer: "whole number"
        case .strings: "list of texts"
        case .object, .members: "object"
        case .objects: "list of objects"
        case .string, .vendorText, .choice, .duration, .size, .days, .rate, .secret, .template: "text"
        }
    }

    // MARK: Answers

    private static func answer(of operation: APIOperation) -> [String] {
        guard !operation.answer.isEmpty else {
            guard case .callback = operation.input else { return ["Answer: 200, and the vendor's own answer."] }
            return ["Answer: 200, and the `reply` of the grant."]
        }
        let members = operation.answer.flatMap { field in
            [(name: field.name, field: field)] + field.items.map { (name: "\(field.name)[].\($0.name)", field: $0) }
        }
        let rows = members.map { name, field in
            "| `\(name)` | \(type(of: field.type)) | \(field.summary.replacing("|", with: "\\|")) |"
        }
        let example = JSONDocument.object(
            operation.answer.compactMap { field in
                APIExample.value(of: field).map { (name: field.name, value: $0) }
            })
        return [
            operation.isList ? "Answer: 200, and a list of these." : "Answer: 200.",
            (["| Member | Type | Meaning |", "|---|---|---|"] + rows).joined(separator: "\n"),
            "```json\n\(example.indented)\n```",
        ]
    }

    private static func type(of kind: AnswerField.Kind) -> String {
        switch kind {
        case .string: "text"
        case .integer: "whole number"
        case .boolean: "true or false"
        case .object: "object"
        case .list: "list"
        }
    }

    // MARK: Errors

    private static let errors: String = {
        let general = Refusal.Code.concerning([.everyRequest]).map { link("\($0.text)") }.joined(separator: ", ")
        let bodies = Refusal.Code.concerning([.bodies]).map { link("\($0.text)") }.joined(separator: ", ")
        let introduction = """
            ## Errors

            An error is a problem document (RFC 9457) of the type `application/problem+json`. `code` is for programs, and never changes its
            meaning. `detail` is for people; do not parse it. `requestId` names the request. The service's
            log has a line with it, at level info or above, for a refused credential or callback, an exceeded rate (of these ten lines a second
            in each event loop at most), a genuine callback, a listing that the vendor refuses, and `internal_error`. Other requests have a line only with
            [`log.requests`](../config/README.md#log).

            ```json
            \(example)
            ```

            `/distribute-token.json` has `StatusCode`, `ErrorCode` and `ErrorMessage`, too, which Alibaba's SDKs read.

            Every request can be answered with: \(general). Every request with a body can also be answered with: \(bodies).
            """
        return ([introduction] + Refusal.Code.inOrder.map(write)).joined(separator: "\n\n")
    }()

    private static let example: String = {
        var response = Response()
        var refusal = Refusal(
            .notInGrant, "no grant admits this; keyPrefix: the key does not begin with the grant's prefix")
        refusal.subject = ("clause", "keyPrefix")
        refusal.write(into: &response, requestID: Array("7dc67b792b93460d-4".utf8).span)
        return response.body.array.text.split(separator: "\n").joined()
    }()

    private static func write(_ code: Refusal.Code) -> String {
        """
        ### \(code.text)

        Status: \(code.status.rawValue) \(code.status.phrase).

        Cause: \(code.cause)

        Remedy: \(code.remedy)
        """
    }
}
