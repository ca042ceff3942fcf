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

    /// A root that ends at `endingsEnd`.
    package static let ending = """
        -----BEGIN CERTIFICATE-----
        MIIBNzCB3aADAgECAhRd3q7hIwKyRhkhN4puH5X/W9R63zAKBggqhkjOPQQDAjAR
        MQ8wDQYDVQQDDAZlbmRpbmcwHhcNMjYwMTAxMDAwMDAwWhcNMzAwMTAxMDAwMDAw
        WjARMQ8wDQYDVQQDDAZlbmRpbmcwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATr
        v2g3xdwlvnKd+Rzdm2Vc3OuZ9WFTs+/8APNtLMZZOLB67EJ82jZLuWSp/yJRHnxj
        O9orH/eU4bHOclfZgBD5oxMwETAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMC
        A0kAMEYCIQCwxWe7S9bcqtCl2NQfRZuWnhzr3agPFCtDgHkm1DeEHgIhAOWKnKn8
        0ouhFVkeIA4fbmD6xKqME3WPNGK7ckuU6ulu
        -----END CERTIFICATE-----
        """

    /// Of `ending`, and holds longer.
    package static let ofEnding = """
        -----BEGIN CERTIFICATE-----
        MIIBYDCCAQWgAwIBAgIUXxflzu9kx+/Q1U1PLr+Wr637JZgwCgYIKoZIzj0EAwIw
        ETEPMA0GA1UEAwwGZW5kaW5nMCAXDTI2MDEwMTAwMDAwMFoYDzIxMjYwMTAxMDAw
        MDAwWjATMREwDwYDVQQDDAhvZmVuZGluZzBZMBMGByqGSM49AgEGCCqGSM49AwEH
        A0IABPicgLjdzaZhSaYDijR1ie5mZZ04YSm6BE8qTSmVur4bQNt4Prw1D/MCfFyG
        JnbMo985otEx80cnZLWjAzzXGhCjNzA1MB4GA1UdEQQXMBWCE2JhY2tlbmQuZXhh
        bXBsZS5jb20wEwYDVR0lBAwwCgYIKwYBBQUHAwIwCgYIKoZIzj0EAwIDSQAwRgIh
        ANbRcJSSsOJGde8DMEgkMP4XTYEIEjrODNBlIx1wtVw6AiEAij5jaKITuvrUaDyZ
        bWS9/mjG/yKZFIaJL8iuW9pNhSw=
        -----END CERTIFICATE-----
        """

    /// A root, without an identifier of its key.
    package static let rolled = """
        -----BEGIN CERTIFICATE-----
        MIIBOTCB36ADAgECAhRe65tT3Ijl7vl8ZuOuEvbzlUk6TTAKBggqhkjOPQQDAjAR
        MQ8wDQYDVQQDDAZyb2xsZWQwIBcNMjYwMTAxMDAwMDAwWhgPMjEyNjAxMDEwMDAw
        MDBaMBExDzANBgNVBAMMBnJvbGxlZDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
        BLoFZ4zy8u2ydn58/5TOEHdU6o30q1AETCVU+SB9zlVEIhKzfz6KXdY7F++M974y
        PtzNRmqcb7k9/gbmrqiLpsajEzARMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0E
        AwIDSQAwRgIhAJlHHupGAIMaYUVfEpD7WP7iKepNF4fGiwRPvo5eNEYMAiEA0xZx
        4NNahL1ascqlSGiRcWUB98Kz08gCKXGLUUoFvsI=
        -----END CERTIFICATE-----
        """

    /// A root of the same name with another key.
    package static let rolledAnew = """
        -----BEGIN CERTIFICATE-----
        MIIBODCB36ADAgECAhRSRWl+yefnoPnZDth9Gn7BAcn+WjAKBggqhkjOPQQDAjAR
        MQ8wDQYDVQQDDAZyb2xsZWQwIBcNMjYwMTAxMDAwMDAwWhgPMjEyNjAxMDEwMDAw
        MDBaMBExDzANBgNVBAMMBnJvbGxlZDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
        BA031yFcvPy376QAbjuTfFfgz7ND6EQQKvbSI/10EiyUSkAFlkb2reHLVtaiHlbr
        +4Xu/oHD83svjpYDlhJy94qjEzARMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0E
        AwIDSAAwRQIgVe3c1/lNqE3SiKx8h//c32FFf4z27IFk/ysOoCMsCTsCIQDuchSZ
        MLa5Krf4MnRGpXLL/IMOZexheCg4cE3/1tumwg==
        -----END CERTIFICATE-----
        """

    /// Of `rolled`.
    package static let ofRolled = """
        -----BEGIN CERTIFICATE-----
        MIIBWzCCAQKgAwIBAgIUEzMyJwTklXXuVVDvVafiIwFGpqIwCgYIKoZIzj0EAwIw
        ETEPMA0GA1UEAwwGcm9sbGVkMCAXDTI2MDEwMTAwMDAwMFoYDzIxMjYwMTAxMDAw
        MDAwWjAQMQ4wDAYDVQQDDAVvZm9sZDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
        BJCqZLhlsQZ4RxC4vhXXcSjHlXVuTprQJQ/gxn4SYcczW9Aa11tPPyl4jm2OF5gJ
        rZ3ovWPKb28aKo66Sb6zQPGjNzA1MB4GA1UdEQQXMBWCE2JhY2tlbmQuZXhhbXBs
        ZS5jb20wEwYDVR0lBAwwCgYIKwYBBQUHAwIwCgYIKoZIzj0EAwIDRwAwRAIgZS8d
        KA3IVs9JnnIVj1n57ItHwBygIORi7NDrqcg9V/cCICPawLb/8/7sTf9MEFeyUIip
        hu1xZXD3AWpQ/hry3S+E
        -----END CERTIFICATE-----
        """

    /// The empty list of `rolled`, which ends at `endingsEnd`.
    package static let listOfRolled = """
        -----BEGIN X509 CRL-----
        MIGVMD0wCgYIKoZIzj0EAwIwETEPMA0GA1UEAwwGcm9sbGVkFw0yNjAxMDEwMDAw
        MDBaFw0zMDAxMDEwMDAwMDBaMAoGCCqGSM49BAMCA0gAMEUCIEE6AY6rk5nTCOOd
        VcIFCuzBiMsuKjCcbeZRf3YAeOoEAiEA74MDV6RmFDDLGH8k3ARFnMsGNHiPDYS4
        CwoZxYkTiMw=
        -----END X509 CRL-----
        """

    /// The empty list of `rolledAnew`, which ends in a hundred years.
    package static let listOfRolledAnew = """
        -----BEGIN X509 CRL-----
        MIGXMD8wCgYIKoZIzj0EAwIwETEPMA0GA1UEAwwGcm9sbGVkFw0yNjAxMDEwMDAw
        MDBaGA8yMTI2MDEwMTAwMDAwMFowCgYIKoZIzj0EAwIDSAAwRQIhALhPo2/JmFE1
        IWAAz3ko75gyeFS5YCaT15m5MyH+/WwiAiAdbsuua4LOgzOIgDGhDj/wDHffdTWZ
        A2wp8VoMYEvi3Q==
        -----END X509 CRL-----
        """

    /// The first of January 2030.
    package static let endingsEnd: Int64 = 1_893_456_000
}
