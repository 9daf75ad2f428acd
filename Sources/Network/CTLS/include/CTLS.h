#pragma once

/* TLS 1.3 between two machines that know each other's keys, over the system's OpenSSL: bytes in and bytes out,
   without a socket. Certificates are self-signed Ed25519 ones; whether a peer is accepted is decided in Swift
   by its key, and nothing else of a certificate is looked at but the name and the proof that it carries. */

#include <stddef.h>
#include <stdint.h>

typedef struct ctls_identity ctls_identity;
typedef struct ctls_session ctls_session;

enum { CTLS_KEY_BYTES = 32, CTLS_PROOF_BYTES = 64, CTLS_NAME_BYTES = 64 };

/* Whether the peer is accepted: 1 or 0. `name` ends with a zero byte; `key` and `proof` have the lengths above.
   Called during the handshake. */
typedef int (*ctls_accepts)(void *owner, const char *name, const uint8_t *key, const uint8_t *proof);

/* A key with its certificate.

   `seed` is the private Ed25519 key, `name` at most CTLS_NAME_BYTES printable characters, `proof` what binds
   the key to the name for whoever accepts it. NULL where the library refuses. */
ctls_identity *ctls_identity_make(const uint8_t *seed, const char *name, const uint8_t *proof);
void ctls_identity_free(ctls_identity *identity);

/* One end of a connection; NULL where there is no memory. `identity` has to outlive it. */
ctls_session *ctls_session_make(ctls_identity *identity, int is_server, ctls_accepts accepts, void *owner);
void ctls_session_free(ctls_session *session);

/* What came from the peer; the number of bytes taken, or -1. */
long ctls_feed(ctls_session *session, const uint8_t *bytes, size_t count);
/* What has to go to the peer: the number of bytes written to `buffer`, 0 for none. */
long ctls_drain(ctls_session *session, uint8_t *buffer, size_t capacity);

/* 1: done. 0: needs more of the peer. -1: failed; what there is to drain says why to the peer. */
int ctls_handshake(ctls_session *session);
/* The number of bytes read, 0 where more of the peer is needed, -1 at the end and after a failure. */
long ctls_read(ctls_session *session, uint8_t *buffer, size_t capacity);
/* All of `bytes` or, with -1, none. */
long ctls_write(ctls_session *session, const uint8_t *bytes, size_t count);
