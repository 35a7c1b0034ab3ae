/** The reason of a call of which nobody could tell whether it took place. */
export const UNCONFIRMED = 'unconfirmed'
