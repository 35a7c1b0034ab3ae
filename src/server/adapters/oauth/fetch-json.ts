import { fetchOutbound } from '../../kernel/net/outbound-fetch.ts'
import type { AllowPrivate } from '../../kernel/net/outbound-host.ts'

/** Reads a JSON document from an https address that somebody else named. Throws whatever went wrong. */
export async function fetchJson(url: URL, allowPrivate: AllowPrivate): Promise<unknown> {
  const response = await fetchOutbound(url, allowPrivate)
  if (response.status !== 200) throw new Error(`the address answers ${response.status}`)
  if (!/^application\/([\w.-]+\+)?json\b/i.test(response.headers.get('content-type') ?? '')) {
    throw new Error('the document is no JSON')
  }
  return response.json()
}
