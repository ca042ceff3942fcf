import Bytes
import HTTP
import TestPeers
import TestTraits
import Testing

@testable import Net

/// Exchanges without TLS: what an answer is, and which connections are used for it.
@Suite(.timed, .timeLimit(.minutes(20))) struct ClientExchangeTests {
    @Test(arguments: TransportKind.allCases)
    func `an exchange with a server of our own brings its answer`(kind: TransportKind) throws {
        try withClient(kind) { (client) throws in
            for host in ["127.0.0.1", "localhost", "LOCALHOST.", "media.nos.localhost"] {
                let request = "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"
                let answer = try client.answer(exchange(.http, host, client.port, request))
                #expect(answer.status == 200)
                #expect(answer.body.text == "hello")
                #expect(answer.field("content-type")?.text == "text/plain; charset=utf-8")
                #expect(answer.field("x-none") == nil)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `answers are read in all framings, interim ones skipped`(kind: TransportKind) throws {
        let script: ClientPeer.Script = { peer, _ in
            while true {
                let request = try peer.request()
                if request.contains("/chunked") {
                    try peer.write(
                        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n")
                    try peer.write("3;x\r\ncde\r\n0\r\n\r\n")
                } else if request.contains("/close") {
                    try peer.write("HTTP/1.1 200 OK\r\n\r\nabc")
                    try peer.write("de")
                    return peer.close()
                } else {
                    try peer.answer("abcde")
                }
            }
        }
        try withPeer(script) { (peer) throws in
            try withClient(kind) { (client) throws in
                for target in ["/length", "/chunked", "/close"] {
                    let request = "GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n"
                    #expect(try client.answer(exchange(peer.port, request)).body.text == "abcde")
                }
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `an exchange that is cancelled ends at once, its connection too, and tells nobody`(kind: TransportKind) throws
    {
        let hung = DispatchedGate()
        let script: ClientPeer.Script = { peer, _ in
            guard try peer.request().contains("/hang") else { return try peer.answer("here") }
            peer.hang()
            hung.open()
        }
        try withPeer(script) { (peer) throws in
            try withClient(kind) { (client) throws in
                let hanging = exchange(peer.port, "GET /hang HTTP/1.1\r\nHost: h\r\n\r\n")
                let promise = ClientLoop.Promise()
                let number = try client.onLoop { loop in loop.clients.start(hanging) { promise.keep($0) } }
                #expect(soon { peer.connections == 1 })
                // Before it is begun, and when it is long over, too.
                try client.onLoop { loop in
                    loop.clients.cancel(loop.clients.start(hanging) { promise.keep($0) })
                    loop.clients.cancel(number)
                    loop.clients.cancel(number)
                }
                hung.wait()
                #expect(try client.onLoop { $0.clients.connectionCount } == 0)
                #expect(try client.answer(exchange(peer.port)).body.text == "here")
                #expect(promise.count == 0 && peer.connections == 2)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `redirects, errors and pages are answers, and nobody follows them`(kind: TransportKind) throws {
        let script: ClientPeer.Script = { peer, _ in
            try peer.request()
            try peer.answer("", status: "302 Found", fields: "Location: http://127.0.0.1:1/\r\n")
            try peer.request()
            try peer.answer("<html>", status: "200 OK", fields: "Content-Type: text/html\r\n")
            try peer.request()
            try peer.answer("no", status: "503 X")
            peer.hang()
        }
        try withPeer(script) { (peer) throws in
            try withClient(kind) { (client) throws in
                let redirect = try client.answer(exchange(peer.port))
                #expect(redirect.status == 302)
                #expect(redirect.field("location")?.text == "http://127.0.0.1:1/")
                #expect(try client.answer(exchange(peer.port)).body.text == "<html>")
                #expect(try client.answer(exchange(peer.port)).status == 503)
                #expect(peer.connections == 1)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `the answer to HEAD ends with its head`(kind: TransportKind) throws {
        let script: ClientPeer.Script = { peer, _ in
            while true {
                try peer.request()
                try peer.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            }
        }
        try withPeer(script) { (peer) throws in
            try withClient(kind) { (client) throws in
                var head = exchange(peer.port, "HEAD / HTTP/1.1\r\nHost: h\r\n\r\n")
                head.isHead = true
                for _ in 0..<3 { #expect(try client.answer(head).body.isEmpty) }
                #expect(peer.connections == 1)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `large requests and answers come through as they were`(kind: TransportKind) throws {
        let count = 3_000_000
        let body = Pattern.bytes(count)
        let script: ClientPeer.Script = { peer, _ in
            let request = try peer.request()
            let isSame = request.utf8.count > count && request.hasSuffix(String(repeating: "z", count: 100))
            // It reads slowly, then sends a lot.
            try peer.write("HTTP/1.1 200 \(isSame)\r\nContent-Length: \(count)\r\n\r\n")
            try peer.write(body)
            peer.hang()
        }
        try withPeer(script) { (peer) throws in
            try withClient(kind) { (client) throws in
                let request =
                    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \(count)\r\n\r\n"
                    + String(repeating: "z", count: count)
                let large = exchange(peer.port, request, limit: count)
                let answer = try client.answer(large)
                #expect(Pattern.matches(answer.body, count: count))
            }
        }
    }

    // MARK: Connections that are kept

    @Test(arguments: TransportKind.allCases)
    func `a connection is used again, unless either side ends it`(kind: TransportKind) throws {
        let script: ClientPeer.Script = { peer, number in
            while true {
                let isLast = try peer.request().contains("/last")
                try peer.answer("\(number)", fields: isLast ? "Connection: close\r\n" : "")
                if isLast { return }
            }
        }
        try withPeer(script) { (peer) throws in
            try withClient(kind) { (client) throws in
                for _ in 0..<5 { #expect(try client.answer(exchange(peer.port)).body.text == "1") }
                let last = exchange(peer.port, "GET /last HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try client.answer(last).body.text == "1")
                #expect(try client.answer(exchange(peer.port)).body.text == "2")
                // Another name is another origin, wherever it leads.
                #expect(try client.answer(exchange(.http, "localhost", peer.port)).body.text == "3")
                #expect(try client.answer(exchange(peer.port)).body.text == "2")
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `bytes that nobody asked for end a connection`(kind: TransportKind) throws {
        let script: ClientPeer.Script = { peer, number in
            try peer.request()
            try peer.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(number)HTTP/1.1 200 OK\r\n")
            peer.hang()
        }
        try withPeer(script) { (peer) throws in
            try withClient(kind) { (client) throws in
                for number in 1...3 { #expect(try client.answer(exchange(peer.port)).body.text == "\(number)") }
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `idle connections have a number and a time`(kind: TransportKind) throws {
        let script: ClientPeer.Script = { peer, _ in
            while true {
                try peer.request()
                try peer.answer("a")
            }
        }
        try withPeer(script) { (peer) throws in
            try withClient(kind, { ($0.idlePerOrigin, $0.idleTime) = (3, 300) }) { (client) throws in
                let promises = (0..<10).map { _ in client.start(exchange(peer.port)) }
                for promise in promises { #expect(try promise.answer().status == 200) }
                #expect(try client.onLoop { $0.clients.connectionCount } <= 3)
                #expect(try soon { try client.onLoop { $0.clients.isEmpty } })
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a kept connection that is dead is replaced once, when nothing of an answer came`(kind: TransportKind) throws {
        let script: ClientPeer.Script = { peer, number in
            try peer.request()
            guard number <= 4 else { return }
            try peer.answer("\(number)")
            let second = try peer.request()
            if second.contains("/half") { try peer.write("HTTP/1.1 200 OK\r\n") }
            if second.contains("/reset") { peer.reset() }
        }
        func get(_ target: String, _ peer: ClientPeer) -> Exchange {
            exchange(peer.port, "GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n")
        }
        try withPeer(script) { (peer) throws in
            try withClient(kind) { (client) throws in
                #expect(try client.answer(get("/", peer)).body.text == "1")
                #expect(try client.answer(get("/", peer)).body.text == "2")
                #expect(try client.answer(get("/reset", peer)).body.text == "3")
                #expect(try client.error(get("/half", peer)) == .closed(.receiving))
                #expect(peer.connections == 3)
                #expect(try client.answer(get("/", peer)).body.text == "4")
                // The fresh one is not replaced in its turn.
                #expect(try client.error(get("/", peer)) == .closed(.waiting))
                #expect(peer.connections == 5)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a kept connection that the peer closes is forgotten`(kind: TransportKind) throws {
        let script: ClientPeer.Script = { peer, _ in
            try peer.request()
            try peer.answer("a")
        }
        try withPeer(script) { (peer) throws in
            try withClient(kind) { (client) throws in
                for _ in 0..<3 {
                    #expect(try client.answer(exchange(peer.port)).status == 200)
                    #expect(try soon { try client.onLoop { $0.clients.isEmpty } })
                }
                #expect(peer.connections == 3)
            }
        }
    }

    // MARK: Bounds

    @Test(arguments: TransportKind.allCases)
    func `exchanges have a number`(kind: TransportKind) throws {
        try withPeer({ peer, _ in
            try peer.request()
            try peer.answer("a")
        }) { (peer) throws in
            try withClient(kind, { $0.exchanges = 5 }) { (client) throws in
                let silent = try ClientPeer({ peer, _ in peer.hang() })
                defer { #expect(silent.stop()) }
                // At one go, so that none of them is over before the last one is asked for.
                let promises = try client.onLoop { loop in
                    (0...5).map { number in
                        let promise = ClientLoop.Promise()
                        loop.clients.start(exchange(silent.port, within: 2000)) { promise.keep($0) }
                        return promise
                    }
                }
                #expect(try promises[5].error() == .busy)
                for promise in promises.dropLast() {
                    // How far they come in their time is for others to say.
                    guard case .timeout = try promise.error() else {
                        Issue.record("it did not end in its time")
                        continue
                    }
                }
                #expect(try client.answer(exchange(peer.port)).status == 200)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `the loop ends with exchanges under way, and tells them so`(kind: TransportKind) throws {
        try withPeer({ peer, _ in peer.hang() }) { (peer) throws in
            let client = try ClientLoop(kind)
            let hanging = (0..<5).map { _ in client.start(exchange(peer.port)) }
            #expect(soon { peer.connections == 5 })
            #expect(client.stop())
            for promise in hanging {
                #expect(try promise.error() == .cancelled)
                #expect(promise.count == 1)
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `requests under way keep the exchanges going when the server stops`(kind: TransportKind) throws {
        let release = DispatchedGate()
        let script: ClientPeer.Script = { peer, _ in
            try peer.request()
            release.wait()
            try peer.answer("late")
        }
        try withPeer(script) { (peer) throws in
            let client = try ClientLoop(kind)
            let browser = try Client(client.port)
            try browser.write("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\na")
            let pending = client.start(exchange(peer.port))
            #expect(soon { peer.connections == 1 })
            client.beginStop()
            #expect(soon { (try? Client(client.port)) == nil })
            release.open()
            #expect(try pending.answer().body.text == "late")
            try browser.write("b")
            #expect(try browser.answer().text == "ab")
            #expect(client.stop())
        }
    }
}
