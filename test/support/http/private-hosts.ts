const privateAddresses = [
  ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
  ...['169.254.169.254', '100.64.0.1', '168.63.129.16'],
]

/** Returns spellings of an IPv4 address that a URL parser or resolver may accept without DNS. */
function getSpellings(address: string): string[] {
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number]
  const all = ((a * 256 + b) * 256 + c) * 256 + d
  const [hex, octal] = [(part: number) => `0x${part.toString(16)}`, (part: number) => `0${part.toString(8)}`]
  const [high, low] = [(a * 256 + b).toString(16), (c * 256 + d).toString(16)]
  return [
    address,
    `${address}.`,
    `${all}`,
    hex(all),
    hex(all).toUpperCase().replace('0X', '0x'),
    octal(all),
    [a, b, c, d].map(hex).join('.'),
    [a, b, c, d].map(octal).join('.'),
    `${hex(a)}.${b}.${octal(c)}.${d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    address.replaceAll('.', '。'),
    address.replace(/\d/g, digit => String.fromCodePoint(0xff10 + Number(digit))),
    `[::ffff:${address}]`,
    `[::ffff:${high}:${low}]`,
    `[0:0:0:0:0:ffff:${high}:${low}]`,
    `[64:ff9b::${high}:${low}]`,
    `[2002:${high}:${low}::]`,
  ]
}

/** Spellings of non-public addresses as URL hosts, which need no DNS. */
export const privateHosts = [
  ...privateAddresses.flatMap(getSpellings),
  ...[
    '0',
    '127.1',
    '0x7f.1',
    '0177.1',
    '192.0.0.1',
    '198.51.100.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '198.18.0.1',
    '203.0.113.1',
  ],
  ...['[::1]', '[::]', '[fe80::1]', '[fc00::1]', '[fd12:3456::1]', '[ff02::1]', '[2001::1]', '[2001:db8::1]'],
  ...['[0:0:0:0:0:0:0:1]', '[100::1]', '[3fff::1]', '[4000::1]', '[::127.0.0.1]', '[::1%25lo]', '①②⑦.⓪.⓪.①'],
]
