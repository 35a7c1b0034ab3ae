/** Returns the index of the turn that is spoken at this second; -1 before the first turn. */
export const findCurrentTurn = (turns: readonly { at: number }[], seconds: number): number =>
  turns.findLastIndex(({ at }) => at <= seconds)
