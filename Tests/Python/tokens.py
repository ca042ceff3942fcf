"""Tokens of the libraries that issuers use are believed by the service.

    python tokens.py keys FOLDER        makes the keys, and FOLDER/jwks.json of their public halves
    python tokens.py ask FOLDER URL     asks with tokens that they signed
"""

import json
import pathlib
import sys
import time

import jwt
import requests
from authlib.jose import JsonWebKey, JsonWebToken
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwcrypto import jwk as jwcrypto_jwk
from jwcrypto import jwt as jwcrypto_jwt

from checking import check, check_that

ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA"]
SECRET = "a-secret-that-is-as-long-as-it-has-to-be"


def make_p256():
    """authlib writes numbers without their leading zeros, which RFC 7518 section 6.2.1.2 forbids; one key of 128 has such a number."""
    while True:
        key = ec.generate_private_key(ec.SECP256R1())
        numbers = key.public_key().public_numbers()
        if min(numbers.x, numbers.y) >> 248:
            return key


def make_keys(folder):
    made = {
        "RS256": rsa.generate_private_key(public_exponent=65537, key_size=2048),
        "PS256": rsa.generate_private_key(public_exponent=65537, key_size=3072),
        "ES256": make_p256(),
        "EdDSA": ed25519.Ed25519PrivateKey.generate(),
    }
    public = []
    for algorithm, key in made.items():
        pem = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        (folder / algorithm).write_bytes(pem)
        public.append(json.loads(jwcrypto_jwk.JWK.from_pem(pem).export_public()) | {"kid": algorithm, "alg": algorithm})
    (folder / "jwks.json").write_text(json.dumps({"keys": public}, indent=2))
    # The other library's words for the same keys.
    keys = [
        dict(JsonWebKey.import_key((folder / algorithm).read_bytes()).as_dict(is_private=False), kid=algorithm)
        for algorithm in ALGORITHMS
    ]
    (folder / "authlib.json").write_text(json.dumps({"keys": keys}))


def sign_pyjwt(claims, algorithm, key):
    return jwt.encode(claims, key, algorithm=algorithm, headers={"kid": algorithm})


def sign_jwcrypto(claims, algorithm, key):
    if algorithm == "HS256":
        made = jwcrypto_jwk.JWK.from_password(key)
    else:
        made = jwcrypto_jwk.JWK.from_pem(key)
    token = jwcrypto_jwt.JWT(header={"alg": algorithm, "kid": algorithm}, claims=claims)
    token.make_signed_token(made)
    return token.serialize()


def sign_authlib(claims, algorithm, key):
    return JsonWebToken([algorithm]).encode({"alg": algorithm, "kid": algorithm}, claims, key).decode()


def ask(url, token):
    return requests.get(url, headers={"Authorization": f"Bearer {token}"}, timeout=20)


def main():
    folder = pathlib.Path(sys.argv[2])
    if sys.argv[1] == "keys":
        make_keys(folder)
        print("everything is as it should be")
        return
    url = sys.argv[3]
    for library, sign in [("pyjwt", sign_pyjwt), ("jwcrypto", sign_jwcrypto), ("authlib", sign_authlib)]:
        for algorithm in [*ALGORITHMS, "HS256"]:
            key = SECRET if algorithm == "HS256" else (folder / algorithm).read_bytes()
            for issuer in ["intern"] if algorithm == "HS256" else ["one", "two"]:
                now = int(time.time())
                claims = {"iss": issuer, "aud": "uploads", "sub": f"{library}-{algorithm}", "iat": now, "exp": now + 600}
                token = sign(claims, algorithm, key)
                answer = ask(url, token)
                check(f"{algorithm} of {library} for {issuer}", answer.status_code, 200)
                check("its prefix", answer.json()["keyPrefix"], f"all/jwt-{issuer}/{library}-{algorithm}/")
                other = sign({**claims, "aud": "other"}, algorithm, key)
                check("for another audience", ask(url, other).status_code, 401)
                head, payload, signature = token.split(".")
                check("with another's signature", ask(url, f"{head}.{payload}.{other.split('.')[2]}").status_code, 401)
    check_that("no token is anonymous", requests.get(url, timeout=20).status_code == 401)
    print("everything is as it should be")


main()
