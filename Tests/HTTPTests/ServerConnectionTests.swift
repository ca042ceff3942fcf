import Bytes
import TestTraits
import Testing

@testable import HTTP

@Suite struct ServerConnectionTests {
    private func converse(_ pieces: [ArraySlice<UInt8>]) -> Conversation {
        let conversation = Conversation()
        for piece in pieces { conversation.receive(piece) }
        return conversation
    }

    private func bytewise(_ raw: [UInt8]) -> [ArraySlice<UInt8>] { raw.indices.map { raw[$0...$0] } }

    @Test(arguments: RequestCase.accepted)
    func `answers the same however the request is cut`(request: RequestCase) {
        guard case .accepted(let expected) = request.outcome else { return }
        let raw = request.raw
        let whole = converse([raw[...]])
        #expect(whole.handler.requests == [expected])
        #expect(whole.next == (expected.keepsAlive ? .read : .close))
        #expect(whole.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        let cuts = raw.indices.map { [raw[..<$0], raw[$0...]] } + [bytewise(raw)]
        for pieces in cuts {
            let cut = converse(pieces)
            #expect(cut.handler.requests == [expected], "cut at \(pieces[0].count)")
            #expect(cut.finalText == whole.text, "cut at \(pieces[0].count)")
            #expect(cut.next == whole.next)
        }
    }

    @Test(arguments: RequestCase.all)
    func `refuses the same however the request is cut, and never more than once`(request: RequestCase) {
        guard case .refused(let kind) = request.outcome else { return }
        let raw = request.raw
        for pieces in [[raw[...]], bytewise(raw)] + raw.indices.map({ [raw[..<$0], raw[$0...]] }) {
            let conversation = converse(pieces)
            #expect(conversation.handler.errors == [kind])
            #expect(conversation.handler.requests.isEmpty)
            #expect(conversation.next == .linger)
            #expect(conversation.text.contains("\r\nConnection: close\r\n"))
        }
    }

