import Access
import Bytes
import Configuration
import Crypto

/// Tokens, signed once by PyJWT for the benchmark's moment.
extension Chapter {
    static let tokens = Chapter(
        grants: """
            "tokens": { route: "qiniu.uptoken", credential: "qiniu", callers: ["jwt:login"],
              bucket: "test-bucket", keyPrefix: "tokens/${caller.id}/", lifetime: "1h" },

            """,
        rows: [
            checking(.hs256), checking(.rs256), checking(.ps256), checking(.es256), checking(.eddsa),
            Row("remembered token found") { bench in
                let fixture = try bench.fixture()
                let memory = Memory(fixture.configuration.authenticator.makeMemory())
                let field = try bearer(.rs256)
                return { bench.object = try fixture.caller(field, &memory.tokens) }
            },
            .answering(
                "Qiniu upload token, GET with a remembered token answered",
                Sample.get("/qiniu/uptoken?key=tokens%2F42%2F1.jpg", "Authorization: Bearer \(signed[.rs256] ?? "")")),
        ])

    private static func checking(_ algorithm: SignatureAlgorithm) -> Row {
        Row("token of \(algorithm.rawValue) checked") { bench in
            let fixture = try bench.fixture()
            let memory = Memory(CredentialCache(capacity: 0))
            let field = try bearer(algorithm)
            return { bench.object = try fixture.caller(field, &memory.tokens) }
        }
    }

    private final class Memory {
        var tokens: CredentialCache
        init(_ tokens: consuming CredentialCache) { self.tokens = tokens }
    }

    private static func bearer(_ algorithm: SignatureAlgorithm) throws -> [UInt8] {
        guard let token = signed[algorithm] else { throw RowError("there is no token") }
        return Array(text: "Bearer " + token)
    }

    /// What the service's configuration must hold for them.
    static let issuers = """
        { id: "login", issuer: "https://id.example.com", audience: "uploads",
          algorithms: ["RS256", "PS256", "ES256", "EdDSA"], jwksFile: "/benchmark.jwks" },
        { id: "intern", issuer: "intern", audience: "uploads", algorithms: ["HS256"], secret: { env: "S" } },
        """

    static let keys =
        """
        {"keys":[{"e":"AQAB","kid":"RS256","kty":"RSA","n":"oCWB6P8hFXka2pSKSYdcGl6r-pKS-FOJLDYcmExmUVQLoALJUFWKhlqh\
        404ohfEVLpWvKJfDHmxtywfrR9mbOREoNq9iLLhyIb3AsvWVnzJ9EzMvSa6ZmTqfhg5hzovJ21jeqcrHwpRAXQ3ISt_zymjV-KFxuA7oOfeI\
        GZho0gOSI6_fnFc4O51nPx-RmSWzJut1l6ui2FdozkK2EyHWyJwbaLVgKg5bLGzIsOm2C3l72QCgzZbT_ikV6W19Y2ZPn5y08cXWu_uIy2l8\
        oEEx3hHd-syI0xktcMTGn7zn1yNblxuJqJfyyF24i3JVsHH7Fdn6Yrmw1r3BkUbEce8Pyw"},{"crv":"P-256","kid":"ES256","kty":\
        "EC","x":"dDHoYeVe_XN4Oz6SWzG8RSthQVHxEJ8_4sW2mDaoIWE","y":"CKRKElBbPJ8EqQQng5wgnVQceW-DXfx9pZidyAxLe84"},{"\
        crv":"Ed25519","kid":"EdDSA","kty":"OKP","x":"noMyqJvrk2eBA8qzi2kWWGu-YfkQDzTafdZvFTYVFHk"}]}
        """

