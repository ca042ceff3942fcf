// The parts of OpenSSL 3 that the house uses, and what of them are macros that Swift cannot call.
#pragma once
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

static inline int cs_ssl_context_set_min_version(SSL_CTX *context, int version) {
  return (int)SSL_CTX_set_min_proto_version(context, version);
}

/// Writes may be partial and continued from another address; idle connections hold no buffers.
static inline void cs_ssl_context_set_modes(SSL_CTX *context) {
  SSL_CTX_set_mode(context,
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
}

static inline void cs_ssl_context_disable_session_cache(SSL_CTX *context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

static inline void cs_ssl_context_forbid_renegotiation(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
}

static inline int cs_ssl_context_set_groups(SSL_CTX *context, const char *groups) {
  return (int)SSL_CTX_set1_groups_list(context, groups);
}

/// As a server: its own order of ciphers, but ChaCha20 for those who have it first, since they have no AES in hardware.
/// Many records are taken off the socket by one call. A client that ends without a farewell cuts nothing short, since every
/// request says how long it is.
static inline void cs_ssl_context_set_server_options(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  SSL_CTX_set_read_ahead(context, 1);
}

static inline int cs_ssl_context_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
  return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

/// Clients may show a certificate of one of these authorities; `check` has the last word on each.
static inline void cs_ssl_context_ask_for_certificates(SSL_CTX *context, X509_STORE *authorities,
                                                       int (*check)(int, X509_STORE_CTX *)) {
  SSL_CTX_set1_verify_cert_store(context, authorities);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_CLIENT_ONCE, check);
}

// A chain of certificates: how many there are, and one of them.
static inline int cs_x509_count(STACK_OF(X509) *chain) { return sk_X509_num(chain); }
static inline X509 *cs_x509_at(STACK_OF(X509) *chain, int index) { return sk_X509_value(chain, index); }

static inline GENERAL_NAMES *cs_x509_alternative_names(X509 *certificate) {
  return (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
}

static inline void cs_general_names_free(GENERAL_NAMES *names) { GENERAL_NAMES_free(names); }

static inline int cs_general_names_count(GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }

/// The type of a name (GEN_DNS, GEN_URI, GEN_EMAIL and others), and the bytes of those three.
static inline int cs_general_name(GENERAL_NAMES *names, int index, const unsigned char **bytes, int *count) {
  GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
  if (name->type == GEN_DNS || name->type == GEN_URI || name->type == GEN_EMAIL) {
    *bytes = ASN1_STRING_get0_data(name->d.ia5);
    *count = ASN1_STRING_length(name->d.ia5);
  }
  return name->type;
}

/// `choose` gets `argument` when the client has said which name it calls.
static inline void cs_ssl_context_on_server_name(SSL_CTX *context, int (*choose)(SSL *, int *, void *), void *argument) {
  SSL_CTX_set_tlsext_servername_callback(context, choose);
  SSL_CTX_set_tlsext_servername_arg(context, argument);
}

/// The name that the handshake asks for (SNI).
static inline int cs_ssl_set_server_name(SSL *ssl, const char *name) {
  return (int)SSL_set_tlsext_host_name(ssl, name);
}

/// That a key is made of the numbers of its public half.
static const int cs_public_key_selection = EVP_PKEY_PUBLIC_KEY;
