#include "include/CTLS.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>

struct ctls_identity {
    SSL_CTX *context;
};

struct ctls_session {
    SSL *tls;
    ctls_accepts accepts;
    void *owner;
};

/* The arc of a random UUID (X.667): whose extension it is needs no register. */
static const char *const proof_extension = "2.25.226406290853107325948274413049813294106";

/* The longest certificate that is read, in bytes; ours have some 350. */
enum { LONGEST_CERTIFICATE = 2048 };

static ASN1_OBJECT *proof_object(void) { return OBJ_txt2obj(proof_extension, 1); }

static int add_proof(X509 *certificate, const uint8_t *proof) {
    ASN1_OBJECT *object = proof_object();
    ASN1_OCTET_STRING *value = ASN1_OCTET_STRING_new();
    X509_EXTENSION *extension = NULL;
    int added = object && value && ASN1_OCTET_STRING_set(value, proof, CTLS_PROOF_BYTES)
        && (extension = X509_EXTENSION_create_by_OBJ(NULL, object, 0, value))
        && X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    ASN1_OCTET_STRING_free(value);
    ASN1_OBJECT_free(object);
    return added;
}

/* The dates say nothing: a till's clock may be a year off, and the key is what counts. */
static X509 *make_certificate(EVP_PKEY *key, const char *name, const uint8_t *proof) {
    X509 *certificate = X509_new();
    X509_NAME *subject;
    if (!certificate) return NULL;
    subject = X509_get_subject_name(certificate);
    if (X509_set_version(certificate, 2) && ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1)
        && ASN1_TIME_set_string(X509_getm_notBefore(certificate), "19700101000000Z")
        && ASN1_TIME_set_string(X509_getm_notAfter(certificate), "99991231235959Z")
        && X509_NAME_add_entry_by_txt(
            subject, "CN", MBSTRING_UTF8, (const unsigned char *)name, -1, -1, 0)
        && X509_set_issuer_name(certificate, subject) && X509_set_pubkey(certificate, key)
        && add_proof(certificate, proof) && X509_sign(certificate, key, NULL) > 0) {
        return certificate;
    }
    X509_free(certificate);
    return NULL;
}

static int has_proof(X509 *certificate, uint8_t *proof) {
    ASN1_OBJECT *object = proof_object();
    int place = object ? X509_get_ext_by_OBJ(certificate, object, -1) : -1;
    const ASN1_OCTET_STRING *value =
        place < 0 ? NULL : X509_EXTENSION_get_data(X509_get_ext(certificate, place));
    ASN1_OBJECT_free(object);
    if (!value || ASN1_STRING_length(value) != CTLS_PROOF_BYTES) return 0;
    memcpy(proof, ASN1_STRING_get0_data(value), CTLS_PROOF_BYTES);
    return 1;
}

/* In the place of the library's own check of a chain: there is none. That the peer has the certificate's key is
   shown by the handshake, after this call. */
static int verify(X509_STORE_CTX *chain, void *unused) {
    SSL *tls = X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx());
    ctls_session *session = tls ? SSL_get_app_data(tls) : NULL;
    X509 *certificate = X509_STORE_CTX_get0_cert(chain);
    EVP_PKEY *key = certificate ? X509_get0_pubkey(certificate) : NULL;
    char name[CTLS_NAME_BYTES + 1] = {0};
    uint8_t raw[CTLS_KEY_BYTES], proof[CTLS_PROOF_BYTES];
    size_t size = sizeof raw;
    int accepted = session && key && EVP_PKEY_get_id(key) == EVP_PKEY_ED25519
        && EVP_PKEY_get_raw_public_key(key, raw, &size) == 1 && size == sizeof raw
        && X509_NAME_get_text_by_NID(
               X509_get_subject_name(certificate), NID_commonName, name, sizeof name) > 0
        && has_proof(certificate, proof) && session->accepts(session->owner, name, raw, proof);
    (void)unused;
    X509_STORE_CTX_set_error(chain, accepted ? X509_V_OK : X509_V_ERR_CERT_REJECTED);
    return accepted;
}

