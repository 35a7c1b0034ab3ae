import { expect, test } from 'vitest'
import { isInternetHost } from './internet-host.ts'

test.each([
  'outreach.acme.com',
  'Outreach.Acme.COM.',
  'example.com',
  'a.local.com',
  '8.8.8.8',
  '[2606:4700::1111]',
])('%s can be a host on the internet', host => {
  expect(isInternetHost(host)).toBe(true)
})

test.each([
  'localhost',
  'app.localhost',
  'overture',
  'office.local',
  'Office.LOCAL.',
  'crm.corp',
  'nas.home.arpa',
  'mail.acme.example',
  '127.0.0.1',
  '192.168.1.20',
  '10.0.0.7',
  '[::1]',
  '[fd00::1]',
])('%s can be a host only on a private network', host => {
  expect(isInternetHost(host)).toBe(false)
})
