/**
 * How long a claimed send, or a mailbox that is read, belongs to its worker unless the worker says again that it lives.
 * Short, because this is how long a killed process holds up what it had begun: with finding and taking it over, also
 * on a busy machine, no more than 30 seconds.
 */
export const LEASE_MS = 20_000

/** Twice may fail before the lease is lost. */
export const RENEW_MS = 6_000

/** About so many mails of a mailbox are under way at a time, so that a slow server holds up nobody else's. */
export const MAILS_PER_MAILBOX = 24
