import { createReadStream } from 'node:fs'
import type { Command } from 'commander'
import { EmailParser, maxEmailBytes } from '../server/protocols/mime/parse.ts'

export function addMailCommands(program: Command): void {
  const mail = program.command('mail').description('what is made of received mail')
  mail
    .command('explain')
    .description(
      'tell replies, automatic replies, bounces and complaints apart; a line of JSON for each file',
    )
    .argument('<file...>', 'raw mails, as mail programs save them (.eml)')
    .addHelpText(
      'after',
      `
A bounce is never trusted from its file alone: only the database knows which mails were ours.

Examples:
  $ overture mail explain returned.eml
  $ overture mail explain Maildir/new/* | jq -r 'select(.kind == "bounce") | .recipients[].address'`,
    )
    .action(explain)
}

async function explain(files: string[]): Promise<void> {
  await using parser = new EmailParser()
  const unread: string[] = []
  for (const file of files) {
    const raw = await readStart(file).catch((fault: Error) => fault)
    if (raw instanceof Error) {
      unread.push(file)
      process.stderr.write(`overture: ${file} can't be read: ${raw.message}\n`)
      continue
    }
    const { kind, why, ...about } = (await parser.classify(raw)).classified
    const recipients = about.recipients.map(one => ({ ...one, status: one.status ?? null }))
    const told = { file, kind, recipients, why, ...(kind === 'bounce' && { trusted: false }) }
    process.stdout.write(`${JSON.stringify(told)}\n`)
  }
  if (unread.length > 0) throw new Error(`${unread.length} of ${files.length} files could not be read.`)
}

/** No more than the parser takes: a file may be a device without an end. */
async function readStart(file: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of createReadStream(file, { end: maxEmailBytes })) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}
