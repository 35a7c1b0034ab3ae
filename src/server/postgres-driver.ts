import { registerHooks } from 'node:module'

/**
 * Where postgres.js 3.4.9 ends the process, or spoils a connection for good, when the server goes away between two of
 * its writes (porsager/postgres issues 1066, 1154 and 1208, open), or waits for ever. Each text must stand in its
 * source exactly once.
 */
const mendings: Record<string, [string, string][]> = {
  'connection.js': [
    // A statement on a connection that is gone fails like those that were under way on it.
    [
      `    if (stream)
      return queryError(q, Errors.generic('COPY_IN_PROGRESS'`,
      `    if (socket === null)
      return queryError(q, Errors.connection('CONNECTION_CLOSED', options)), true

    if (stream)
      return queryError(q, Errors.generic('COPY_IN_PROGRESS'`,
    ],
    ['    const x = socket.write(chunk, fn)', '    const x = socket !== null && socket.write(chunk, fn)'],
    // A connection that ends while it learns the types is made again, like any other.
    ['return fetchArrayTypes()', 'return fetchArrayTypes().catch(() => undefined)'],
    // A network that swallows everything tells nobody: who owes an answer and says nothing for so long is gone.
    ['    keep_alive,\n', '    keep_alive,\n    answer_timeout,\n'],
    [
      '      const s = StartupMessage()\n',
      `      answer_timeout && socket.setTimeout(answer_timeout).on('timeout', () =>
        (query || sent.length) && socket && socket.destroy(Errors.connection('ANSWER_TIMEOUT', options)))
      const s = StartupMessage()
`,
    ],
    // All that was asked for fails with its connection, and nothing of it is left to the next one: that would take an
    // answer for another statement's, and wait for ever, or put rows behind those of an answer that was cut off.
    [
      `    if (initial)
      return reconnect()

    !hadError && (query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))
`,
      `    const lost = Errors.connection('CONNECTION_CLOSED', options)
    stream && stream.destroy(lost)
    query && queryError(query, lost)
    while (sent.length)
      queryError(sent.shift(), lost)
    stream = query = results = errorResponse = final = null
    result = new Result()
    rows = 0

    if (initial)
      return reconnect()

`,
    ],
    // What was not written yet is nothing to begin the next connection with.
    [
      `    incomings = null
    clearImmediate(nextWriteTimer)
`,
      `    incomings = null
    clearImmediate(nextWriteTimer)
    chunk = nextWriteTimer = null
`,
    ],
  ],
  'index.js': [
    // In milliseconds, 0 waits for ever; and whether a transaction's first statements go along with its begin.
    [
      '    keep_alive      : 60,\n',
      '    keep_alive      : 60,\n    answer_timeout  : 0,\n    begin_unawaited : false,\n',
    ],
    // A transaction whose connection was lost says nothing more on it: by then it may be another's.
    [
      '      , connection\n      , prepare = null',
      '      , connection\n      , lost\n      , hasConnection\n      , prepare = null',
    ],
    [
      'new Promise((_, reject) => connection.onclose = reject)',
      'new Promise((_, reject) => connection.onclose = e => reject(lost = e))',
    ],
    [
      '        q.catch(e => uncaughtError || (uncaughtError = e))\n',
      '        q.catch(e => uncaughtError || (uncaughtError = e))\n        if (lost) return q.reject(lost)\n',
    ],
    // The first statements of a transaction go along with its begin, instead of waiting for the answer to that; what
    // comes after a begin that failed is not sent.
    [
      "      await sql.unsafe('begin ' + options.replace(/[^a-z ]/ig, ''), [], { onexecute }).execute()\n",
      `      const begun = sql.unsafe('begin ' + options.replace(/[^a-z ]/ig, ''), [], { onexecute }).execute()
      begun.catch(e => {
        lost = e
        while (queries.length)
          queries.shift().reject(e)
      })
      if (sql.options.begin_unawaited) {
        await new Promise((resolve, reject) => (hasConnection = resolve, begun.then(resolve, reject)))
        move(connection, reserved)
      } else
        await begun
`,
    ],
    [
      '        scope(connection, fn),\n',
      `        scope(connection, sql => {
          const x = fn(sql)
          return Promise.all([Array.isArray(x) ? Promise.all(x) : x, begun]).then(([result]) => result)
        }),
`,
    ],
    [
      '        ? c.execute(queries.shift())\n        : move(c, reserved)\n    }\n  }\n\n  function move',
      `        ? c.execute(queries.shift())
        : move(c, reserved)
      hasConnection && hasConnection()
    }
  }

  function move`,
    ],
  ],
}

function mend(source: string, mendingsOfFile: [string, string][]): string {
  return mendingsOfFile.reduce((text, [broken, mended]) => {
    if (text.split(broken).length !== 2)
      throw new Error('postgres.js is not the version that postgres-driver.ts mends: look at it again.')
    return text.replace(broken, () => mended)
  }, source)
}

const hooks = registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const mendingsOfFile = mendings[/\/postgres\/src\/([^/]+)$/.exec(url)?.[1] ?? '']
    if (!mendingsOfFile) return loaded
    return { ...loaded, source: mend(Buffer.from(loaded.source as Uint8Array).toString(), mendingsOfFile) }
  },
})

/** postgres.js; everything on the server's side takes it from here. */
export const { default: postgres } = await import('postgres')
hooks.deregister()
