import Testing

@testable import Access
@testable import Bytes
@testable import Providers

/// R15 on a table that is made for the tests.
@Suite struct OperationRuleTests {
    private static let table = OperationTable(
        [
            OperationTable.Operation("GET", .object, query: ["trace"]), OperationTable.Operation("PUT", .object),
            OperationTable.Operation("PUT", .object, ["part", "upload"]),
            OperationTable.Operation("GET", .object, ["upload"]),
            OperationTable.Operation("GET", .bucket, reach: .bucket),
            OperationTable.Operation("GET", .bucket, ["list"], query: ["prefix"]),
            OperationTable.Operation("GET", .service, ["buckets"], reach: .service),
        ],
        headers: ["content-type", "x-v-meta-*"])

    private static func rule(
        _ methods: [String], _ names: [String] = [], query: [String]? = nil, headers: [String] = [],
        reach: OperationTable.Level = .object
    ) throws -> OperationRule {
        try OperationRule(
            table, methods: methods.map { Array($0.utf8) },
            subResources: (names.map { Array($0.utf8) }, query == nil ? "query" : "subresources"),
            query: query.map { ($0.map { Array($0.utf8) }, "query") }, headers: headers.map { Array($0.utf8) },
            reach: reach)
    }

    /// The clause that objects; nil when none does.
    private func clause(
        _ rule: OperationRule, _ method: String, _ level: OperationTable.Level = .object, _ names: [String] = [],
        headers: [String] = []
    ) -> String? {
        rule.objection(
            to: Array(method.utf8), level, names: names.map { Array($0.utf8) }, headers: headers.map { Array($0.utf8) }
        )?.clause.description
    }

    @Test func `what the grant does not name is denied, be it in the table or not`() throws {
        let rule = try OperationRuleTests.rule(["GET"])
        #expect(clause(rule, "GET") == nil)
        #expect(clause(rule, "GET", .object, ["trace"]) == nil)
        for method in ["PUT", "get", "GET ", "", "DELETE", "PATCH"] { #expect(clause(rule, method) == "methods") }
        for names in [["upload"], ["other"], ["Trace"], [""], ["trace", "other"], ["part", "upload"]] {
            #expect(clause(rule, "GET", .object, names) == "query")
        }
        for header in ["content-type", "x-v-meta-a", "x-v-acl", "authorization", ""] {
            #expect(clause(rule, "GET", headers: [header]) == "headers")
        }
        for level in [OperationTable.Level.bucket, .service] { #expect(clause(rule, "GET", level) == "methods") }
    }

    @Test func `an operation has all of its names, and those of no other`() throws {
        let rule = try OperationRuleTests.rule(["GET", "PUT"], ["part", "upload"])
        #expect(clause(rule, "PUT", .object, ["upload", "part"]) == nil)
        #expect(clause(rule, "PUT") == nil)
        #expect(clause(rule, "GET", .object, ["upload"]) == nil)
        for names in [["upload"], ["part"], ["part", "upload", "trace"]] {
            #expect(clause(rule, "PUT", .object, names) == "query")
        }
        #expect(clause(rule, "GET", .object, ["upload", "trace"]) == "query")
    }

    @Test func `more than an object needs a grant for more, or a prefix in what is signed`() throws {
        #expect(clause(try OperationRuleTests.rule(["GET"], reach: .bucket), "GET", .bucket) == nil)
        #expect(clause(try OperationRuleTests.rule(["GET"]), "GET", .bucket) == "methods")
        #expect(clause(try OperationRuleTests.rule(["GET"], ["list"]), "GET", .bucket, ["list", "prefix"]) == nil)
        #expect(clause(try OperationRuleTests.rule(["GET"], ["list"]), "GET", .bucket) == "query")
        let whole = try OperationRuleTests.rule(["GET"], ["buckets"], reach: .service)
        #expect(clause(whole, "GET", .service, ["buckets"]) == nil)
        for reach in [OperationTable.Level.object, .bucket] {
            #expect(throws: FieldProblem.self) { try OperationRuleTests.rule(["GET"], ["buckets"], reach: reach) }
        }
    }

    @Test func `headers are named one by one, or by what they begin with`() throws {
        let one = try OperationRuleTests.rule(["PUT"], headers: ["content-type", "x-v-meta-a"])
        #expect(clause(one, "PUT", headers: ["content-type", "x-v-meta-a"]) == nil)
        for header in ["x-v-meta-b", "x-v-meta-aa", "x-v-meta-", "content-typ"] {
            #expect(clause(one, "PUT", headers: ["content-type", header]) == "headers")
        }
        let all = try OperationRuleTests.rule(["PUT"], headers: ["x-v-meta-*"])
        #expect(clause(all, "PUT", headers: ["x-v-meta-a", "x-v-meta-b"]) == nil)
        for header in ["x-v-meta-", "x-v-metab", "content-type"] {
            #expect(clause(all, "PUT", headers: [header]) == "headers")
        }
        for header in ["x-v-acl", "x-v-*", "*", "", "x-v-meta-", "X-V-Meta-*", "x-v-meta-a:b", "x-v-meta-*a"] {
            #expect(throws: FieldProblem.self) { try OperationRuleTests.rule(["PUT"], headers: [header]) }
        }
    }

    @Test func `of query names that make no operation, those of the grant's list are admitted, where it has one`()
        throws
    {
        let listed = try OperationRuleTests.rule(["GET"], ["list"], query: ["prefix"])
        #expect(clause(listed, "GET", .bucket, ["list", "prefix"]) == nil)
        #expect(clause(listed, "GET", .object, ["trace"]) == "query")
        #expect(clause(listed, "GET", .object, ["upload"]) == "subresources")
        #expect(clause(listed, "GET", .object, ["prefix"]) == "subresources")
        let none = try OperationRuleTests.rule(["GET"], ["list"], query: [])
        #expect(clause(none, "GET", .bucket, ["list"]) == nil)
        #expect(clause(none, "GET", .bucket, ["list", "prefix"]) == "query")
        for query in [["upload"], ["acl"], ["Trace"], ["prefix"]] {
            #expect(throws: FieldProblem.self) { try OperationRuleTests.rule(["GET"], query: query) }
        }
        #expect(throws: FieldProblem.self) { try OperationRuleTests.rule(["PUT"], query: ["trace"]) }
    }

    @Test func `a grant that names what would never be used is no grant`() {
        for (methods, names) in [
            ([], []), (["PATCH"], []), (["GET"], ["acl"]), (["GET"], ["part"]), (["PUT"], ["part"]),
            (["PUT"], ["list"]),
        ] {
            #expect(throws: FieldProblem.self) { try OperationRuleTests.rule(methods, names) }
        }
    }
}
