import { describe, expect, test } from 'vitest'
import { mockLookups } from '../../../../test/support/http/mock-lookups.ts'
import { AppError } from '../errors.ts'
import { isPublicAddress, normalizeHost, resolveOutboundHost } from './outbound-host.ts'

const rejectedForms = `
  127.0.0.1 127.0.0.2 127.255.255.254 0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255
  192.168.0.1 192.168.255.255 169.254.169.254 169.254.0.1 169.254.170.2 100.64.0.1 100.100.100.200
  100.127.255.255 168.63.129.16 192.0.0.192 192.0.0.8 192.0.2.1 198.51.100.7 203.0.113.9 198.18.0.1
  198.19.255.255 192.88.99.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255

  :: ::1 0:0:0:0:0:0:0:1 0000:0000:0000:0000:0000:0000:0000:0001 ::2 ::127.0.0.1 ::8.8.8.8
  ::ffff:127.0.0.1 ::ffff:7f00:1 ::FFFF:7F00:0001 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:a9fe:a9fe
  ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 ::ffff:0:8.8.8.8 0:0:0:0:0:ffff:7f00:1
  64:ff9b::127.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b::8.8.8.8 64:ff9b:1::10.0.0.1 64:ff9b:1:fffe::1
  2002:7f00:1:: 2002:a9fe:a9fe::1 2002:0a00:0001::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:10::1
  2001:20::1 2001:db8::1 3fff::1 100::1 5f00::1 4000::1 8000::1 fc00::1 fd00::1 fd00:ec2::254 fdff:ffff::1
  fe80::1 febf::1 fec0::1 ff02::1 ff0e::1 fe80::1%eth0 fe80::1%25eth0 ::1%lo 2001:4860:4860::8888%eth0

  127.1 127.0.1 0 1 2130706433 4294967295 0x7f000001 0x7F.0.0.1 0x7f.1 0177.0.0.1 017700000001 0177.1 127.0.0.01
  010.0.0.1 00000177.0.0.1 0x0a.0.0.1 8.8.8 0x08080808 134744072 1.2.3.4.5 256.1.1.1 a.1 a.0x1 127.0.0.1.
  8.8.8.8. ①②⑦.⓪.⓪.① １２７.０.０.１ 127。0。0。1 [::1] [::ffff:127.0.0.1] [8.8.8.8] 8.8.8.8:25
  localhost localhost. LOCALHOST LocalHost ｌｏｃａｌｈｏｓｔ

  http://8.8.8.8 smtp://mail.example.com mail.example.com:25 mail.example.com/ user@mail.example.com a@127.0.0.1
  mail..example.com .example.com . .. mail.example.com.. a%00b a%2eb a\\b a#b a?b a,b a;b <a> "a" 'a' $(id) \`id\` xn--
  *.example.com a_b@c ${'x'.repeat(64)}.com ${'abcdefg.'.repeat(40)}com
`
  .trim()
  .split(/\s+/)
  .concat(
    '',
    ' ',
    ' 8.8.8.8',
    '8.8.8.8 ',
    'a b.com',
    'mail.example.com\n',
    'mail\r\nRCPT.com',
    'a\0.com',
    '8.8.8.8\0',
  )

describe('a host that a user supplied', () => {
  test(`is rejected when it is private, reserved or spelled unusually (${rejectedForms.length} forms)`, async () => {
    expect(rejectedForms.length).toBeGreaterThanOrEqual(150)
    const accepted: string[] = []
    for (const form of rejectedForms) {
      const error = await resolveOutboundHost(form, { allowPrivate: false }).catch((error: unknown) => error)
      // Only a resolver can reject `xn--` alone.
      const isRejected = error instanceof AppError && (error.code === 'ValidationError' || form === 'xn--')
      if (!isRejected) accepted.push(form)
    }
    expect(accepted).toEqual([])
  })

  test.each([
    ['8.8.8.8', 4],
    ['1.1.1.1', 4],
    ['9.255.255.255', 4],
    ['11.0.0.0', 4],
    ['100.63.255.255', 4],
    ['100.128.0.0', 4],
    ['126.255.255.255', 4],
    ['128.0.0.0', 4],
    ['169.253.255.255', 4],
    ['172.15.255.255', 4],
    ['172.32.0.0', 4],
    ['192.167.255.255', 4],
    ['192.169.0.0', 4],
    ['223.255.255.255', 4],
    ['2606:4700::1111', 6],
    ['2001:4860:4860::8888', 6],
    ['2a00:1450:4001:82a::200e', 6],
  ])('resolves to itself when it is the public address %s', async (address, family) => {
    await expect(resolveOutboundHost(address, { allowPrivate: false })).resolves.toEqual({ address, family })
  })

  test('may be private when the operator allows any host, its name or its address', async () => {
    for (const allowPrivate of [true, ['localhost'], ['LOCALHOST'], ['127.0.0.1', '::1']]) {
      const { address } = await resolveOutboundHost('localhost', { allowPrivate })
      expect(isPublicAddress(address)).toBe(false)
    }
    await expect(resolveOutboundHost('10.0.0.7', { allowPrivate: ['10.0.0.8'] })).rejects.toThrow('private')
  })

  test('is rejected when malformed, even if any host is allowed', async () => {
    for (const form of ['0x7f.1', '127.1', 'fe80::1%eth0', 'a:25', 'mail.example.com\n']) {
      await expect(resolveOutboundHost(form, { allowPrivate: true })).rejects.toThrow('must be a host name')
    }
  })

  test('is named in the error when it cannot be resolved', async () => {
    await expect(resolveOutboundHost('no-such-host.invalid', { allowPrivate: false })).rejects.toMatchObject({
      code: 'ServiceUnavailable',
      message: 'No address was found for no-such-host.invalid.',
    })
  })

  test('has one canonical spelling', () => {
    expect(normalizeHost('SMTP.Example.COM.')).toBe('smtp.example.com')
    expect(normalizeHost('smtp.münchen.example')).toBe('smtp.xn--mnchen-3ya.example')
    expect(normalizeHost('my_mailhog')).toBe('my_mailhog')
    expect(normalizeHost('2A00::1')).toBe('2a00::1')
  })
})

test('concurrent requests for a name share one lookup; later ones look it up again', async () => {
  const lookup = mockLookups(['8.8.8.8'], ['1.1.1.1'])
  const resolve = () => resolveOutboundHost('slow.example', { allowPrivate: false })
  const found = await Promise.all([resolve(), resolve(), resolve()])
  expect(new Set(found.map(({ address }) => address))).toEqual(new Set(['8.8.8.8']))
  expect(lookup).toHaveBeenCalledOnce()
  expect(await resolve()).toMatchObject({ address: '1.1.1.1' })
})
