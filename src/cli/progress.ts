const LINE_EVERY_MS = 5_000
const REDRAW_EVERY_MS = 100

export type Progress = Disposable & { update: (text: string) => void }

/** How far long work got: a living line in a terminal, elsewhere a line every few seconds. */
export function openProgress(isQuiet: boolean, stream: NodeJS.WriteStream = process.stderr): Progress {
  if (isQuiet) return { update: () => {}, [Symbol.dispose]: () => {} }
  const everyMs = stream.isTTY ? REDRAW_EVERY_MS : LINE_EVERY_MS
  let writtenAt = performance.now() - (stream.isTTY ? everyMs : 0)
  let isDrawn = false
  return {
    update: text => {
      if (performance.now() - writtenAt < everyMs) return
      writtenAt = performance.now()
      isDrawn = true
      stream.write(stream.isTTY ? `\r\x1b[K${text}` : `${text}\n`)
    },
    [Symbol.dispose]: () => {
      if (isDrawn && stream.isTTY) stream.write('\r\x1b[K')
    },
  }
}
