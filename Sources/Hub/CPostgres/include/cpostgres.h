#pragma once

/* libpq, found when the program runs: a hub on SQLite needs neither the library nor its headers.

   The functions and constants are those of libpq's soname 5, which only ever grows; the source holds their
   types against libpq-fe.h wherever that is installed. (postgresql.org/docs/current/libpq.html) */

typedef struct pg_conn CPGConnection;
typedef struct pg_result CPGResult;
typedef unsigned int CPGOid;

/* ConnStatusType */
enum { CPG_CONNECTION_OK = 0 };

/* ExecStatusType */
enum {
    CPG_RESULT_EMPTY = 0,
    CPG_RESULT_COMMAND = 1,
    CPG_RESULT_ROWS = 2,
    CPG_RESULT_PIPELINE_SYNC = 10,
    CPG_RESULT_PIPELINE_ABORTED = 11
};

/* PG_DIAG_* */
enum { CPG_FIELD_SQLSTATE = 'C', CPG_FIELD_MESSAGE = 'M' };

/* Loads the library once; 0 when it is there with everything that is needed. Safe from any thread. */
int cpostgres_load(void);
/* Why the library could not be loaded; for after a failed cpostgres_load. */
const char *cpostgres_load_error(void);

/* The rest may be called only after cpostgres_load has answered 0. */
CPGConnection *cpostgres_connect(const char *const *keywords, const char *const *values);
int cpostgres_status(const CPGConnection *connection);
const char *cpostgres_error(const CPGConnection *connection);
void cpostgres_finish(CPGConnection *connection);
int cpostgres_socket(const CPGConnection *connection);
int cpostgres_set_nonblocking(CPGConnection *connection);
int cpostgres_enter_pipeline(CPGConnection *connection);
int cpostgres_exit_pipeline(CPGConnection *connection);
int cpostgres_send_sync(CPGConnection *connection);
int cpostgres_send_prepare(CPGConnection *connection, const char *name, const char *sql, int count,
                           const CPGOid *types);
/* Parameters are binary, results are text. */
int cpostgres_send_execute(CPGConnection *connection, const char *name, int count,
                           const char *const *values, const int *lengths, const int *formats);
int cpostgres_flush(CPGConnection *connection);
int cpostgres_consume(CPGConnection *connection);
int cpostgres_is_busy(CPGConnection *connection);
CPGResult *cpostgres_result(CPGConnection *connection);

int cpostgres_result_status(const CPGResult *result);
const char *cpostgres_result_field(const CPGResult *result, int field);
int cpostgres_result_rows(const CPGResult *result);
int cpostgres_result_columns(const CPGResult *result);
/* The name of a column, from 0; null for none. */
const char *cpostgres_result_name(const CPGResult *result, int column);
/* Null for SQL's NULL. */
const char *cpostgres_result_value(const CPGResult *result, int row, int column);
int cpostgres_result_length(const CPGResult *result, int row, int column);
void cpostgres_result_clear(CPGResult *result);

/* Whether libpq can read `text` as a connection string. */
int cpostgres_can_parse(const char *text);
