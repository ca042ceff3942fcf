import Foundation

@testable import CountersignClient

/// A service that issues numbered credentials, by a clock of its own, and refuses when a test says so.
final class FakeService: Sendable {
    struct State {
        var requests: [ReceivedRequest] = []
        /// What is answered instead, one after the other.
        var refusals: [Reply] = []
        var lifetime = 600
        /// By how many seconds the service's clock is ahead of the device's.
        var ahead: TimeInterval = 0
        /// The key that the service chooses where none is asked for; with a number in the place of `#`.
        var ownKey: String?
        /// Whether a caller may ask for such a key.
        var admitsKeys = true
        /// Where signed URLs lead to.
        var vendor = "https://media.oss-cn-hangzhou.aliyuncs.com"
        var gate: DispatchSemaphore?
    }

    let state = Locked(State())
    private let server: Locked<LoopbackServer?> = Locked(nil)

    init() throws {
        let state = state
        let server = try LoopbackServer { FakeService.answer($0, state) }
        self.server.update { $0 = server }
    }

    var url: URL { server.value?.url ?? URL(filePath: "/") }
    var requests: [ReceivedRequest] { state.value.requests }

    func client(
        _ time: TestTime = TestTime(), _ credential: CallerCredential = .bearer("caller-key"),
        retry: RetryPolicy = RetryPolicy(attempts: 5)
    ) -> Countersign {
        Countersign(
            baseURL: url, credential: credential, options: ClientOptions(retry: retry, timeout: 60), time: time.source)
    }

    /// A problem document, as the service writes it.
    static func refusal(
        _ code: String, status: Int, clause: String? = nil, parameter: String? = nil, retryAfter: String? = nil
    ) -> Reply {
        let clause = clause.map { "\"clause\":\"\($0)\"," } ?? ""
        let parameter = parameter.map { "\"parameter\":\"\($0)\"," } ?? ""
        return .json(
            "{\"type\":\"x\",\"title\":\"T\",\"status\":\(status),\"code\":\"\(code)\",\"detail\":\"the reason\","
                + "\(clause)\(parameter)\"requestId\":\"r-1\"}",
            status: status, fields: retryAfter.map { ["Retry-After": $0] } ?? [:])
    }

    private static func answer(_ request: ReceivedRequest, _ state: Locked<State>) -> Reply {
        let gate = state.update {
            $0.requests.append(request); return $0.gate
        }
        gate?.wait()
        return state.update { state in
            if !state.refusals.isEmpty { return state.refusals.removeFirst() }
            let parameters = request.form
            if !state.admitsKeys, parameters["key"] ?? parameters["object"] != nil {
                return refusal("not_in_grant", status: 403, clause: "key")
            }
            let number = state.requests.count
            let key =
                parameters["key"] ?? parameters["object"]
                ?? state.ownKey?.replacingOccurrences(of: "#", with: String(number))
            let keyText = key.map { "\"\($0)\"" } ?? "null"
            let common = "\"bucket\":\"media\",\"key\":\(keyText),\(validity(state))}"
            switch request.path {
            case "/qiniu/uptoken":
                let prefix = key == nil ? "\"keyPrefix\":\"photos/\"," : ""
                return .json("{\"uptoken\":\"AK:\(number)\",\"token\":\"AK:\(number)\",\(prefix)\(common)")
            case "/nos/token": return .json("{\"token\":\"UPLOAD \(number)\",\"object\":\(keyText),\(common)")
            case "/distribute-token.json":
                return .json(
                    "{\"StatusCode\":200,\"Code\":\"Success\",\"AccessKeyId\":\"STS.\(number)\","
                        + "\"AccessKeySecret\":\"s\",\"SecurityToken\":\"t\",\"Expiration\":\"\(end(state).formatted(.iso8601))\","
                        + "\"Scope\":{\"Bucket\":\"media\",\"Prefix\":\"photos/\"}}",
                    fields: ["Date": date(now(state))])
            case "/oss/sign":
                return .json(
                    "{\"signature\":\"c2ln\",\"authorization\":\"OSS AK:c2ln\",\"accessKeyId\":\"AK\",\(common)")
            case "/oss/post-policy":
                return .json("{\"url\":\"\(state.vendor)/\",\"fields\":{\"key\":\"a\",\"policy\":\"p\"},\(common)")
            case "/qiniu/download-url": return .json("{\"url\":\"https://d.example.com/a?e=1&token=t\",\(common)")
            default: return signed(request, key ?? "", number, state, common)
            }
        }
    }

    /// A request whose signature is the number of the answer.
    private static func signed(
        _ request: ReceivedRequest, _ key: String, _ number: Int, _ state: State, _ common: String
    ) -> Reply {
        let asked = String(decoding: request.body, as: UTF8.self).split(separator: "&")
        let values = { (name: String) in
            asked.filter { $0.hasPrefix(name + "=") }.map {
                String($0.dropFirst(name.count + 1)).removingPercentEncoding ?? ""
            }
        }
        let headers = values("header").map { header in
            "\"\(header.prefix { $0 != ":" })\":\"\(header.drop { $0 != ":" }.dropFirst())\""
        }
        let query = (values("query").map(encoded) + ["signature=\(number)"]).joined(separator: "&")
        return .json(
            "{\"method\":\"\(values("method").first ?? "GET")\",\"url\":\"\(state.vendor)/\(key)?\(query)\","
                + "\"headers\":{\(headers.joined(separator: ","))},\(common)")
    }

    /// A parameter of a query, with its value encoded.
    private static func encoded(_ parameter: String) -> String {
        let name = parameter.prefix { $0 != "=" }
        let value = parameter.dropFirst(name.count)
        return name + (value.isEmpty ? "" : "=" + PercentEncoding.encode(String(value.dropFirst())))
    }

    private static func validity(_ state: State) -> String {
        // Read once: between two readings a second could pass.
        let now = now(state)
        let end = now + TimeInterval(state.lifetime)
        return "\"grant\":\"g\",\"expiresAt\":\"\(end.formatted(.iso8601))\",\"expiresIn\":\(state.lifetime),"
            + "\"limitedBy\":\"grant\",\"serverTime\":\"\(now.formatted(.iso8601))\""
    }

    /// By the service's clock, in whole seconds.
    private static func now(_ state: State) -> Date {
        Date(timeIntervalSince1970: (Date.now.timeIntervalSince1970 + state.ahead).rounded(.down))
    }

    private static func end(_ state: State) -> Date { now(state) + TimeInterval(state.lifetime) }

    private static func date(_ date: Date) -> String {
        var moment = time_t(date.timeIntervalSince1970)
        var parts = tm()
        gmtime_r(&moment, &parts)
        var text = [CChar](repeating: 0, count: 64)
        let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
