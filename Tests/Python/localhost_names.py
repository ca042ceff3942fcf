"""Has every name below `localhost` mean this machine (RFC 6761 section 6.3), as curl and browsers do; Debian's resolver does not."""

import socket

_getaddrinfo = socket.getaddrinfo


def _resolve(host, *arguments, **named):
    name = host.decode() if isinstance(host, bytes) else host
    return _getaddrinfo("127.0.0.1" if name and name.endswith(".localhost") else host, *arguments, **named)


socket.getaddrinfo = _resolve
