import CSystem

/// What the process was started with.
package enum ProcessArguments {
    /// The program's own name first.
    // Unsafe: the arguments are the process's own, there as long as it is.
    package static var all: [String] { (0..<cs_argument_count()).map { unsafe String(cString: cs_argument($0)) } }
}
