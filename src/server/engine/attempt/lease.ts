/**
 * Duration of a claim on a send or mailbox, unless the worker renews it. When a process is killed, others take over its
 * work within 30 seconds, even on a busy machine.
 */
export const LEASE_MS = 20_000

/** Two renewals in a row may fail before the lease ends. */
export const RENEW_MS = 6_000
