import { constants } from 'node:os'
import { isatty } from 'node:tty'

/** Error thrown when a command is interrupted. The exit code is the one that shells use for the signal. */
export class StopError extends Error {
  override name = 'StopError'
  readonly exitCode: number

  constructor(signal: NodeJS.Signals) {
    super('Interrupted.')
    this.exitCode = 128 + constants.signals[signal]
  }
}

/**
 * Returns a signal that aborts with a StopError on SIGINT or SIGTERM, or when the terminal closes, for a graceful stop.
 * A second SIGINT or SIGTERM ends the process immediately.
 */
export function openStopSignal(report: (message: string) => void): AbortSignal {
  const stopping = new AbortController()
  const stop = (signal: NodeJS.Signals) => {
    process.off('SIGINT', stop).off('SIGTERM', stop)
    if (stopping.signal.aborted) return
    report('Stopping…')
    stopping.abort(new StopError(signal))
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  // A process without a terminal may run under nohup and must then survive SIGHUP, but Node resets nohup's setting
  // that ignores the signal. The handler is never removed, because the shell and the system may each send the signal.
  const hasTerminal = [0, 1, 2].some(isatty)
  process.on('SIGHUP', signal => hasTerminal && stop(signal))
  return stopping.signal
}
