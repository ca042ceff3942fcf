import Foundation
import Testing

@testable import Telemetry

#if canImport(Glibc)
    import Glibc
#endif

@Suite("What writes the log", .timeLimit(.minutes(20)))
struct LogWriterTests {
    /// What is written to, and what a test reads of it when it likes.
    private final class Pipe: Sendable {
        let writing: Int32
        private let reading: Int32
        /// What the system takes by itself, at most.
        static let depth = 131_072

        init(waiting: Bool = true) throws {
            var ends: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
            (reading, writing) = (ends[0], ends[1])
            // The system takes the double, for what it has to keep of its own.
            var size = Int32(Pipe.depth / 2)
            setsockopt(writing, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
            if !waiting { _ = fcntl(writing, F_SETFL, O_NONBLOCK) }
        }

        deinit {
            close(writing)
            close(reading)
        }

        /// All that comes until writing is over.
        func readToEnd() -> String {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(reading, &buffer, buffer.count)
                if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
                bytes += buffer[..<count]
            }
        }

        /// The same, while `body` writes; it is over when the writer has nothing left.
        func readAll(of writer: LogWriter, while body: () -> Void) -> String {
            let done = DispatchSemaphore(value: 0)
            let kept = Kept()
            // A thread of its own: it waits in the system.
            Thread.detachNewThread {
                kept.text = self.readToEnd()
                done.signal()
            }
            body()
            writer.flush(within: 60_000)
            shutdown(writing, Int32(SHUT_WR))
            done.wait()
            return kept.text
        }

        private final class Kept: @unchecked Sendable { var text = "" }
    }

    /// A line that tells whose it is, its number, and how long it has to be.
    private static func line(_ thread: Int, _ number: Int) -> [UInt8] {
        let length = (thread * 31 + number * 17) % 300
        return Array("\(thread) \(number) \(String(repeating: "x", count: length)).\n".utf8)
    }

    /// The numbers of each thread's lines in the order that they came in; every line must be whole.
    private func numbers(in text: String, threads: Int) throws -> [[Int]] {
        var numbers = [[Int]](repeating: [], count: threads)
        #expect(text.isEmpty || text.hasSuffix("\n"))
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            let (thread, number) = (try #require(Int(words[0])), try #require(Int(words[1])))
            try #require(Array((line + "\n").utf8) == LogWriterTests.line(thread, number), "\(line)")
            numbers[thread].append(number)
        }
        return numbers
    }

    @Test(arguments: [true, false])
    func `lines of many threads come whole, all of them, each thread's in its order`(isWaiting: Bool) throws {
        let pipe = try Pipe(waiting: isWaiting)
        let writer = LogWriter(pipe.writing, limit: .max)
        let text = pipe.readAll(of: writer) {
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for number in 0..<2_000 { writer.write(LogWriterTests.line(thread, number), lines: 1) }
            }
        }
        #expect(try numbers(in: text, threads: 4) == .init(repeating: Array(0..<2_000), count: 4))
        #expect(writer.lostLines == 0)
    }

    @Test func `nobody waits for a reader who does not read; what is lost is counted, the rest is in order`() throws {
        let pipe = try Pipe()
        let writer = LogWriter(pipe.writing, limit: 10_000)
        let count = 20_000
        let lines = (0..<count).map { LogWriterTests.line(0, $0) }
        let begin = ContinuousClock.now
        for line in lines { writer.write(line, lines: 1) }
        // The system and the buffer hold far less, and nobody has read.
        #expect(begin.duration(to: .now) < .seconds(120))
        #expect(writer.lostLines > UInt64(count / 2))
        let text = pipe.readAll(of: writer) {}
        let kept = try numbers(in: text, threads: 1)[0]
        #expect(kept == kept.sorted() && kept.first == 0)
        #expect(kept.count + Int(writer.lostLines) == count)
        #expect(text.utf8.count <= 10_000 + Pipe.depth + 400)
    }

    @Test func `a batch that does not fit is lost as a whole, and counts its lines; a smaller one still fits`() throws {
        let pipe = try Pipe()
        let writer = LogWriter(pipe.writing, limit: 100)
        let text = pipe.readAll(of: writer) {
            writer.write([UInt8](repeating: 97, count: 101), lines: 3)
            writer.write(Array("one\ntwo\n".utf8), lines: 2)
            writer.flush(within: 60_000)
            writer.hold(atMost: 200)
            writer.write([UInt8](repeating: 98, count: 150) + [10], lines: 1)
        }
        #expect(text == "one\ntwo\n" + String(repeating: "b", count: 150) + "\n")
        #expect(writer.lostLines == 3)
    }

    @Test func `what is not taken at all is counted, and nobody hears of it otherwise`() throws {
        // There is no such descriptor.
        let writer = LogWriter(-1, limit: 1_000_000)
        for number in 0..<100 { writer.write(LogWriterTests.line(0, number), lines: 2) }
        writer.flush(within: 60_000)
        #expect(writer.lostLines == 200)
    }

    @Test func `a descriptor of its own is closed when the last line is written, and not before`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        let lines = (0..<5_000).map { LogWriterTests.line(0, $0) }
        do {
            let writer = LogWriter(ends[1], limit: .max, isOwner: true)
            for line in lines { writer.write(line, lines: 1) }
        }
        // Ends when nobody has the other end.
        let text = try FileHandle(fileDescriptor: ends[0], closeOnDealloc: true).readToEnd()
        #expect(text.map(Array.init) == Array(lines.joined()))
    }

    @Test func `flushing waits for what was taken, but no longer than it is told to`() throws {
        let pipe = try Pipe()
        let writer = LogWriter(pipe.writing, limit: 1_000_000)
        writer.write([UInt8](repeating: 97, count: 200_000), lines: 1)
        let begin = ContinuousClock.now
        writer.flush(within: 100)
        let waited = begin.duration(to: .now)
        #expect(waited >= .milliseconds(100) && waited < .seconds(30))
        #expect(pipe.readAll(of: writer) {}.utf8.count == 200_000)
        #expect(writer.lostLines == 0)
    }
}