    @Test func `pipelined requests are answered in order, however the stream is cut`() {
        let persistent = RequestCase.accepted.filter {
            if case .accepted(let accepted) = $0.outcome { accepted.keepsAlive } else { false }
        }
        let stream = Array(persistent.map(\.raw).joined())
        let whole = converse([stream[...]])
        #expect(whole.handler.requests.count == persistent.count)
        #expect(whole.handler.errors.isEmpty)
        for request in zip(whole.handler.requests, persistent) { #expect(.accepted(request.0) == request.1.outcome) }
        let single = persistent.map { converse([$0.raw[...]]).text }.joined()
        #expect(whole.text == single)
        #expect(converse(bytewise(stream)).finalText == single)
        var random = SplitMix64(seed: 1)
        for _ in 0..<100 {
            var pieces: [ArraySlice<UInt8>] = []
            var start = 0
            while start < stream.count {
                let end = Int.random(in: start...min(stream.count, start + 300), using: &random)
                pieces.append(stream[start..<end])
                start = end
            }
            let cut = converse(pieces)
            #expect(cut.finalText == single)
            #expect(cut.next == .read)
        }
    }

    @Test func `nothing after a refusal is looked at, and what came before it is answered`() {
        let conversation = Conversation()
        conversation.receive("GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b\r\n\r\nGET /c HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(conversation.handler.requests.map(\.path) == ["/a"])
        #expect(conversation.handler.errors == [.malformed])
        #expect(conversation.next == .linger)
    }

    @Test func `requests after the last of a connection are not answered, and keep it lingering`() {
        let conversation = Conversation()
        conversation.receive(
            "GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(conversation.handler.requests.map(\.path) == ["/a"])
        #expect(conversation.next == .linger)
    }

    @Test func `the handler or the server may end a connection`() {
        let last = Conversation()
        last.isLast = true
        last.receive("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(last.next == .close)
        #expect(last.text.contains("\r\nConnection: close\r\n"))
    }

    @Test func `only a 1.0 client is told that its connection stays open`() {
        let old = Conversation()
        old.receive("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(old.next == .read)
        #expect(old.text.contains("\r\nConnection: keep-alive\r\n"))
        let new = Conversation()
        new.receive("GET / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive\r\n\r\n")
        #expect(!new.text.contains("Connection:"))
    }

    @Test func `an answer to HEAD has no body`() {
        let conversation = Conversation()
        conversation.receive("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(conversation.text.hasSuffix("\r\n\r\n"))
        #expect(conversation.text.ranges(of: "\r\n\r\n").count == 1)
        conversation.receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(conversation.text.hasSuffix("get /  h "))
    }

    @Test(arguments: ["Content-Length: 5", "Transfer-Encoding: chunked"])
    func `invites a body exactly once, and not when it is already coming`(framing: String) {
        let head = "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n\(framing)\r\n\r\n"
        let body = framing.hasPrefix("C") ? "hello" : "5\r\nhello\r\n0\r\n\r\n"
        let waits = Conversation()
        waits.receive(head)
        #expect(waits.text == continued)
        for byte in octets(body) { waits.receive([byte]) }
        #expect(waits.text.hasPrefix(continued + "HTTP/1.1 200 OK\r\n"))
        #expect(waits.text.ranges(of: continued).count == 1)
        #expect(waits.handler.requests.map(\.body) == ["hello"])
        // It may do so again for the next request.
        waits.receive(head)
        #expect(waits.text.ranges(of: continued).count == 2)

        let hurries = Conversation()
        hurries.receive(head + body.prefix(1))
        #expect(hurries.text.isEmpty)
        hurries.receive(String(body.dropFirst()))
        #expect(!hurries.text.contains(continued))
        #expect(hurries.handler.requests.map(\.body) == ["hello"])
    }

    @Test func `an invitation comes after the answers before it`() {
        let conversation = Conversation()
        conversation.receive(
            "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
                + "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n")
        #expect(conversation.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(conversation.text.hasSuffix(continued))
    }

    // MARK: Answers that grow

    @Test func `answers that grow too large are given in parts, in order, and nothing is lost`() {
        let paths = (0..<40).map { "/big\($0)" }
        let requests = paths.map { "GET \($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined()
        let partial = "POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab"
        let conversation = Conversation()
        conversation.receive(requests + partial)
        #expect(conversation.drains >= 5)
        #expect(conversation.next == .read)
        conversation.receive("c\r\n0\r\n\r\n")
        #expect(conversation.handler.requests.map(\.path) == paths + ["/p"])
        let answers = paths.map { $0 + String(repeating: ".", count: 10_000) }
        var rest = conversation.text[...]
        for answer in answers {
            guard let found = rest.firstRange(of: answer) else {
                return #expect(Bool(false), "\(answer.prefix(6)) is missing")
            }
            rest = rest[found.upperBound...]
        }
        #expect(rest.hasSuffix("post /p  h abc"))
    }

    @Test func `at most the limit and one answer are written at once`() {
        let handler = RecordingHandler()
        var context = ServerConnection.Context(handler: handler)
        var connection = ServerConnection(limits: Limits(), at: context.instant)
        let stream = octets(String(repeating: "GET /big HTTP/1.1\r\nHost: h\r\n\r\n", count: 100))
        var next = connection.receive(stream.span, in: &context)
        var turns = 0
        while next == .drain, turns < 100 {
            #expect(context.out.count < ServerConnection.outputLimit + 11_000)
            #expect(context.out.count >= ServerConnection.outputLimit)
            context.out.reset()
            let nothing: [UInt8] = []
            next = connection.receive(nothing.span, in: &context)
            turns += 1
        }
        #expect(next == .read)
        #expect(handler.requests.count == 100)
    }

    @Test func `others have their turn after so many requests, however short the answers are`() {
        let conversation = Conversation()
        let count = ServerConnection.turn * 3 + 5
        conversation.receive(String(repeating: "GET / HTTP/1.1\r\nHost: h\r\n\r\n", count: count) + "GET ")
        #expect(conversation.drains == 3)
        #expect(conversation.handler.requests.count == count)
        #expect(conversation.next == .read)
        conversation.receive("/z HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(conversation.handler.requests.last?.path == "/z")
    }

    @Test func `what it keeps of requests is counted, and let go with them`() {
        let handler = RecordingHandler()
        var context = ServerConnection.Context(handler: handler)
        var connection = ServerConnection(limits: Limits(), at: context.instant)
        var held = connection.held
        #expect(held == 0)
        for head in ["Content-Length: 9000", "Transfer-Encoding: chunked"] {
            let isChunked = head.hasSuffix("chunked")
            let start = octets("POST / HTTP/1.1\r\nHost: h\r\n\(head)\r\n\r\n" + (isChunked ? "2328\r\n" : ""))
            let body = [UInt8](repeating: 97, count: 8999)
            for part in [start, body] { _ = connection.receive(part.span, in: &context) }
            held = connection.held
            #expect((9000..<40_000).contains(held), "\(head): \(held)")
            var isIdle = connection.isIdle
            #expect(!isIdle)
            let last = octets("a" + (isChunked ? "\r\n0\r\n\r\n" : ""))
            _ = connection.receive(last.span, in: &context)
            held = connection.held
            isIdle = connection.isIdle
            #expect(held == 0 && isIdle)
        }
        let half = octets("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9000\r\n\r\n")
        _ = connection.receive(half.span, in: &context)
        held = connection.held
        #expect(held > 0)
        connection.refuse(RequestError(.overloaded, "x"), in: &context)
        held = connection.held
        #expect(held == 0)
    }

    @Test(
        arguments: [
            "HEAD / HTTP/1.1\r\nHost: h\r\nA\r\n\r\n", "\r\nHEAD / HTTP/1.1\r\n\r\n", "HEAD /\u{FF} HTTP/1.1\r\n\r\n",
            "HEAD / HTTP/1.1\r\nHost: h\r\nContent-Length: 99\r\n\r\n",
            "HEAD / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
            "\r\nHEAD / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
            "HEAD /refused HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n",
        ])
    func `no refusal of a HEAD has a body (RFC 9110 section 9.3.2)`(request: String) {
        let conversation = Conversation(refusing: "because")
        conversation.receive(request)
        #expect(conversation.next == .linger)
        #expect(conversation.text.hasSuffix("\r\n\r\n"))
        #expect(!conversation.text.contains("because") && !conversation.text.contains("Content-Length"))
        let other = Conversation(refusing: "because")
        other.receive(request.replacing("HEAD", with: "POST"))
        #expect(other.text.hasSuffix("because"))
    }

    @Test(arguments: ["HEAD / HT", "HEAD / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\na"])
    func `nor has what a HEAD is told that does not come in time`(request: String) {
        let conversation = Conversation(limits: timed, refusing: "because")
        conversation.receive(request)
        conversation.expire(at: 40)
        #expect(conversation.text.hasPrefix("HTTP/1.1 408 "))
        #expect(conversation.text.hasSuffix("\r\n\r\n"))
    }

    // MARK: Time

    private var timed: Limits {
        var limits = Limits()
        limits.idleTimeout = 60
        limits.headerTimeout = 10
        limits.requestTimeout = 30
        return limits
    }

    @Test func `an idle connection ends without a word`() {
        let conversation = Conversation(limits: timed, at: 1000)
        #expect(conversation.isIdle)
        #expect(conversation.deadline == 1060)
        conversation.receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n", at: 1050)
        #expect(conversation.isIdle)
        #expect(conversation.deadline == 1110)
        let before = conversation.text
        conversation.expire(at: 1110)
        #expect(conversation.text == before)
    }

    @Test(arguments: ["\r", "\r\n"])
    func `an empty line begins no request: the connection is idle as before, and then ends without a word`(line: String)
    {
        let conversation = Conversation(limits: timed, at: 1000)
        conversation.receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n", at: 1010)
        let before = conversation.text
        conversation.receive(line, at: 1020)
        #expect(conversation.isIdle && conversation.deadline == 1070)
        // What may follow it has its time from its first byte.
        let other = Conversation(limits: timed, at: 1000)
        other.receive(line, at: 1020)
        other.receive(line == "\r" ? "\nG" : "G", at: 1030)
        #expect(!other.isIdle && other.deadline == 1040)
        conversation.expire(at: 1070)
        #expect(conversation.text == before && conversation.handler.errors.isEmpty)
    }

    @Test func `only a request that begins or an answer is progress, and bytes that drip in are none`() {
        let conversation = Conversation(limits: Limits(), at: 10)
        #expect(conversation.progress == 10)
        conversation.receive("GET / HTTP/1.1\r\n", at: 20)
        #expect(conversation.progress == 20)
        for time in 30..<40 { conversation.receive("A: b\r\n", at: Int64(time)) }
        #expect(conversation.progress == 20)
        conversation.receive("Host: h\r\n\r\n", at: 50)
        #expect(conversation.progress == 50)
        #expect(conversation.held == 0)
        conversation.receive("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5000\r\n", at: 60)
        for time in 70..<80 { conversation.receive(String(repeating: "a", count: 1000), at: Int64(time)) }
        #expect(conversation.progress == 60)
        #expect(conversation.held >= 10_000)
    }

    @Test func `nothing is kept behind an answer that came later and is the last`() {
        let conversation = Conversation()
        conversation.receive("GET /later HTTP/1.1\r\nHost: h\r\n\r\n")
        conversation.receive(String(repeating: "a", count: 5000))
        #expect(conversation.held >= 5000)
        conversation.isLast = true
        conversation.finish("late")
        #expect(conversation.next == .linger)
        #expect(conversation.held == 0)
    }

    @Test func `a head that drips in ends at its own deadline with 408`() {
        let conversation = Conversation(limits: timed, at: 0)
        for (index, byte) in octets("GET / HTTP/1.1\r\n").enumerated() {
            conversation.receive([byte], at: 40 + Int64(index) / 2)
            #expect(conversation.deadline == 50)
            #expect(!conversation.isIdle)
        }
        conversation.expire(at: 50)
        #expect(conversation.handler.errors == [.timeout])
        #expect(conversation.text.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
        #expect(conversation.text.contains("\r\nConnection: close\r\n"))
    }

    @Test(arguments: ["Content-Length: 100", "Transfer-Encoding: chunked"])
    func `a body that drips in ends at the request's deadline with 408`(framing: String) {
        let conversation = Conversation(limits: timed, at: 0)
        conversation.receive("POST / HTTP/1.1\r\n", at: 5)
        #expect(conversation.deadline == 15)
        conversation.receive("Host: h\r\n\(framing)\r\n\r\n", at: 14)
        #expect(conversation.deadline == 35)
        for moment in 15..<35 {
            conversation.receive(framing.hasPrefix("C") ? "a" : "1\r\na\r\n", at: Int64(moment))
            #expect(conversation.deadline == 35)
        }
        conversation.expire(at: 35)
        #expect(conversation.handler.errors == [.timeout])
        #expect(conversation.handler.requests.isEmpty)
    }

    @Test func `every request of a connection has its own time`() {
        let conversation = Conversation(limits: timed, at: 0)
        conversation.receive("GET / HTTP/1.1\r\nHost: h\r\n\r\nGET", at: 7)
        #expect(conversation.deadline == 17)
        conversation.receive(" / HTTP/1.1\r\nHost: h\r\n\r\n", at: 9)
        #expect(conversation.deadline == 69)
        #expect(conversation.handler.requests.count == 2)
    }

    // MARK: Hostile bytes

    @Test func `a head that drips in beyond one line's limit is still refused in time`() {
        let conversation = Conversation(limits: Limits())
        conversation.receive("GET / HTTP/1.1\r\nHost: h\r\na: ")
        var taken = 0
        while !conversation.isOver, taken < 40_000 {
            conversation.receive("a")
            taken += 1
        }
        #expect(conversation.handler.errors == [.headersTooLarge])
        #expect(taken < 32 * 1024 + 4096)
    }

    @Test func `no mutation of a request stops the server`() {
        var random = SplitMix64(seed: 20_261_120)
        let corpus = RequestCase.all.map(\.raw)
        let bodies = ChunkedCase.all.map {
            octets("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n") + $0.raw
        }
        let seeds = corpus + bodies
        var answered = 0
        for _ in 0..<Rounds.share(of: 50_000) {
            var raw = seeds[Int.random(in: 0..<seeds.count, using: &random)]
            for _ in 0..<Int.random(in: 1...3, using: &random) { mutate(&raw, seeds, &random) }
            let cut = Int.random(in: 0...raw.count, using: &random)
            let conversation = Conversation()
            conversation.receive(raw[..<cut])
            conversation.receive(raw[cut...], at: 1)
            if !conversation.isOver { conversation.expire(at: conversation.deadline) }
            if !conversation.handler.requests.isEmpty { answered += 1 }
            #expect(conversation.handler.errors.count <= 1)
        }
        // The mutations are mild enough to reach beyond the first check.
        #expect(answered > Rounds.share(of: 4_000))
    }

    private func mutate(_ raw: inout [UInt8], _ seeds: [[UInt8]], _ random: inout SplitMix64) {
        let index = Int.random(in: 0...raw.count, using: &random)
        let marks: [UInt8] = [0, 9, 10, 13, 32, 43, 44, 45, 48, 57, 58, 59, 97, 127, 128, 160, 255]
        switch Int.random(in: 0..<7, using: &random) {
        case 0: raw.insert(marks[Int.random(in: 0..<marks.count, using: &random)], at: index)
        case 1 where index < raw.count: raw[index] = marks[Int.random(in: 0..<marks.count, using: &random)]
        case 2 where index < raw.count: raw[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 3 where index < raw.count: raw.remove(at: index)
        case 4: raw.removeLast(raw.count - index)
        case 5: raw.insert(contentsOf: raw[index...].prefix(20), at: index)
        default: raw += seeds[Int.random(in: 0..<seeds.count, using: &random)]
        }
    }

    @Test(arguments: [
        "POST /refused HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n",
        "POST /refused HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n",
        "POST /refused HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST /refused HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf",
    ])
    func `a body that would be refused anyway is not waited for`(request: String) {
        let conversation = Conversation()
        conversation.receive(request)
        #expect(conversation.next == .linger)
        #expect(conversation.text.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
        #expect(conversation.text.contains("\r\nConnection: close\r\n"))
        #expect(!conversation.text.contains("100 Continue"))
    }
}
