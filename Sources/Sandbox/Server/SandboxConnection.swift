import Bytes
import HTTP
import Net

/// One client's connection: requests are read and answered one after the other, each whole before the next (RFC 9112).
struct SandboxConnection: ~Copyable {
    /// Whatever a vendor documents as allowed fits: STS's longest policy percent-encoded in the query, OSS's longest key, 5 GiB.
    static let limits: Limits = {
        var limits = Limits()
        limits.requestLine = 32 * 1024
        limits.body = 5 << 30
        return limits
    }()

    /// Bytes that are read at a time.
    private static let pieceLength = 64 * 1024
    /// What is read of a content that nobody wanted, so that the connection can be used again.
    private static let mostDiscarded = 1 << 20

    private let stream: SocketBytes
    private let parser = RequestParser(limits: limits)

    init(_ descriptor: Int32) { stream = SocketBytes(descriptor) }

    /// Answers until the client or an error ends the connection.
    mutating func serve(_ sandbox: Sandbox, by now: Clock) {
        while answerNext(sandbox, by: now) {}
    }

    /// - Returns: whether the connection goes on.
    private mutating func answerNext(_ sandbox: Sandbox, by now: Clock) -> Bool {
        let head: RequestHead
        do throws(RequestError) {
            guard let next = try readHead() else { return false }
            head = next
        } catch {
            var refusal = SandboxResponse(
                error.kind == .uriTooLong ? 414 : error.kind == .headersTooLarge ? 431 : 400,
                "text/plain; charset=utf-8", Array("\(error.reason)\n".utf8))
            if error.kind == .bodyTooLarge { refusal.status = 413 }
            _ = send(refusal, isHead: false, at: now().unixSeconds, keepsAlive: false)
            return false
        }
        let bytes = stream.bytes
        let request = SandboxRequest(head, in: bytes.span)
        stream.discard(head.length)
        let body = reader(of: head)
        do throws(BodyReader.Fault) {
            let response = try sandbox.answer(request, body, at: now().unixSeconds)
            let keepsAlive = head.keepsAlive && isEnded(body, head)
            guard send(response, isHead: head.method == .head, at: now().unixSeconds, keepsAlive: keepsAlive) else {
                return false
            }
            if !keepsAlive { stream.linger(seconds: 2) }
            return keepsAlive
        } catch {
            // Nobody is there to be told of an interruption.
            if error != .interrupted {
                let refusal = SandboxResponse(error == .tooLarge ? 413 : 400)
                _ = send(refusal, isHead: head.method == .head, at: now().unixSeconds, keepsAlive: false)
            }
            return false
        }
    }

    /// - Returns: nil when the client has ended the connection.
    private func readHead() throws(RequestError) -> RequestHead? {
        while true {
            let bytes = stream.bytes
            if !bytes.isEmpty, let head = try parser.parse(bytes.span) { return head }
            guard stream.read(SandboxConnection.pieceLength) else { return nil }
        }
    }

    private func reader(of head: RequestHead) -> BodyReader {
        let stream = stream
        var mustContinue = head.expectsContinue
        /// More bytes from the client, which is told first that they are wanted.
        func fill() throws(BodyReader.Fault) {
            if mustContinue {
                mustContinue = false
                guard stream.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) else { throw .interrupted }
            }
            guard stream.read(SandboxConnection.pieceLength) else { throw .interrupted }
        }
        guard head.isChunked else {
            var rest = head.contentLength ?? 0
            return BodyReader(length: rest) { () throws(BodyReader.Fault) in
                guard rest > 0 else { return nil }
                if stream.bytes.isEmpty { try fill() }
                let piece = stream.take(atMost: rest)
                rest -= piece.count
                return piece
            }
        }
        var decoder = ChunkDecoder()
        return BodyReader(length: nil) { () throws(BodyReader.Fault) in
            while !decoder.isDone {
                let used: Int
                do throws(RequestError) {
                    let bytes = stream.bytes
                    used = try decoder.advance(over: bytes.span, limits: SandboxConnection.limits)
                } catch { throw error.kind == .bodyTooLarge ? .tooLarge : .malformed(error.reason.description) }
                stream.discard(used)
                let content = decoder.takeContent()
                if !content.isEmpty { return content }
                if !decoder.isDone { try fill() }
            }
            return nil
        }
    }

    /// Reads what is left of a content, as far as that is worth it.
    /// - Returns: whether the next request begins here.
    private func isEnded(_ body: BodyReader, _ head: RequestHead) -> Bool {
        // A client that waits for leave to send sends nothing after a refusal.
        if head.expectsContinue, body.count == 0 { return false }
        let start = body.count
        while (body.length ?? body.count) - start <= SandboxConnection.mostDiscarded {
            guard (try? body.read()) != nil else { return body.isAtEnd }
        }
        return false
    }

    private func send(_ response: SandboxResponse, isHead: Bool, at time: Int64, keepsAlive: Bool) -> Bool {
        var head = response.head(date: time, keepsAlive: keepsAlive)
        guard !isHead else { return stream.write(head) }
        switch response.content {
        case .bytes(let bytes):
            head += bytes
            return stream.write(head)
        case .file(let file, let range):
            guard stream.write(head) else { return false }
            var index = range.lowerBound
            while index < range.upperBound {
                let piece = file.read(min(SandboxConnection.pieceLength, range.upperBound - index), at: index)
                guard !piece.isEmpty, stream.write(piece) else { return false }
                index += piece.count
            }
            return true
        }
    }
}
