import Bytes
import TestTraits
import Testing

@testable import HTTP

/// Requests whose answers come later.
@Suite struct ServerConnectionParkedTests {
    private func get(_ path: String, _ more: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: h\r\n\(more)\r\n"
    }

    private func paths(_ conversation: Conversation) -> [String] { conversation.handler.requests.map(\.path) }

    /// The first word of every answer's body, in order.
    private func bodies(_ conversation: Conversation) -> [String] {
        conversation.text.components(after: "\r\n\r\n").map { $0.components(before: "HTTP/1.1") }
    }

    @Test func `nothing is sent before the answer is there, and no later request is looked at`() {
        let conversation = Conversation()
        conversation.receive(get("/later") + get("/b") + get("/c"))
        #expect(conversation.next == .park)
        #expect(conversation.text.isEmpty)
        #expect(paths(conversation) == ["/later"])
        #expect(!conversation.isIdle)
        #expect(conversation.pending == PendingResponse(connection: 7, number: 0))
        #expect(conversation.handler.tickets == [PendingResponse(connection: 7, number: 0)])
        conversation.finish("late")
        #expect(conversation.next == .read)
        #expect(conversation.isIdle)
        #expect(conversation.pending == nil)
        #expect(bodies(conversation) == ["late", "get /b  h ", "get /c  h "])
    }

    @Test func `what was answered before it leaves at once`() {
        let conversation = Conversation()
        conversation.receive(get("/a") + get("/b") + get("/later") + get("/c"))
        #expect(conversation.next == .park)
        #expect(bodies(conversation) == ["get /a  h ", "get /b  h "])
        conversation.finish("late")
        #expect(bodies(conversation) == ["get /a  h ", "get /b  h ", "late", "get /c  h "])
    }

    @Test func `one after the other may come later, each under a pending of its own`() {
        let conversation = Conversation()
        conversation.receive(get("/later1") + get("/a") + get("/later2") + get("/later3") + get("/b"))
        for number in 0..<3 {
            #expect(conversation.next == .park)
            #expect(conversation.pending == PendingResponse(connection: 7, number: UInt64(number)))
            conversation.finish("late\(number + 1)")
        }
        #expect(conversation.next == .read)
        #expect(bodies(conversation) == ["late1", "get /a  h ", "late2", "late3", "get /b  h "])
        conversation.receive(get("/later4"))
        #expect(conversation.pending == PendingResponse(connection: 7, number: 3))
    }

    @Test func `however the stream is cut, the answers are the same and in order`() {
        let stream = octets(
            get("/a") + get("/later1") + "POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3\r\nabc\r\n0\r\n\r\n" + get("/later2") + get("/later3")
                + "POST /later4 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nxy" + get("/b"))
        let expected = ["get /a  h ", "late", "post /p  h abc", "late", "late", "late", "get /b  h "]
        var random = SplitMix64(seed: 3)
        for _ in 0..<500 {
            let conversation = Conversation()
            var start = 0
            while start < stream.count {
                let end = Int.random(in: start + 1...min(stream.count, start + 90), using: &random)
                conversation.receive(stream[start..<end])
                start = end
                // What comes meanwhile is kept, should its owner read it.
                if conversation.next == .park, Bool.random(using: &random) { conversation.finish("late") }
            }
            var rest = 0
            while conversation.next == .park, rest < 4 {
                conversation.finish("late")
                rest += 1
            }
            #expect(conversation.next == .read)
            #expect(conversation.isIdle)
            #expect(bodies(conversation) == expected)
        }
    }

    @Test func `the answer to a parked HEAD has no body`() {
        let conversation = Conversation()
        conversation.receive("HEAD /later HTTP/1.1\r\nHost: h\r\n\r\n")
        conversation.finish("late")
        #expect(conversation.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(conversation.text.hasSuffix("\r\n\r\n"))
        #expect(conversation.next == .read)
    }

