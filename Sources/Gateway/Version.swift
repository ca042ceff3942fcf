/// Which version of the service this is.
package enum Version {
    /// As `major.minor.patch`.
    package static let number = "0.1.0"
}
