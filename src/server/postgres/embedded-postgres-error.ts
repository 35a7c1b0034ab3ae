/** For the person who starts Overture: one message that says what happened and what to do about it. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError'
}

export const getErrorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** As Node, PostgreSQL (53100) or one of its programs says it. */
export const isDiskFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', '53100'].includes(getErrorCode(error) ?? '') ||
  /No space left on device|Disk quota exceeded/.test(String(error))
