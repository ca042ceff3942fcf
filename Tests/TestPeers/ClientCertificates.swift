import Foundation
import Glibc

/// Certificates made by the `openssl` command, once for the process, into a folder that goes with it.
package struct ClientCertificates: Sendable {
    /// What a server shows: a chain and its key.
    package struct Pair: Sendable {
        package let chain: String
        package let key: String
    }

    private let folder: String

    /// The authority that signed `good` and most others.
    package var authority: String { folder + "/ca.pem" }
    package var strangeAuthority: String { folder + "/strange.pem" }
    /// An authority under `authority`, which is no root.
    package var middleAuthority: String { folder + "/middle.pem" }

    /// For localhost, sts.test, *.wild.test, 127.0.0.1 and ::1.
    package var good: Pair { pair("good") }
    /// For other.test; its subject says localhost.
    package var other: Pair { pair("other") }
    package var expired: Pair { pair("expired") }
    package var future: Pair { pair("future") }
    /// As `good`, signed by `strangeAuthority`.
    package var stranger: Pair { pair("stranger") }
    package var selfSigned: Pair { pair("self") }
    /// As `good`, good for clients only.
    package var clientOnly: Pair { pair("client") }
    /// As `good`, signed by `middleAuthority`, with its certificate and without.
    package var deep: Pair { Pair(chain: folder + "/deep.chain", key: folder + "/deep.key") }
    package var incomplete: Pair { pair("deep") }
    /// For rsa.test, with a key of RSA.
    package var rsa: Pair { pair("rsa") }
    /// As `good`, with RSA of 1024 bits, or signed by way of SHA-1.
    package var weak: Pair { pair("weak") }
    package var oldDigest: Pair { pair("sha1") }
    /// As `good`, with a key that wants a password.
    package var encrypted: Pair { Pair(chain: folder + "/good.pem", key: folder + "/encrypted.key") }
    /// As `deep`, in the wrong order.
    package var disordered: Pair { Pair(chain: folder + "/disordered.chain", key: folder + "/deep.key") }

    // What clients show: backend.example.com, spiffe://example.com/backend and ops@example.com, for clients.
    package var caller: Pair { pair("caller") }
    /// For unknown.example.com, for denied.example.com, and for backend.example.com and denied.example.com.
    package var unknownCaller: Pair { pair("unknowncaller") }
    package var deniedCaller: Pair { pair("deniedcaller") }
    package var doubleCaller: Pair { pair("doublecaller") }
    package var strangeCaller: Pair { pair("strangecaller") }
    package var endedCaller: Pair { pair("endedcaller") }
    package var revokedCaller: Pair { pair("revoked") }
    /// Does not say what it is for.
    package var vagueCaller: Pair { pair("vague") }
    /// Says that it is for servers.
    package var servingCaller: Pair { pair("serving") }
    /// What `authority` has revoked, as of today and as of long ago.
    package var revocations: String { folder + "/ca.crl" }
    package var oldRevocations: String { folder + "/old.crl" }
    /// Before it had revoked any.
    package var emptyRevocations: String { folder + "/empty.crl" }

    package static let shared = Result { try ClientCertificates() }

    /// A file that exists for as long as the process does.
    package func file(_ name: String, _ content: String) throws -> String {
        let path = folder + "/" + name
        try content.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    package func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    /// An authority, `ca`, `middle` or `strange`, with its key.
    package func root(_ name: String) -> Pair { pair(name) }

    private func pair(_ name: String) -> Pair { Pair(chain: "\(folder)/\(name).pem", key: "\(folder)/\(name).key") }

    private init() throws {
        folder = NSTemporaryDirectory() + "countersign-tls-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        atexit {
            guard case .success(let made) = ClientCertificates.shared else { return }
            try? FileManager.default.removeItem(atPath: made.folder)
        }
        let path = try file("make", ClientCertificates.script)
        _ = try Shell.run("cd '\(folder)' && sh \(path) 2>&1")
    }

    private static let script = """
        set -e
        printf '%s\\n' '[ca]' 'default_md=sha256' 'database=index' 'new_certs_dir=.' 'policy=any' 'unique_subject=no' \
            'rand_serial=yes' '[any]' 'commonName=supplied' > ca.cnf
        : > index
        key() { openssl ecparam -name prime256v1 -genkey -noout -out $1.key; }
        root() {
            key $1
            openssl req -x509 -new -key $1.key -subj /CN=$2 -days 2 -out $1.pem \
                -addext basicConstraints=critical,CA:TRUE
        }
        rsa() { openssl genrsa -out $1.key ${2:-2048}; }
        # leaf name common-name authority extensions [start end [option ...]]
        leaf() {
            [ -e $1.key ] || key $1
            openssl req -new -key $1.key -subj /CN=$2 -out $1.csr
            printf "$4\\n" > $1.ext
            openssl ca -batch -config ca.cnf -name ca -cert $3.pem -keyfile $3.key -extfile $1.ext -notext \
                -startdate ${5:-20250101000000Z} -enddate ${6:-20490101000000Z} -in $1.csr -out $1.pem $7 $8
        }
        names='subjectAltName=DNS:localhost,DNS:sts.test,DNS:*.wild.test,IP:127.0.0.1,IP:::1'
        root ca authority
        root strange stranger
        leaf middle middle ca 'basicConstraints=critical,CA:TRUE'
        leaf good good ca "$names"
        leaf other localhost ca 'subjectAltName=DNS:other.test'
        leaf expired expired ca "$names" 20200101000000Z 20200102000000Z
        leaf future future ca "$names" 20480101000000Z 20490101000000Z
        leaf stranger stranger strange "$names"
        leaf client client ca "$names\\nextendedKeyUsage=clientAuth"
        leaf deep deep middle "$names"
        cat deep.pem middle.pem > deep.chain
        cat middle.pem deep.pem > disordered.chain
        openssl ec -in good.key -aes128 -passout pass:x -out encrypted.key
        rsa weak 1024
        leaf weak weak ca "$names"
        leaf sha1 sha1 ca "$names" '' '' -md sha1
        rsa rsa
        leaf rsa rsa ca 'subjectAltName=DNS:rsa.test'
        backend='subjectAltName=DNS:backend.example.com,URI:spiffe://example.com/backend,email:ops@example.com,IP:192.0.2.1'
        leaf caller backend ca "$backend\\nextendedKeyUsage=clientAuth"
        leaf revoked backend ca "$backend\\nextendedKeyUsage=clientAuth"
        leaf strangecaller backend strange "$backend\\nextendedKeyUsage=clientAuth"
        leaf endedcaller backend ca "$backend\\nextendedKeyUsage=clientAuth" 20200101000000Z 20200102000000Z
        for name in unknown denied; do
            leaf ${name}caller $name ca "subjectAltName=DNS:$name.example.com\\nextendedKeyUsage=clientAuth"
        done
        both='subjectAltName=DNS:backend.example.com,DNS:denied.example.com'
        leaf doublecaller both ca "$both\\nextendedKeyUsage=clientAuth"
        leaf vague backend ca "$backend"
        leaf serving backend ca "$backend\\nextendedKeyUsage=serverAuth"
        ca() { openssl ca -config ca.cnf -name ca -cert ca.pem -keyfile ca.key "$@"; }
        ca -gencrl -crldays 30 -out empty.crl
        ca -revoke revoked.pem
        ca -gencrl -crldays 30 -out ca.crl
        ca -gencrl -crl_lastupdate 20200101000000Z -crl_nextupdate 20200201000000Z -out old.crl
        key self
        openssl req -x509 -new -key self.key -subj /CN=self -days 2 -out self.pem -addext "$names"
        """
}
