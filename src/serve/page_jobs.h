// serve/page_jobs.h - pages that are asked for, made by the command in processes of their own. Private.
//
// Whoever asks for a page that is being made waits for the same one: a thousand requests are one process. The last few
// are kept. Two are made at a time, whatever waits: runs are large, and the machine has other things to do.
#pragma once

#include <microhttpd.h>

#include "serve/served.h"

typedef struct ssi_page_jobs ssi_page_jobs;
typedef struct ssi_page_job ssi_page_job;

// NULL: no memory, or no threads. Texts are copied.
ssi_page_jobs *ssi_page_jobs_create(const char *program, double seconds);
// Ends the processes and wakes up who waits; then nobody may ask any more.
void ssi_page_jobs_stop(ssi_page_jobs *jobs);
void ssi_page_jobs_destroy(ssi_page_jobs *jobs);  // NULL allowed

// The page of this file, to be given back by ssi_page_job_leave. Where it is not there yet the connection is suspended
// until it is, and *ready is false. NULL: too many wait.
ssi_page_job *ssi_page_job_join(ssi_page_jobs *jobs, const ssi_served *file,
                                struct MHD_Connection *c, bool *ready);
void ssi_page_job_leave(ssi_page_jobs *jobs, ssi_page_job *job);

// Of one that is ready: the page; NULL: there is none, and why, with the exit status of the command (-1: it did not come to one).
struct MHD_Response *ssi_page_job_page(const ssi_page_job *job);
const char *ssi_page_job_message(const ssi_page_job *job, int *exit_status);
