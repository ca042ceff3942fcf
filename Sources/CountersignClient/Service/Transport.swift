import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An answer by HTTP, whole.
struct HTTPAnswer: Sendable {
    let status: Int
    /// By names in lower case.
    let fields: [String: String]
    let body: Data

    var isSuccess: Bool { (200..<300).contains(status) }

    func field(_ name: String) -> String? { fields[name.lowercased()] }

    /// The field `Date` (RFC 9110, section 5.6.7).
    var date: Date? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return field("Date").flatMap { formatter.date(from: $0) }
    }

    /// Of `Retry-After`, only seconds: a date would be one of a clock that is not ours.
    var retryAfter: Duration? {
        guard let text = field("Retry-After"), text.utf8.count <= 9,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int(text).map { .seconds($0) }
    }
}

/// Sends requests, each alone, by a URL session that keeps no cookies, caches nothing, and follows no redirection: a
/// credential goes nowhere but where it was meant for.
final class Transport: Sendable {
    /// What is too long for any answer that this library reads.
    static let longestAnswer = 4 << 20

    enum Failure: Error {
        case answerTooLong
        case noHTTP
    }

    private let timeout: TimeInterval
    private let session: URLSession
    private let exchanges = Exchanges()

    init(timeout: TimeInterval) {
        self.timeout = timeout
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// - Parameter once: whether the request must not be sent twice. On a connection that was used before and has been closed
    ///   meanwhile, the system sends it again by itself; what can be done once only would then seem to be refused.
    /// - Throws: `CancellationError`, or why no answer came.
    func send(_ request: URLRequest, once: Bool = false) async throws -> HTTPAnswer {
        var needsOwnConnection = once
        #if canImport(FoundationNetworking)
            // There, it has no body for the second time, and nothing would come until the timeout.
            if request.httpBody?.isEmpty == false { needsOwnConnection = true }
        #endif
        return try await needsOwnConnection ? Transport(timeout: timeout).exchange(request) : exchange(request)
    }

    /// The same error, as an app may log it: the query of a signed URL is a credential, and the system puts whole URLs into several
    /// values of `userInfo`, also of the errors below. Only the domain, the code and the URL without query, fragment and user stay.
    static func withoutSecrets(_ error: any Error) -> any Error {
        let values = (error as NSError).userInfo
        guard let known = error as? URLError else {
            return NSError(domain: (error as NSError).domain, code: (error as NSError).code)
        }
        let told = values[NSURLErrorFailingURLErrorKey] as? URL
        let text = values["NSErrorFailingURLStringKey"] as? String
        guard let url = told ?? text.flatMap({ URL(string: $0) }),
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return URLError(known.code) }
        (parts.query, parts.fragment, parts.user, parts.password) = (nil, nil, nil, nil)
        return URLError(known.code, userInfo: parts.url.map { [NSURLErrorFailingURLErrorKey: $0] } ?? [:])
    }

    private func exchange(_ request: URLRequest) async throws -> HTTPAnswer {
        let task = session.dataTask(with: request)
        let number = task.taskIdentifier
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                exchanges.begin(number, continuation)
                // Whoever cancelled before the exchange began found none to end.
                if Task.isCancelled { exchanges.end(number, .failure(CancellationError())) }
                task.resume()
            }
        } onCancel: {
            exchanges.end(number, .failure(CancellationError()))
            task.cancel()
        }
    }
}

/// The requests on their way, by their tasks' numbers.
private final class Exchanges: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // Unsafe: all that changes is guarded by the lock.
    private struct Exchange {
        let continuation: CheckedContinuation<HTTPAnswer, any Error>
        var head: HTTPURLResponse?
        var body = Data()
    }

    private let lock = NSLock()
    /// Guarded by the lock.
    private var running: [Int: Exchange] = [:]

    func begin(_ number: Int, _ continuation: CheckedContinuation<HTTPAnswer, any Error>) {
        lock.withLock { running[number] = Exchange(continuation: continuation) }
    }

    /// The first end counts; others find nothing.
    func end(_ number: Int, _ result: Result<HTTPAnswer, any Error>) {
        lock.withLock { running.removeValue(forKey: number) }?.continuation.resume(with: result)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        lock.withLock { running[dataTask.taskIdentifier]?.head = response as? HTTPURLResponse }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let size = lock.withLock {
            running[dataTask.taskIdentifier]?.body.append(data)
            return running[dataTask.taskIdentifier]?.body.count ?? 0
        }
        guard size > Transport.longestAnswer else { return }
        end(dataTask.taskIdentifier, .failure(Transport.Failure.answerTooLong))
        dataTask.cancel()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let number = task.taskIdentifier
        guard let exchange = lock.withLock({ running[number] }) else { return }
        if let error { return end(number, .failure(Transport.withoutSecrets(error))) }
        guard let head = exchange.head ?? task.response as? HTTPURLResponse else {
            return end(number, .failure(Transport.Failure.noHTTP))
        }
        var fields: [String: String] = [:]
        for (name, value) in head.allHeaderFields {
            if let name = name as? String { fields[name.lowercased()] = value as? String }
        }
        end(number, .success(HTTPAnswer(status: head.statusCode, fields: fields, body: exchange.body)))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
