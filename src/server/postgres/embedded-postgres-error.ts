/** An error for the person who starts Overture; its message says what happened and what to do. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError'
}

export const getErrorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** Returns whether the error means a full disk, as reported by Node, PostgreSQL (53100) or its programs. */
export const isDiskFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', '53100'].includes(getErrorCode(error) ?? '') ||
  /No space left on device|Disk quota exceeded/.test(String(error))
