/// Certificates and lists of revocations, made by OpenSSL's command line (`openssl x509 -req`, `openssl ca -gencrl`) for a hundred years.
package enum Authorities {
    /// An authority that is a root.
    package static let root = """
        -----BEGIN CERTIFICATE-----
        MIIBhDCCASugAwIBAgIUYkEMZv4d6qYn6sVY77Zsw4ES4f8wCgYIKoZIzj0EAwIw
        DzENMAsGA1UEAwwEcm9vdDAgFw0yNjExMjMxNTM5NTFaGA8yMTI2MTAzMDE1Mzk1
        MVowDzENMAsGA1UEAwwEcm9vdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABB4w
        e961e6Tp6w4+N2STYp4RXfSve/4hredFWSQpZ8FYp/+tzjouOTEbIUpbzjDe8NvT
        7+wS4zaI5MYNulQUqzCjYzBhMB0GA1UdDgQWBBRJISsKaqH3lcU/2dRWkajzY5+B
        GzAfBgNVHSMEGDAWgBRJISsKaqH3lcU/2dRWkajzY5+BGzAPBgNVHRMBAf8EBTAD
        AQH/MA4GA1UdDwEB/wQEAwIBBjAKBggqhkjOPQQDAgNHADBEAiBnVP03y2kfsKHo
        Be+abt9LrH24tptlMKPu0VXtZFX0/QIgfnu5KqNSqtK388KJpCffUUMZ03SbHg/O
        VkJBN6G6IiQ=
        -----END CERTIFICATE-----
        """

    /// An authority below it, serial number 77.
    package static let mid = """
        -----BEGIN CERTIFICATE-----
        MIIBcjCCARegAwIBAgIBTTAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARyb290MCAX
        DTI2MTEyMzE1Mzk1MVoYDzIxMjYxMDMwMTUzOTUxWjAOMQwwCgYDVQQDDANtaWQw
        WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAS5AmTDFtUQchZHx2RLqq8Dr9hqdvuB
        r7YyC2pZ0CPdJyTkgCl8yo6R3wGwMuwdNn5bNSUybJfm0RX3ul7uULnQo2MwYTAP
        BgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQU1cYs7Qep
        5YviyqpXRZNiTlQdPoYwHwYDVR0jBBgwFoAUSSErCmqh95XFP9nUVpGo82OfgRsw
        CgYIKoZIzj0EAwIDSQAwRgIhAJmCgDOSkBefFGSnaqgcjWVkrq7fGckR5ZQ8Evtg
        pq07AiEAspz6TLWD8oHYRPS24XcM+UAjWdeGPFTHYeP/bElgtkI=
        -----END CERTIFICATE-----
        """

    /// Of `root`, serial number 0xF1E2D3C4B5A69788.
    package static let direct = """
        -----BEGIN CERTIFICATE-----
        MIIBkTCCATagAwIBAgIJAPHi08S1ppeIMAoGCCqGSM49BAMCMA8xDTALBgNVBAMM
        BHJvb3QwIBcNMjYxMTIzMTUzOTUxWhgPMjEyNjEwMzAxNTM5NTFaMBExDzANBgNV
        BAMMBmRpcmVjdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFgflgEnw0/uf6jL
        lfZTX1mcSFzWng3UNg4JCIIDh91YA7HPL9gRaGteBdDMYjrbE2+kQPG0xHpVLmJP
        fGAGwqyjdzB1MB4GA1UdEQQXMBWCE2JhY2tlbmQuZXhhbXBsZS5jb20wEwYDVR0l
        BAwwCgYIKwYBBQUHAwIwHQYDVR0OBBYEFC50gTiOGkdLxrASr05DbZ+vs7JQMB8G
        A1UdIwQYMBaAFEkhKwpqofeVxT/Z1FaRqPNjn4EbMAoGCCqGSM49BAMCA0kAMEYC
        IQDC9EVLNG4NluQ2Amoaw8c7L1l0RMokqtOQtRyXVsnNqAIhAIY9l0S8ERLiDH51
        +qZQbhioIIb2522ZeziZ/2j8XGRU
        -----END CERTIFICATE-----
        """

    /// Of `mid`.
    package static let below = """
        -----BEGIN CERTIFICATE-----
        MIIBhjCCASygAwIBAgIBBTAKBggqhkjOPQQDAjAOMQwwCgYDVQQDDANtaWQwIBcN
        MjYxMTIzMTUzOTUxWhgPMjEyNjEwMzAxNTM5NTFaMBAxDjAMBgNVBAMMBWJlbG93
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAENDdRhgsW1yPMpqRqS51o9yTFWTYT
        hcCWAVlu+2WTQNoeI3U7W7gvDTVLAKOy0DY0EzJjjPp8EW5VJWHtcQlDyaN3MHUw
        HgYDVR0RBBcwFYITYmFja2VuZC5leGFtcGxlLmNvbTATBgNVHSUEDDAKBggrBgEF
        BQcDAjAdBgNVHQ4EFgQU3zse8znCLlkj+TaWYvFdblRKoJYwHwYDVR0jBBgwFoAU
        1cYs7Qep5YviyqpXRZNiTlQdPoYwCgYIKoZIzj0EAwIDSAAwRQIgfv3SwDNXvGqZ
        ayoBxpxpT9Pru6wqkD1roftlXgcEXNQCIQCJTJZpsxzdROR2h4CsQMRh4fs4EWKd
        URkxdfoVt2P2Tg==
        -----END CERTIFICATE-----
        """

    /// Of `root`: the certificate 6.
    package static let revokesOther = """
        -----BEGIN X509 CRL-----
        MIG/MGYCAQEwCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEcm9vdBcNMjYxMTIzMTUz
        OTUxWhgPMjEyNjEwMzAxNTM5NTFaMBQwEgIBBhcNMjYwMTAxMDAwMDAwWqAOMAww
        CgYDVR0UBAMCAQEwCgYIKoZIzj0EAwIDSQAwRgIhAPUQNMTWqmqbwpUDWq6E3JJD
        FtJuxN2xFT7vA1fpTt5nAiEAsKIdxP7ZXQJ/V5zmPl6f7fe+SB3T75kS2G2sMvFL
        0Ag=
        -----END X509 CRL-----
        """

    /// Of `root`: `direct`.
    package static let revokesDirect = """
        -----BEGIN X509 CRL-----
        MIHHMG4CAQEwCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEcm9vdBcNMjYxMTIzMTUz
        OTUxWhgPMjEyNjEwMzAxNTM5NTFaMBwwGgIJAPHi08S1ppeIFw0yNjAxMDEwMDAw
        MDBaoA4wDDAKBgNVHRQEAwIBATAKBggqhkjOPQQDAgNJADBGAiEAh2/8S91SOol2
        +rdkJ8rn3xh7Q9bt6wGK94vfOl/LXP4CIQDHwcHyhhm9z94ZVxzbYSCpLZWsGobd
        91j3s27w4q4ZpQ==
        -----END X509 CRL-----
        """

    /// Of `root`: `mid`.
    package static let revokesMid = """
        -----BEGIN X509 CRL-----
        MIG9MGYCAQEwCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEcm9vdBcNMjYxMTIzMTUz
        OTUxWhgPMjEyNjEwMzAxNTM5NTFaMBQwEgIBTRcNMjYwMTAxMDAwMDAwWqAOMAww
        CgYDVR0UBAMCAQEwCgYIKoZIzj0EAwIDRwAwRAIgGZ+7P1FJrcuMQNRT4eZUM2Bc
        fcgibz4zK4gtPY0p/pMCIGb0Su/a3wG9xhsUnmOXp/sMcvSCFv9EYOSPYcWdWFrq
        -----END X509 CRL-----
        """

    /// Of `mid`: nothing.
    package static let listOfMid = """
        -----BEGIN X509 CRL-----
        MIGnME8CAQEwCgYIKoZIzj0EAwIwDjEMMAoGA1UEAwwDbWlkFw0yNjExMjMxNTM5
        NTFaGA8yMTI2MTAzMDE1Mzk1MVqgDjAMMAoGA1UdFAQDAgEBMAoGCCqGSM49BAMC
        A0gAMEUCID9yKLtO+XfIX8JY7XPDES/4FYpszwmvfH2lhYsKU/IGAiEArihYQwFl
        do39mVIt7ehNUwvXCZhW0ec4Kk6GOF8EEvQ=
        -----END X509 CRL-----
        """

    /// Another root.
    package static let stranger = """
        -----BEGIN CERTIFICATE-----
        MIIBiDCCAS2gAwIBAgIUYdU5cgLXDNXJT5cTrbjUSXhY9NgwCgYIKoZIzj0EAwIw
        EDEOMAwGA1UEAwwFb3RoZXIwIBcNMjYxMTIzMTUzOTUxWhgPMjEyNjEwMzAxNTM5
        NTFaMBAxDjAMBgNVBAMMBW90aGVyMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
        Ln7OwS4yBtWzhy0cgF8cjiSsh3fyi1IyU7lkC2Y9AOTivPispZmYHqX08TmrFvu9
        q1EwJl2RAlMTb1RfKALZMKNjMGEwHQYDVR0OBBYEFHI0aPj8iCePnQY2Vd5R04dJ
        2mE8MB8GA1UdIwQYMBaAFHI0aPj8iCePnQY2Vd5R04dJ2mE8MA8GA1UdEwEB/wQF
        MAMBAf8wDgYDVR0PAQH/BAQDAgEGMAoGCCqGSM49BAMCA0kAMEYCIQCS3grDt0gH
        Kkaz+U2FOiNiZT1WgIp/CYfDYiYjPO902gIhAKOjUB5AwO4bmm9l8KEluNQgs6EX
        4dfbZBYqkxRpdipf
        -----END CERTIFICATE-----
        """
}
