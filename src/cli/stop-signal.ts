/** Resolves at the first SIGINT or SIGTERM, for a graceful stop; a second one then ends the process immediately. */
export const waitForStopSignal = (): Promise<void> =>
  new Promise(resolve => {
    const signals = ['SIGINT', 'SIGTERM'] as const
    const stop = () => {
      for (const signal of signals) process.off(signal, stop)
      resolve()
    }
    for (const signal of signals) process.on(signal, stop)
  })
