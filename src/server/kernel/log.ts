import pino, { type Logger } from 'pino'

export type Log = Logger

/**
 * One line of JSON an event. Lines carry ids and outcomes; what could hold a person's words or a secret is cut out
 * here too, so that a careless call cannot leak it.
 */
export const openLog = (level: string, output: 'stdout' | 'stderr' = 'stdout'): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // Whole names only: looking for them at any depth costs every line more than writing it.
      redact: { paths: ['password', 'token', 'secret', 'body', 'authorization'], censor: '…' },
    },
    // Lines are gathered and written together: a system call a request would cost more than the line itself.
    pino.destination({
      fd: output === 'stdout' ? 1 : 2,
      sync: false,
      minLength: 4096,
      maxLength: 4 * 1024 * 1024,
      periodicFlush: 250,
    }),
  )
