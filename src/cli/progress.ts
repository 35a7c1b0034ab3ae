const LOG_INTERVAL_MS = 5_000
const REDRAW_INTERVAL_MS = 100

type Progress = Disposable & { update: (text: string) => void }

/** Shows progress as a line that is redrawn in a terminal, and as a log line every few seconds elsewhere. */
export function openProgress(isQuiet: boolean, stream: NodeJS.WriteStream = process.stderr): Progress {
  if (isQuiet) return { update: () => {}, [Symbol.dispose]: () => {} }
  const intervalMs = stream.isTTY ? REDRAW_INTERVAL_MS : LOG_INTERVAL_MS
  let writtenAt = performance.now() - (stream.isTTY ? intervalMs : 0)
  let isDrawn = false
  return {
    update: text => {
      if (performance.now() - writtenAt < intervalMs) return
      writtenAt = performance.now()
      isDrawn = true
      stream.write(stream.isTTY ? `\r\x1b[K${text}` : `${text}\n`)
    },
    [Symbol.dispose]: () => {
      if (isDrawn && stream.isTTY) stream.write('\r\x1b[K')
    },
  }
}
