/** Outcome reason of a call that may or may not have taken place. */
export const UNCONFIRMED = 'unconfirmed'
