#include "cpostgres.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#define HAS_HEADER 1
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#define HAS_HEADER 1
#else
typedef struct _PQconninfoOption PQconninfoOption;
#endif

/* Name, result, parameters: each function of the library that is used. */
#define FUNCTIONS(each)                                                                                      \
    each(PQconnectdbParams, CPGConnection *, (const char *const *, const char *const *, int))                \
    each(PQerrorMessage, char *, (const CPGConnection *))                                                    \
    each(PQfinish, void, (CPGConnection *))                                                                  \
    each(PQsocket, int, (const CPGConnection *))                                                             \
    each(PQsetnonblocking, int, (CPGConnection *, int))                                                      \
    each(PQenterPipelineMode, int, (CPGConnection *))                                                        \
    each(PQexitPipelineMode, int, (CPGConnection *))                                                         \
    each(PQpipelineSync, int, (CPGConnection *))                                                             \
    each(PQsendPrepare, int, (CPGConnection *, const char *, const char *, int, const CPGOid *))             \
    each(PQsendQueryPrepared, int,                                                                           \
         (CPGConnection *, const char *, int, const char *const *, const int *, const int *, int))           \
    each(PQflush, int, (CPGConnection *))                                                                    \
    each(PQconsumeInput, int, (CPGConnection *))                                                             \
    each(PQisBusy, int, (CPGConnection *))                                                                   \
    each(PQgetResult, CPGResult *, (CPGConnection *))                                                        \
    each(PQresultErrorField, char *, (const CPGResult *, int))                                               \
    each(PQntuples, int, (const CPGResult *))                                                                \
    each(PQnfields, int, (const CPGResult *))                                                                \
    each(PQfname, char *, (const CPGResult *, int))                                                          \
    each(PQgetvalue, char *, (const CPGResult *, int, int))                                                  \
    each(PQgetisnull, int, (const CPGResult *, int, int))                                                    \
    each(PQgetlength, int, (const CPGResult *, int, int))                                                    \
    each(PQclear, void, (CPGResult *))                                                                       \
    each(PQconninfoParse, PQconninfoOption *, (const char *, char **))                                       \
    each(PQconninfoFree, void, (PQconninfoOption *))                                                         \
    each(PQfreemem, void, (void *))

#define POINTER(name, result, parameters) static result(*name##_found) parameters;
FUNCTIONS(POINTER)
/* Both answer an enumeration, which C passes as an int here. */
static int (*PQstatus_found)(const CPGConnection *);
static int (*PQresultStatus_found)(const CPGResult *);

#ifdef HAS_HEADER
#define CHECK(name, result, parameters)                                                                      \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), result(*) parameters), #name);
FUNCTIONS(CHECK)
_Static_assert(sizeof(ConnStatusType) == sizeof(int) && sizeof(ExecStatusType) == sizeof(int), "enum");
_Static_assert((int)CPG_CONNECTION_OK == (int)CONNECTION_OK, "CONNECTION_OK");
_Static_assert((int)CPG_RESULT_EMPTY == (int)PGRES_EMPTY_QUERY, "PGRES_EMPTY_QUERY");
_Static_assert((int)CPG_RESULT_COMMAND == (int)PGRES_COMMAND_OK, "PGRES_COMMAND_OK");
_Static_assert((int)CPG_RESULT_ROWS == (int)PGRES_TUPLES_OK, "PGRES_TUPLES_OK");
_Static_assert((int)CPG_RESULT_PIPELINE_SYNC == (int)PGRES_PIPELINE_SYNC, "PGRES_PIPELINE_SYNC");
_Static_assert((int)CPG_RESULT_PIPELINE_ABORTED == (int)PGRES_PIPELINE_ABORTED, "PGRES_PIPELINE_ABORTED");
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_missing = 1;
static const char *why = "";

static void load(void) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        why = dlerror();
        return;
    }
#define FIND(name, result, parameters)                                                                       \
    if ((*(void **)&name##_found = dlsym(library, #name)) == NULL) {                                         \
        why = "libpq is older than PostgreSQL 14: it lacks " #name;                                          \
        return;                                                                                              \
    }
    FUNCTIONS(FIND)
    FIND(PQstatus, int, ())
    FIND(PQresultStatus, int, ())
    is_missing = 0;
}

int cpostgres_load(void) {
    pthread_once(&once, load);
    return is_missing;
}

const char *cpostgres_load_error(void) { return why; }

CPGConnection *cpostgres_connect(const char *const *keywords, const char *const *values) {
    /* The first value is a connection string in full. */
    return PQconnectdbParams_found(keywords, values, 1);
}

int cpostgres_status(const CPGConnection *connection) { return PQstatus_found(connection); }
const char *cpostgres_error(const CPGConnection *connection) { return PQerrorMessage_found(connection); }
void cpostgres_finish(CPGConnection *connection) { PQfinish_found(connection); }
int cpostgres_socket(const CPGConnection *connection) { return PQsocket_found(connection); }
int cpostgres_set_nonblocking(CPGConnection *connection) { return PQsetnonblocking_found(connection, 1); }
int cpostgres_enter_pipeline(CPGConnection *connection) { return PQenterPipelineMode_found(connection); }
int cpostgres_exit_pipeline(CPGConnection *connection) { return PQexitPipelineMode_found(connection); }
int cpostgres_send_sync(CPGConnection *connection) { return PQpipelineSync_found(connection); }

int cpostgres_send_prepare(CPGConnection *connection, const char *name, const char *sql, int count,
                           const CPGOid *types) {
    return PQsendPrepare_found(connection, name, sql, count, types);
}

int cpostgres_send_execute(CPGConnection *connection, const char *name, int count,
                           const char *const *values, const int *lengths, const int *formats) {
    return PQsendQueryPrepared_found(connection, name, count, values, lengths, formats, 0);
}

int cpostgres_flush(CPGConnection *connection) { return PQflush_found(connection); }
int cpostgres_consume(CPGConnection *connection) { return PQconsumeInput_found(connection); }
int cpostgres_is_busy(CPGConnection *connection) { return PQisBusy_found(connection); }
CPGResult *cpostgres_result(CPGConnection *connection) { return PQgetResult_found(connection); }

int cpostgres_result_status(const CPGResult *result) { return PQresultStatus_found(result); }
const char *cpostgres_result_field(const CPGResult *result, int field) {
    return PQresultErrorField_found(result, field);
}
int cpostgres_result_rows(const CPGResult *result) { return PQntuples_found(result); }
int cpostgres_result_columns(const CPGResult *result) { return PQnfields_found(result); }
const char *cpostgres_result_value(const CPGResult *result, int row, int column) {
    return PQgetisnull_found(result, row, column) ? NULL : PQgetvalue_found(result, row, column);
}
const char *cpostgres_result_name(const CPGResult *result, int column) {
    return PQfname_found(result, column);
}

int cpostgres_result_length(const CPGResult *result, int row, int column) {
    return PQgetlength_found(result, row, column);
}
void cpostgres_result_clear(CPGResult *result) { PQclear_found(result); }

int cpostgres_can_parse(const char *text) {
    char *words = NULL;
    PQconninfoOption *options = PQconninfoParse_found(text, &words);
    if (words != NULL) PQfreemem_found(words);
    if (options == NULL) return 0;
    PQconninfoFree_found(options);
    return 1;
}
