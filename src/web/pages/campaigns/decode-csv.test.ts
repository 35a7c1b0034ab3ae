import { describe, expect, it } from 'vitest'
import { decodeCsv } from '../../../server/protocols/csv/decode.ts'
import { decodeCsvFile } from './decode-csv.ts'

const people = 'First name,Last name,Email\nZoë,Müller,zoe@rhein.example\n'
const western = (text: string) => Buffer.from(text, 'latin1')
const utf16 = (text: string) => Buffer.from(text, 'utf16le')

async function readByTheCommandLine(bytes: Uint8Array): Promise<string> {
  async function* stream() {
    yield bytes
  }
  return (await Array.fromAsync(decodeCsv(stream()))).join('')
}

describe('a CSV file that is chosen in the web app', () => {
  it.each([
    ['in ASCII', Buffer.from('Email\nada@analytical.example\n'), 'Email\nada@analytical.example\n'],
    ['that is empty', Buffer.alloc(0), ''],
    ['in UTF-8', Buffer.from(people), people],
    ['in UTF-8 with its mark', Buffer.from(`\ufeff${people}`), people],
    [
      'in UTF-8 with a byte gone wrong',
      Buffer.concat([Buffer.from(people), western('é')]),
      `${people}\ufffd`,
    ],
    ['in Windows-1252', western(people), people],
    ['in Windows-1252 beyond Latin-1', Buffer.concat([western(people), Buffer.from([0x80])]), `${people}€`],
    ['in UTF-16 with its mark', utf16(`\ufeff${people}`), people],
    ['in UTF-16, the other way round', utf16(`\ufeff${people}`).swap16(), people],
    ['in UTF-16 without a mark', utf16(people), people],
  ])('%s is read as the command line reads it', async (_kind, bytes, text) => {
    expect(decodeCsvFile(bytes)).toBe(text)
    expect(await readByTheCommandLine(bytes)).toBe(text)
  })

  it.each([
    ['is a workbook', Buffer.from('504b030414000600', 'hex'), 'workbook'],
    ['is an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'workbook'],
    [
      'is in an encoding nobody can know',
      Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]),
      'neither Unicode',
    ],
  ])('that %s is refused, as there', async (_what, bytes, why) => {
    expect(() => decodeCsvFile(bytes)).toThrow(why)
    await expect(readByTheCommandLine(bytes)).rejects.toThrow(why)
  })
})
