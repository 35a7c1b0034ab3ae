import { openTcpProxy } from '../http/tcp-proxy.ts'
import { Dovecot } from './dovecot.ts'

/**
 * An IMAP server like Gmail's. Flags set the labels: a flagged email has the label `Sent`, and an email has the label
 * `Inbox` unless it is flagged and not answered.
 */
export type Gmail = AsyncDisposable & {
  port: number
  dovecot: Dovecot
  /** Folder and UID of each email whose content was fetched. */
  fetched: string[]
}

/** Opens a Dovecot server with a folder that lists all mail, behind a proxy that adds Gmail's extension. */
export async function openGmail(): Promise<Gmail> {
  const dovecot = await Dovecot.open({ hasAllMail: true })
  const fetched: string[] = []
  let folder = ''
  const rewrite = (change: (text: string) => string) => (data: Buffer) =>
    Buffer.from(change(data.toString('latin1')), 'latin1')
  const proxy = await openTcpProxy(dovecot.port, {
    toServer: rewrite(text => {
      folder = /EXAMINE "?([^"\r]+)/.exec(text)?.[1] ?? folder
      const [, uid] = /UID FETCH (\d+) .*BODY/.exec(text) ?? []
      if (uid) fetched.push(`${folder} ${uid}`)
      return text.replaceAll(/ X-GM-\w+/g, '')
    }),
    toClient: rewrite(text =>
      text
        .replaceAll('CAPABILITY IMAP4rev1', 'CAPABILITY IMAP4rev1 X-GM-EXT-1')
        .replaceAll(/(\* \d+ FETCH \([^{\r]*FLAGS \(([^)]*)\))/g, (_all, head: string, flags: string) => {
          const isSent = flags.includes('Flagged')
          const isInInbox = !isSent || flags.includes('Answered')
          const labels = [...(isSent ? ['Sent'] : []), ...(isInInbox ? ['Inbox'] : [])]
          return `${head} X-GM-LABELS (${labels.map(label => `"\\\\${label}"`).join(' ')})`
        }),
    ),
  })
  return {
    port: proxy.port,
    dovecot,
    fetched,
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]()
      await dovecot[Symbol.asyncDispose]()
    },
  }
}
