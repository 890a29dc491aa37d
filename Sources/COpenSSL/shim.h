#pragma once
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// What OpenSSL offers as macros or with variable arguments, which Swift cannot call.

// Both numbers big-endian. In C because the builder keeps the pointers to the names until its end. NULL on failure.
static inline EVP_PKEY *seleid_rsa_public_key(const unsigned char *modulus, int modulus_count,
                                              const unsigned char *exponent, int exponent_count) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = NULL;
    BIGNUM *n = BN_bin2bn(modulus, modulus_count, NULL);
    BIGNUM *e = BN_bin2bn(exponent, exponent_count, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    if (n && e && builder && context && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n)
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e)
        && (parameters = OSSL_PARAM_BLD_to_param(builder)) != NULL && EVP_PKEY_fromdata_init(context) == 1)
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters);
    OSSL_PARAM_free(parameters);
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_BLD_free(builder);
    BN_free(e);
    BN_free(n);
    return key;
}

// An HMAC context with SHA-256 and some key. In C because parameters keep the pointers to their names. NULL on failure.
static inline EVP_MAC_CTX *seleid_hmac_sha256(void) {
    static const unsigned char key[1] = {0};
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = mac ? EVP_MAC_CTX_new(mac) : NULL;
    EVP_MAC_free(mac);
    OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
                               OSSL_PARAM_construct_end()};
    if (context && EVP_MAC_init(context, key, sizeof key, parameters) == 1) return context;
    EVP_MAC_CTX_free(context);
    return NULL;
}

static inline EVP_PKEY *seleid_generate_p256(void) { return EVP_EC_gen("P-256"); }

// TLS 1.2 and 1.3; for 1.2 the suites of BCP 195 (RFC 9325 §4.2): ephemeral keys and authenticated encryption only.
static inline int seleid_SSL_CTX_set_protocols(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION)
        && SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION)
        && SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20");
}

static inline void seleid_SSL_CTX_set_modes(SSL_CTX *context) {
    // A write is offered again from wherever the bytes lie then, and only those that were not taken.
    SSL_CTX_set_mode(context, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_ENABLE_PARTIAL_WRITE
                                  | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE
                                     | SSL_OP_PRIORITIZE_CHACHA);
    // Tickets are enough; a cache would be state.
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

// Takes any client certificate: whoever looks at it decides (RFC 8705 allows self-signed ones).
static inline int seleid_accept_any_certificate(int verified, X509_STORE_CTX *store) {
    (void)verified;
    (void)store;
    return 1;
}

static inline void seleid_SSL_CTX_ask_for_certificate(SSL_CTX *context) {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_CLIENT_ONCE, seleid_accept_any_certificate);
}

// An encrypted key is an error, not a question on the terminal.
static inline int seleid_no_passphrase(char *buffer, int size, int writing, void *context) {
    (void)buffer;
    (void)size;
    (void)writing;
    (void)context;
    return -1;
}

// NULL when the file cannot be used; the reason is in the error queue.
static inline EVP_PKEY *seleid_read_private_key(const char *path) {
    BIO *file = BIO_new_file(path, "r");
    if (!file) return NULL;
    EVP_PKEY *key = PEM_read_bio_PrivateKey(file, NULL, seleid_no_passphrase, NULL);
    BIO_free(file);
    return key;
}

// Chooses http/1.1 where the client offers it; without an overlap it goes on without ALPN, as before there was one.
static inline int seleid_select_http_1_1(SSL *connection, const unsigned char **selected, unsigned char *count,
                                         const unsigned char *offered, unsigned int offered_count, void *context) {
    (void)connection;
    (void)context;
    static const unsigned char protocol[] = "\x08http/1.1";
    unsigned char *match = NULL;
    if (SSL_select_next_proto(&match, count, protocol, sizeof protocol - 1, offered, offered_count)
        != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_NOACK;
    *selected = match;
    return SSL_TLSEXT_ERR_OK;
}

static inline void seleid_SSL_CTX_select_http_1_1(SSL_CTX *context) {
    SSL_CTX_set_alpn_select_cb(context, seleid_select_http_1_1, NULL);
}

// The bytes a memory BIO holds; they stay its own.
static inline long seleid_BIO_bytes(BIO *bio, const unsigned char **bytes) { return BIO_get_mem_data(bio, bytes); }