    private static let signed: [SignatureAlgorithm: String] = [
        .hs256:
            """
        eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJpbnRlcm4iLCJhdWQiOiJ1cGxvYWRzIiwic3ViIjoiNDIiLCJpYXQiOjE3OTk\
        5OTkwMDAsImV4cCI6MTgwMDAwMzYwMCwic2NvcGUiOiJvcGVuaWQgcHJvZmlsZSB1cGxvYWQiLCJlbWFpbCI6InNvbWVib2R5QGV4YW1wbGU\
        uY29tIn0.HW4aM6RloCMPKgb9Ku5WEMobIb91uEiu3jt2SA9bu4M
        """,
        .rs256:
            """
        eyJhbGciOiJSUzI1NiIsImtpZCI6IlJTMjU2IiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUuY29tIiwiYXVkIjoi\
        dXBsb2FkcyIsInN1YiI6IjQyIiwiaWF0IjoxNzk5OTk5MDAwLCJleHAiOjE4MDAwMDM2MDAsInNjb3BlIjoib3BlbmlkIHByb2ZpbGUgdXBs\
        b2FkIiwiZW1haWwiOiJzb21lYm9keUBleGFtcGxlLmNvbSJ9.GxTx5Qn99m20u_s_OWDvh4ywKfN4Gg810PKBb60wVJ-8Twc561KUPOIQJzI\
        -Emk01NjuUilaqjbVmS8sFNTfQN2AJVfMD_mCj9e-cmcNYWf0I3OmOV6VYKvekLiFnNiRP_TO97vH67aPCbPMrnLaUbJdmYjF7jFqZ5lmplK\
        oWVF4K6CdwZC6GZ-tPHctSlBpfm-1LF_Kro62tj8eicjekYKUxey9WTnyNUUSiaPSo8x8rBFUQTxOgXk5_wzbUKYd036uBCaTQZ87NbrWJa8\
        G1oTSrMbdfxJnFuWGG6jnKv85XoFCraMKkysh_0f9J-jBmDIsEzfo2B21ljPAeqNkuQ
        """,
        .ps256:
            """
        eyJhbGciOiJQUzI1NiIsImtpZCI6IlJTMjU2IiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUuY29tIiwiYXVkIjoi\
        dXBsb2FkcyIsInN1YiI6IjQyIiwiaWF0IjoxNzk5OTk5MDAwLCJleHAiOjE4MDAwMDM2MDAsInNjb3BlIjoib3BlbmlkIHByb2ZpbGUgdXBs\
        b2FkIiwiZW1haWwiOiJzb21lYm9keUBleGFtcGxlLmNvbSJ9.Kst1-9UpR-cq1zRFdc3651lxEpEXOcc0oGtaC7S_myjoWawKqjfWIjzp-7B\
        oNGc5uODmt-aBuMKL6nu9fN8b8nkmZfscoBDD_Z_N95HkpTo7N0QMRvDaUuUKSbzz-9Jkyd6b076LUHY_LWDpRoJ0Sc7BHHSMpkWCF-_e8Ja\
        EnfM5Q_Tny82TlwpqHiHwBX4cER7_bMbZmdq2GYwQb-25gQof1MtmKFEGs0SUZGTxMwb-KGspriS_fMP7R7znYeRWTG00M0-pYf2p1fJGbKl\
        10lnZJ0KxOG5i_BVI94obFkKxT81NqDHNReUR8LGt608Iz9dCXKoq_GI96XfPUb-umg
        """,
        .es256:
            """
        eyJhbGciOiJFUzI1NiIsImtpZCI6IkVTMjU2IiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUuY29tIiwiYXVkIjoi\
        dXBsb2FkcyIsInN1YiI6IjQyIiwiaWF0IjoxNzk5OTk5MDAwLCJleHAiOjE4MDAwMDM2MDAsInNjb3BlIjoib3BlbmlkIHByb2ZpbGUgdXBs\
        b2FkIiwiZW1haWwiOiJzb21lYm9keUBleGFtcGxlLmNvbSJ9.AySyWkj7saWr0eqt9pLdDE80YCVvjkRsi16d2I9zHDj-r6PQryuBCmiwxbU\
        Pzuob6cWJebeXwl0Z-ZtNgwaUgQ
        """,
        .eddsa:
            """
        eyJhbGciOiJFZERTQSIsImtpZCI6IkVkRFNBIiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUuY29tIiwiYXVkIjoi\
        dXBsb2FkcyIsInN1YiI6IjQyIiwiaWF0IjoxNzk5OTk5MDAwLCJleHAiOjE4MDAwMDM2MDAsInNjb3BlIjoib3BlbmlkIHByb2ZpbGUgdXBs\
        b2FkIiwiZW1haWwiOiJzb21lYm9keUBleGFtcGxlLmNvbSJ9.TZ_1H5myHFIQa6uWbownzM0-YtMWfGmCBeCIkQaPf28bLFcsS3gOT83sJoI\
        vW220aMvw-aBF9qCnz3gQgNJ4Bw
        """,
    ]
}
