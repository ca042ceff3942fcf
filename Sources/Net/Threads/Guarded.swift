/// A value that one thread at a time looks at or changes; it is held for moments only.
///
/// Nothing of the value can be used without the lock: `withLock` returns a copy, or a value that is safe with any thread.
// Unsafe: the value is touched under the lock only.
package final class Guarded<Value: Sendable & ~Copyable>: @unchecked Sendable {
    @usableFromInline let lock = Lock()
    @usableFromInline var value: Value

    package init(_ value: consuming Value) { self.value = value }

    @inlinable
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { () throws(Failure) in try body(&value) }
    }
}

extension Guarded: CustomReflectable where Value: ~Copyable {
    /// Empty: a dump is made without the lock.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
