import { describe, expect, it } from 'vitest'
import { decodeCsv } from '../../server/protocols/csv/decode.ts'
import { decodeCsvFile } from './decode-csv.ts'

const people = 'First name,Last name,Email\nZoë,Müller,zoe@rhein.example\n'
const western = (text: string) => Buffer.from(text, 'latin1')
const utf16 = (text: string) => Buffer.from(text, 'utf16le')

async function decodeOnCommandLine(bytes: Uint8Array): Promise<string> {
  async function* stream() {
    yield bytes
  }
  return (await Array.fromAsync(decodeCsv(stream()))).join('')
}

describe('decodeCsvFile', () => {
  it.each([
    ['ASCII', Buffer.from('Email\nada@analytical.example\n'), 'Email\nada@analytical.example\n'],
    ['an empty file', Buffer.alloc(0), ''],
    ['UTF-8', Buffer.from(people), people],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${people}`), people],
    ['UTF-8 with an invalid byte', Buffer.concat([Buffer.from(people), western('é')]), `${people}\ufffd`],
    ['Windows-1252', western(people), people],
    [
      'Windows-1252 with characters beyond Latin-1',
      Buffer.concat([western(people), Buffer.from([0x80])]),
      `${people}€`,
    ],
    ['UTF-16 with a byte order mark', utf16(`\ufeff${people}`), people],
    ['UTF-16 big-endian with a byte order mark', utf16(`\ufeff${people}`).swap16(), people],
    ['UTF-16 without a byte order mark', utf16(people), people],
  ])('decodes %s as the command line does', async (_format, bytes, text) => {
    expect(decodeCsvFile(bytes)).toBe(text)
    expect(await decodeOnCommandLine(bytes)).toBe(text)
  })

  it.each([
    ['a workbook', Buffer.from('504b030414000600', 'hex'), 'workbook'],
    ['a workbook in the binary format', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'workbook'],
    [
      'text in an undetectable encoding',
      Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]),
      'neither Unicode',
    ],
  ])('rejects %s as the command line does', async (_file, bytes, reason) => {
    expect(() => decodeCsvFile(bytes)).toThrow(reason)
    await expect(decodeOnCommandLine(bytes)).rejects.toThrow(reason)
  })
})
