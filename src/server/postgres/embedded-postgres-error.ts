/** For the person who starts Overture: one message that says what happened and what to do about it. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError'
}

export const getErrorCode = (fault: unknown): string | undefined =>
  fault instanceof Error && 'code' in fault && typeof fault.code === 'string' ? fault.code : undefined

/** As Node, PostgreSQL (53100) or one of its programs says it. */
export const isDiskFull = (fault: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', '53100'].includes(getErrorCode(fault) ?? '') ||
  /No space left on device|Disk quota exceeded/.test(String(fault))
