/**
 * How long a claimed send belongs to its worker unless the worker says again that it lives. Short, because this is
 * how long a killed process holds up what it had begun: with finding and taking it over, no more than 30 seconds.
 */
export const LEASE_MS = 25_000

/** Twice may fail before the lease is lost. */
export const RENEW_MS = 8_000
