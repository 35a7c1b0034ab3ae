import { createReadStream } from 'node:fs'
import type { Command } from 'commander'
import { EmailParser, maxEmailBytes } from '../server/protocols/mime/parse.ts'

export function addMailCommands(program: Command): void {
  const mail = program.command('mail').description('Inspect received email')
  mail
    .command('explain')
    .description('Classify email files as reply, automatic reply, bounce or complaint')
    .argument('<file...>', 'Raw email files (.eml)')
    .addHelpText(
      'after',
      `
Prints one JSON object per file. Bounces are never trusted: only the database knows which emails Overture sent.

Examples:
  $ overture mail explain returned.eml
  $ overture mail explain Maildir/new/* | jq -r 'select(.kind == "bounce") | .recipients[].address'`,
    )
    .action(explain)
}

async function explain(files: string[]): Promise<void> {
  await using parser = new EmailParser()
  const unreadable: string[] = []
  for (const file of files) {
    const raw = await readHead(file).catch((error: Error) => error)
    if (raw instanceof Error) {
      unreadable.push(file)
      process.stderr.write(`overture: cannot read ${file}: ${raw.message}\n`)
      continue
    }
    const { kind, reason, ...rest } = (await parser.classify(raw)).classified
    const recipients = rest.recipients.map(recipient => ({ ...recipient, status: recipient.status ?? null }))
    const result = { file, kind, recipients, reason, ...(kind === 'bounce' && { trusted: false }) }
    process.stdout.write(`${JSON.stringify(result)}\n`)
  }
  if (unreadable.length > 0)
    throw new Error(`${unreadable.length} of ${files.length} files could not be read.`)
}

/** Reads only as much as the parser accepts: the file may be an endless device. */
async function readHead(file: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of createReadStream(file, { end: maxEmailBytes })) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
