import Access
import Bytes
import Configuration
import HTTP
import Net
import Providers
import Telemetry
import Upstream

/// Everything that is made of one configuration and shared by all loops. It is never another's: a reload makes the next
/// snapshot, and lets go of this one when nobody is answered by it any more (R19).
package final class Snapshot: Sendable {
    package let configuration: Configuration
    /// What the configuration was made of.
    package let files: WatchedFiles
    /// When this configuration and others began to serve, and which were refused.
    package let record: ReloadRecord
    package let log: Log
    /// What the operator has stopped, also by other configurations; nil where nothing can be.
    package let brakes: BrakeKeeper?
    /// What everything that is made of it is timed by.
    let clock: Clock
    /// The certificate that clients are shown; nil without TLS.
    package let identity: TLSIdentity?
    package let accounts: SessionAccounts
    let links: FetchLinks
    package let callbackKeys: CallbackKeys
    let issuerKeys: JWKSSources

    /// Why there is none.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// How a snapshot is made.
    package struct Settings {
        /// What the configuration was made of.
        package var files = WatchedFiles()
        /// Whether tokens are to be believed, for which the keys of their issuers are fetched.
        package var areBelieved = true
        /// What everything that is made of it is timed by.
        package var clock: Clock = SystemClock.now
        /// How its log is written; nil for as the configuration says.
        package var log: Log.Settings?
        /// Writes its log.
        package var writer = LogWriter.standardError

        package init() {}
    }

    /// - Parameter earlier: the one before; what it knows of vendors, and holds of theirs, stays where it is good for this one, too.
    package init(
        _ configuration: Configuration, _ settings: Settings = Settings(), after earlier: Snapshot? = nil
    ) throws {
        self.configuration = configuration
        clock = settings.clock
        let now = clock()
        files = settings.files
        record = earlier?.record ?? ReloadRecord(at: now.unixSeconds)
        log = Log(settings.log ?? configuration.log, to: settings.writer)
        do throws(BrakeFault) {
            if let earlier {
                brakes = earlier.brakes
            } else {
                brakes = try configuration.brake.map { [clock, log] settings throws(BrakeFault) in
                    try BrakeKeeper(settings, at: clock, log)
                }
            }
        } catch {
            throw Failure(description: "brake.file: \(error)")
        }
        do throws(TLSIdentity.Failure) { identity = try configuration.server.tls.map(TLSIdentity.init) } catch {
            throw Failure(description: "server.tls: \(error)")
        }
        let trusts = TLSTrusts()
        do throws(TLSTrust.Failure) {
            links = try FetchLinks(configuration, trusting: trusts, after: earlier?.links, from: now)
            callbackKeys = try CallbackKeys.make(
                for: configuration, trusting: trusts, after: earlier?.callbackKeys, from: now)
            issuerKeys =
                settings.areBelieved
                ? try JWKSSources(configuration, trusting: trusts, after: earlier?.issuerKeys, from: now) : .none
        } catch {
            throw Failure(description: error.description)
        }
        do throws(SessionAccounts.Failure) {
            accounts = try SessionAccounts(
                configuration, of: settings.files, trusting: trusts, after: earlier?.accounts, from: now)
        } catch {
            throw Failure(description: error.description)
        }
    }
}

extension TLSIdentity {
    fileprivate convenience init(_ tls: Configuration.TLS) throws(Failure) {
        try self.init(
            tls.certificates.map { Entry(names: $0.names, certificate: $0.certificate) },
            acceptingFrom: tls.clientAuthorities)
    }
}
