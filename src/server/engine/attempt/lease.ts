/**
 * Time that a claimed send or mailbox belongs to its worker without renewal. When a process is killed, others take
 * over its work after this time: within 30 seconds in total, even on a busy machine.
 */
export const LEASE_MS = 20_000

/** Two renewals in a row may fail before the lease ends. */
export const RENEW_MS = 6_000
