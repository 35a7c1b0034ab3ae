import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { classifyEmail } from '../server/email/classify.ts'
import { EmailParser } from '../server/email/parse.ts'

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
    const raw = await readFile(file).catch((fault: Error) => fault)
    if (raw instanceof Error) {
      unread.push(file)
      process.stderr.write(`overture: ${file} can't be read: ${raw.message}\n`)
      continue
    }
    const { kind, recipients, why, isOutOfOffice, returnsAt } = classifyEmail(await parser.parse(raw))
    const trusted = kind === 'bounce' ? { trusted: false } : {}
    process.stdout.write(
      `${JSON.stringify({ file, kind, recipients, why, isOutOfOffice, returnsAt, ...trusted })}\n`,
    )
  }
  if (unread.length > 0) throw new Error(`${unread.length} of ${files.length} files could not be read.`)
}
