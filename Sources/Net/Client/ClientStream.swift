/// The bytes of one connection to another server, with TLS or without.
struct ClientStream {
    let descriptor: Int32
    private var session: TLSSession?

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// - Returns: whether TLS could be prepared.
    mutating func secure(_ origin: Origin, _ trust: TLSTrust, resuming resumption: TLSResumption?) -> Bool {
        session = TLSSession(origin, trust, descriptor, resuming: resumption)
        return session != nil
    }

    func handshake() -> Transfer { session?.handshake() ?? .moved(0) }

    func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        session?.write(bytes) ?? ClientSocket.send(descriptor, bytes)
    }

    func read(into room: UnsafeMutableRawBufferPointer) -> Transfer {
        session?.read(into: room) ?? ClientSocket.receive(descriptor, into: room)
    }

    /// Says farewell; the socket is closed by whoever watches it.
    func finish() { session?.finish() }

    func resumption(at now: Int64) -> TLSResumption? { session?.resumption(at: now) }
}
