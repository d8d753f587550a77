/*
 * What a browser may do with our answers (docs/replay.md, "Security"). Archived pages are hostile:
 *
 *   (1) Nothing of the content origin connects to anything but the content origin. A policy (CSP)
 *       confines requests, frames and forms; Connection-Allowlist also what that leaves open:
 *       navigation, WebRTC, hints.
 *   (2) Nothing of the content origin reads the control origin, frames it, or opens it: no CORS,
 *       frame-ancestors 'none', Cross-Origin-Resource-Policy.
 *   (3) Raw mementos load nothing, run nothing and send nothing.
 *   (4) Archived pages run in a sandbox without top navigation; no service worker is ever served.
 */
#ifndef REPLAY_POLICY_H
#define REPLAY_POLICY_H

#include "replay/asked.h"

/* Adds the fields that every answer of the origin carries, errors too. The only place that does. */
void policy_add(struct asked *a);

/* Of answers that the HTTP server makes without us. */
#define POLICY_REFUSAL "default-src 'none'; frame-ancestors 'none'; sandbox"

/* Whether a browser asks for the script of a service worker; the answer is given then. */
bool policy_refuses(struct asked *a);

#endif
