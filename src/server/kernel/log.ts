import pino, { type Logger } from 'pino'

export type Log = Logger

/**
 * Opens a log of JSON lines. Lines contain IDs and outcomes. Fields that could hold personal text or secrets are also
 * redacted here, so that a careless call can't leak them.
 */
export const openLog = (level: string, output: 'stdout' | 'stderr' = 'stdout'): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // Only top-level names, because searching at any depth would cost more than writing the line.
      redact: { paths: ['password', 'token', 'secret', 'body', 'authorization'], censor: '…' },
    },
    openDestination(output === 'stdout' ? 1 : 2),
  )

/** Opens an output that never fails: while a disk is full, it keeps up to 4 MB of lines and drops the rest. */
function openDestination(fd: number): ReturnType<typeof pino.destination> {
  // Buffers lines, because one system call per request would cost more than the line itself.
  const destination = pino.destination({
    fd,
    sync: false,
    minLength: 4096,
    maxLength: 4 * 1024 * 1024,
    periodicFlush: 250,
  })
  // The next flush tries again.
  destination.on('error', () => {})
  // Pino calls this when the process exits. The original would try forever to write to a full disk; `end` tries once.
  destination.flushSync = () => {
    leaveWriteInFlight(destination as unknown as Buffered)
    Object.assign(destination, { sync: true }).end()
  }
  return destination
}

/** Internal fields of the destination. `_len` counts the bytes not yet written, including those in flight. */
type Buffered = { _writing: boolean; _writingBuf: string | Buffer; _len: number }

/** Prepares for `end`, which would otherwise wait for the write in flight; the write completes as the process exits. */
function leaveWriteInFlight(destination: Buffered): void {
  if (!destination._writing) return
  destination._writing = false
  destination._len -= Buffer.byteLength(destination._writingBuf)
  destination._writingBuf = ''
}
