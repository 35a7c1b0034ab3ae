import type { Contact } from './message.ts'

const pattern =
  /^(?:"?(?<name>[^"<>]*?)"?\s*<(?<bracketed>[^\s<>@]+@[^\s<>@]+\.[^\s<>@]+)>|(?<bare>[^\s<>@]+@[^\s<>@]+\.[^\s<>@]+))$/

/** Parses addresses such as `Ada Byron <ada@acme.example>, bob@acme.example`. Returns undefined when one is invalid. */
export function parseContacts(text: string): Contact[] | undefined {
  const contacts: Contact[] = []
  for (const part of text.split(/[,;\n]/).map(part => part.trim())) {
    if (part === '') continue
    const { name, bracketed, bare } = pattern.exec(part)?.groups ?? {}
    const email = bracketed ?? bare
    if (!email) return undefined
    contacts.push({ name: name?.trim() || email, email })
  }
  return contacts
}
