import { createSocket } from 'node:dgram'
import { once } from 'node:events'

type Entry = {
  a?: string[]
  txt?: string[]
  mx?: string[]
  srv?: { host: string; port: number }[]
  failure?: number
  /** Queries for the name get no response. */
  isSilent?: boolean
}

/** Records by name: IPv4 addresses, TXT strings, MX hosts, SRV services, or an error code. */
export type Zone = Record<string, Entry | undefined>
export type DnsServer = AsyncDisposable & { address: string; zone: Zone; queries: string[] }

const types = { a: 1, mx: 15, txt: 16, srv: 33 }
const NAME_ERROR = 3

/** Opens a DNS server (RFC 1035) for a zone that the test may change at any time. */
export async function openDnsServer(zone: Zone = {}): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const queries: string[] = []
  socket.on('message', (query, { address, port }) => {
    const { name, type, end } = readQuestion(query)
    queries.push(name)
    const entry = zone[name]
    if (entry?.isSilent) return
    const answers = [
      ...(type === types.a ? (entry?.a ?? []).map(aData) : []),
      ...(type === types.txt ? (entry?.txt ?? []).map(txtData) : []),
      ...(type === types.mx ? (entry?.mx ?? []).map(mxData) : []),
      ...(type === types.srv ? (entry?.srv ?? []).map(srvData) : []),
    ].map(data => record(type, data))
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    // Flags: response, recursion desired and available.
    header.writeUInt16BE(0x8180 | (entry ? (entry.failure ?? 0) : NAME_ERROR), 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(answers.length, 6)
    socket.send(Buffer.concat([header, query.subarray(12, end), ...answers]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    zone,
    queries,
    [Symbol.asyncDispose]: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let offset = 12
  for (let length = query[offset]!; length > 0; length = query[offset]!) {
    labels.push(query.toString('latin1', offset + 1, offset + 1 + length))
    offset += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(offset + 1), end: offset + 5 }
}

/** Returns a record with the question's name and a TTL of 0. */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

/** Encodes the text of a TXT record, split into strings of at most 255 bytes. */
const txtData = (text: string): Buffer =>
  Buffer.concat(
    (text.match(/.{1,255}/gs) ?? ['']).map(piece =>
      Buffer.from(`${String.fromCharCode(piece.length)}${piece}`, 'latin1'),
    ),
  )

const aData = (address: string): Buffer => Buffer.from(address.split('.').map(Number))

const mxData = (host: string): Buffer => Buffer.concat([Buffer.of(0, 10), encodeName(host)])

/** Encodes a service with priority 10 and weight 0. */
const srvData = ({ host, port }: { host: string; port: number }): Buffer => {
  const head = Buffer.of(0, 10, 0, 0, 0, 0)
  head.writeUInt16BE(port, 4)
  return Buffer.concat([head, encodeName(host)])
}

const encodeName = (host: string): Buffer =>
  Buffer.concat([
    ...host
      .split('.')
      .filter(Boolean)
      .map(label => Buffer.from(`${String.fromCharCode(label.length)}${label}`)),
    Buffer.of(0),
  ])