static int configure(SSL_CTX *context, EVP_PKEY *key, X509 *certificate) {
    /* No session is taken up again: each connection shows its key, so that a withdrawn one is out at once. */
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_max_cert_list(context, LONGEST_CERTIFICATE);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    SSL_CTX_set_cert_verify_callback(context, verify, NULL);
    return SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION)
        && SSL_CTX_set_num_tickets(context, 0) && SSL_CTX_set1_sigalgs_list(context, "ed25519")
        && SSL_CTX_set1_groups_list(context, "X25519") && SSL_CTX_use_certificate(context, certificate)
        && SSL_CTX_use_PrivateKey(context, key);
}

ctls_identity *ctls_identity_make(const uint8_t *seed, const char *name, const uint8_t *proof) {
    ctls_identity *identity = OPENSSL_zalloc(sizeof *identity);
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, CTLS_KEY_BYTES);
    X509 *certificate = key ? make_certificate(key, name, proof) : NULL;
    int made = identity && certificate && (identity->context = SSL_CTX_new(TLS_method()))
        && configure(identity->context, key, certificate);
    X509_free(certificate);
    EVP_PKEY_free(key);
    if (made) return identity;
    ctls_identity_free(identity);
    ERR_clear_error();
    return NULL;
}

void ctls_identity_free(ctls_identity *identity) {
    if (!identity) return;
    SSL_CTX_free(identity->context);
    OPENSSL_free(identity);
}

ctls_session *ctls_session_make(ctls_identity *identity, int is_server, ctls_accepts accepts, void *owner) {
    ctls_session *session = OPENSSL_zalloc(sizeof *session);
    BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());
    SSL *tls = session ? SSL_new(identity->context) : NULL;
    if (!tls || !in || !out) {
        SSL_free(tls);
        BIO_free(in);
        BIO_free(out);
        OPENSSL_free(session);
        return NULL;
    }
    BIO_set_mem_eof_return(in, -1);
    SSL_set_bio(tls, in, out);
    session->tls = tls;
    session->accepts = accepts;
    session->owner = owner;
    SSL_set_app_data(tls, session);
    if (is_server) {
        SSL_set_accept_state(tls);
    } else {
        SSL_set_connect_state(tls);
    }
    return session;
}

void ctls_session_free(ctls_session *session) {
    if (!session) return;
    SSL_free(session->tls);
    OPENSSL_free(session);
}

long ctls_feed(ctls_session *session, const uint8_t *bytes, size_t count) {
    return BIO_write(SSL_get_rbio(session->tls), bytes, (int)count);
}

long ctls_drain(ctls_session *session, uint8_t *buffer, size_t capacity) {
    int count = BIO_read(SSL_get_wbio(session->tls), buffer, (int)capacity);
    return count < 0 ? 0 : count;
}

static int needs_more(SSL *tls, int result) {
    int error = SSL_get_error(tls, result);
    ERR_clear_error();
    return error == SSL_ERROR_WANT_READ;
}

int ctls_handshake(ctls_session *session) {
    int result;
    ERR_clear_error();
    result = SSL_do_handshake(session->tls);
    if (result == 1) return 1;
    return needs_more(session->tls, result) ? 0 : -1;
}

long ctls_read(ctls_session *session, uint8_t *buffer, size_t capacity) {
    int result;
    ERR_clear_error();
    result = SSL_read(session->tls, buffer, (int)capacity);
    if (result > 0) return result;
    return needs_more(session->tls, result) ? 0 : -1;
}

long ctls_write(ctls_session *session, const uint8_t *bytes, size_t count) {
    int result;
    if (count == 0) return 0;
    ERR_clear_error();
    result = SSL_write(session->tls, bytes, (int)count);
    ERR_clear_error();
    return result > 0 && (size_t)result == count ? result : -1;
}