    @Test func `a 1.0 client is told whether its connection stays open`() {
        let stays = Conversation()
        stays.receive("GET /later HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        stays.finish("late")
        #expect(stays.text.contains("\r\nConnection: keep-alive\r\n"))
        #expect(stays.next == .read)
        let ends = Conversation()
        ends.receive("GET /later HTTP/1.0\r\n\r\n")
        ends.finish("late")
        #expect(ends.text.contains("\r\nConnection: close\r\n"))
        #expect(ends.next == .linger)
    }

    @Test func `a connection that its client ends takes nothing after the answer`() {
        let conversation = Conversation()
        conversation.receive(get("/later", "Connection: close\r\n") + get("/b"))
        #expect(conversation.next == .park)
        conversation.finish("late")
        #expect(bodies(conversation) == ["late"])
        #expect(conversation.text.contains("\r\nConnection: close\r\n"))
        #expect(conversation.next == .linger)
        #expect(paths(conversation) == ["/later"])
    }

    @Test func `date and persistence are those of the moment that the answer leaves`() {
        let conversation = Conversation()
        conversation.receive(get("/later") + get("/b"))
        conversation.date = "Sun, 06 Nov 1994 08:49:37 GMT"
        conversation.isLast = true
        conversation.finish("late")
        #expect(conversation.text.contains("\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"))
        #expect(conversation.text.contains("\r\nConnection: close\r\n"))
        #expect(bodies(conversation) == ["late"])
        #expect(conversation.next == .linger)
    }

    @Test func `what is left of an invited or chunked body does not stick to what comes after it`() {
        let conversation = Conversation()
        conversation.receive(
            "POST /later HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n")
        #expect(conversation.text == continued)
        conversation.receive("5\r\nhello\r\n0\r\n")
        #expect(conversation.next == .read)
        conversation.receive("\r\n" + get("/b"))
        #expect(conversation.next == .park)
        #expect(conversation.handler.requests.map(\.body) == ["hello"])
        conversation.finish("late")
        #expect(conversation.text.ranges(of: continued).count == 1)
        #expect(paths(conversation) == ["/later", "/b"])
        conversation.receive("POST /later HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nab")
        #expect(conversation.next == .read)
        conversation.receive("c" + get("/c"))
        #expect(conversation.next == .park)
        conversation.finish("late")
        #expect(conversation.handler.requests.map(\.body) == ["hello", "", "abc", ""])
    }

    @Test func `answers that grow large before and after it are given in parts`() {
        let before = (0..<20).map { get("/big\($0)") }.joined()
        let after = (20..<40).map { get("/big\($0)") }.joined()
        let conversation = Conversation()
        conversation.receive(before + get("/later") + after)
        #expect(conversation.next == .park)
        #expect(conversation.handler.requests.count == 21)
        conversation.finish("late")
        #expect(conversation.next == .read)
        #expect(conversation.handler.requests.count == 41)
        #expect(conversation.drains >= 4)
    }

    // MARK: Time

    private var timed: Limits {
        var limits = Limits()
        limits.idleTimeout = 60
        limits.headerTimeout = 10
        limits.answerTimeout = 30
        return limits
    }

    @Test func `its time begins when it is parked, and that of what comes after it when it is answered`() {
        let conversation = Conversation(limits: timed, at: 0)
        conversation.receive("GET /later HTTP/1.1\r\n", at: 5)
        conversation.receive("Host: h\r\n\r\nGET", at: 9)
        #expect(conversation.deadline == 39)
        conversation.finish("late", at: 35)
        #expect(conversation.deadline == 45)
        conversation.receive(" /b HTTP/1.1\r\nHost: h\r\n\r\n", at: 40)
        #expect(conversation.deadline == 100)
    }

    @Test(arguments: ["GET", "HEAD"])
    func `one that nobody answers ends with 503`(method: String) {
        let conversation = Conversation(limits: timed, at: 0)
        conversation.receive("\(method) /later HTTP/1.1\r\nHost: h\r\n\r\n" + get("/b"), at: 1)
        #expect(conversation.deadline == 31)
        conversation.expire(at: 31)
        #expect(conversation.handler.errors == [.overloaded])
        #expect(conversation.text.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
        #expect(conversation.text.contains("\r\nConnection: close\r\n"))
        #expect(conversation.text.contains("Content-Length") == (method == "GET"))
        #expect(conversation.pending == nil)
        let before = conversation.text
        conversation.finish("late", at: 32)
        conversation.receive(get("/c"), at: 33)
        #expect(conversation.text == before)
        #expect(paths(conversation) == ["/later"])
    }

    @Test func `to finish what nobody waits for writes nothing`() {
        let conversation = Conversation()
        conversation.finish("late")
        #expect(conversation.text.isEmpty)
        conversation.receive(get("/a"))
        #expect(bodies(conversation) == ["get /a  h "])
    }
}

extension String {
    fileprivate func components(after separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).dropFirst().map(String.init)
    }

    fileprivate func components(before separator: String) -> String {
        firstRange(of: separator).map { String(self[..<$0.lowerBound]) } ?? self
    }
}
