import Access
import Bytes
import Crypto
import HTTP

/// What operations work with: the room that an event loop keeps for its requests.
final class Workbench {
    var out = ByteWriter(capacity: 16 * 1024)
    var scratch = ByteWriter(capacity: 4096)
    var response = Response()
    var parameters = Parameters()
    var policy = PolicyWorkspace()
    /// What would be optimised away if nobody took it.
    var object: AnyObject?
    private var number = 0

    private var made: Fixture?

    /// The service, made when it is first asked for.
    func fixture() throws -> Fixture {
        if let made { return made }
        let fixture = try Fixture()
        made = fixture
        return fixture
    }

    func take(_ value: Int) { number &+= value }
}
