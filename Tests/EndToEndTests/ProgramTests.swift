import Foundation
import TestTraits
import Testing

@testable import TestService

/// What these tests start processes with.
@Suite(.waiting, .timeLimit(.minutes(20))) struct ProgramTests {
    /// Swift Testing's exit tests, in the same process, never end while it has a child that is dead and not waited for.
    @Test func `a process that has ended is waited for, though nobody asks`() throws {
        let program = try Program("/bin/sh", ["-c", "exit 3"])
        let deadline = Date.now.addingTimeInterval(60)
        while kill(program.identifier, 0) == 0, deadline > .now { usleep(5_000) }
        #expect(kill(program.identifier, 0) != 0 && errno == ESRCH)
        program.signal(SIGKILL)
        #expect(try program.wait().code == 3)
    }

    @Test func `a process that a signal ended is told apart`() throws {
        let program = try Program("/bin/sh", ["-c", "echo said; kill -KILL $$"])
        let outcome = try program.wait()
        #expect(outcome.code == 128 + SIGKILL && outcome.out == "said\n")
        #expect(program.stop(within: 1).code == outcome.code)
    }
}
