import Access
import Bytes
import Configuration
import Machine
import Providers

/// A configuration like any, at a moment that stands still.
struct Fixture: Sendable {
    let configuration: Configuration

    /// Friday, 15 January 2027, 08:00:00 UTC.
    static let now: Int64 = 1_800_000_000
    static let accessKey = "LTAIfuzzing"
    static let secret = "a-secret-of-the-fuzzing-0123456789"

    static let standing = Result { try Fixture(Array(text: text)) }

    init(_ text: [UInt8]) throws {
        configuration = try Configuration.load(
            "/fuzzing.json5",
            in: Environment(
                variable: { $0 == "SECRET" ? Fixture.secret : nil },
                file: { $0 == "/fuzzing.json5" ? ReadFile(bytes: text, isWorldReadable: false) : nil },
                now: { Fixture.now }))
    }

    /// Whether the service would sign this for anybody.
    func signs(_ parameters: [(name: StaticString, value: [UInt8])]) throws -> Bool {
        try signs("oss.sign") { given, _ throws(ParameterError) in
            for (name, value) in parameters {
                try given.add(name: name.bytes.span, value: value.span, form: .text)
            }
        }
    }

    /// Whether the service would sign this for anybody, asked at a route by a JSON object.
    func signs(_ name: String, json: [UInt8]) throws -> Bool {
        try signs(name) { given, known throws(ParameterError) in
            try given.read(json: json.span, maximumDepth: 16, whole: known.wholeNames)
        }
    }

    private func signs(
        _ name: String, _ give: (inout Parameters, ParameterList) throws(ParameterError) -> Void
    ) throws -> Bool {
        guard let route = Registry.route(named: name) else { throw Broken("there is no route") }
        let description = Registry.routes[route].description
        let instant = Instant(unixSeconds: Fixture.now, nanoseconds: 0)
        var ask = Ask(Nonce(InlineArray(repeating: 7)))
        do {
            try give(&ask.parameters, description.request.parameters)
            try ask.read(by: description.request.parameters)
            try description.request.read(&ask, instant)
        } catch { return false }
        var workspace = PolicyWorkspace()
        switch configuration.policy.decide(
            ask, on: route, by: configuration.authenticator.anonymous, at: instant, in: &workspace)
        {
        case .permitted: return true
        case .denied: return false
        }
    }

    private static let text = """
        { version: 1, server: { listen: "127.0.0.1:8080" },
          credentials: {
            "oss": { provider: "oss", accessKey: "\(accessKey)", secretKey: { env: "SECRET" }, region: "cn-hangzhou" },
            "s3": { provider: "s3", accessKey: "AKIAFUZZING", secretKey: { env: "SECRET" }, region: "eu-west-1",
              endpoint: "s3.eu-west-1.amazonaws.com" },
          },
          authentication: {
            jwt: [{ id: "login", issuer: "login", audience: "uploads", algorithms: ["HS256"], secret: { env: "SECRET" } }],
          },
          grants: {
            "objects": { route: "oss.sign", credential: "oss", callers: ["anonymous", "jwt:login"], public: true,
              bucket: "demo-bucket", keyPrefix: "demo/", methods: ["GET", "HEAD", "PUT"], headers: ["x-oss-meta-*"],
              subresources: ["response-content-type"], presign: "5m" },
            "tables": { route: "s3.iceberg", credential: "s3", callers: ["anonymous"], public: true, bucket: "demo-bucket",
              keyPrefix: "wh/", methods: ["GET", "PUT", "POST"], subresources: ["delete"], headers: ["content-type"],
              overwrite: true },
          } }
        """
}

extension StaticString {
    var bytes: [UInt8] { Array(description.utf8) }
}
