import Providers

/// All inspectors, by the provider whose keys they check signatures with. Those of a new provider are a line here.
package enum Inspectors {
    private static let lists: [(provider: ProviderDescription, inspectors: [Inspector])] = [
        (
            Qiniu.description,
            [
                InspectedUploadToken.inspector, InspectedDownloadURL.privateURL, InspectedDownloadURL.cdnURL,
                InspectedManagement.inspector,
            ]
        ),
        (NOS.description, [InspectedNOSToken.inspector, InspectedNOSRequest.url, InspectedNOSRequest.header]),
        // Before OSS, whose inspector takes a form for its own that nobody else knows.
        (
            S3.description,
            [InspectedS3Request.url, InspectedS3Request.authorization, InspectedPostForm.s3]
        ),
        (
            OSS.description,
            [
                InspectedOSSURL.v4, InspectedOSSURL.v1, InspectedOSSURL.stream, InspectedOSSAuthorization.v4,
                InspectedOSSAuthorization.v1, InspectedPostForm.oss,
            ]
        ),
        (STS.description, [InspectedCredential.inspector, InspectedACS3.inspector]),
        (AWSSTS.description, [InspectedS3Credential.inspector]),
    ]

    /// Each with the name of its provider; the first that knows an input inspects it.
    package static let all: [(provider: String, inspector: Inspector)] = lists.flatMap { list in
        list.inspectors.map { (list.provider.name, $0) }
    }

    /// Those of one provider, by its name.
    package static func of(_ provider: String) -> [Inspector] {
        all.filter { $0.provider == provider }.map(\.inspector)
    }
}
