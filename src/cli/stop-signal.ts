/** The first SIGINT or SIGTERM asks for an end in order; a second one, then without a listener, ends at once. */
export const stopSignal = (): Promise<void> =>
  new Promise(resolve => {
    const signals = ['SIGINT', 'SIGTERM'] as const
    const stop = () => {
      for (const signal of signals) process.off(signal, stop)
      resolve()
    }
    for (const signal of signals) process.on(signal, stop)
  })
