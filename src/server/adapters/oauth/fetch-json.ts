import { fetchOutbound } from '../../kernel/net/outbound-fetch.ts'
import type { AllowPrivate } from '../../kernel/net/outbound-host.ts'

/** Fetches a JSON document from an untrusted https URL. Throws if that fails or the response isn't JSON. */
export async function fetchJson(url: URL, allowPrivate: AllowPrivate): Promise<unknown> {
  const response = await fetchOutbound(url, allowPrivate)
  if (response.status !== 200) throw new Error(`the response status is ${response.status}`)
  if (!/^application\/([\w.-]+\+)?json\b/i.test(response.headers.get('content-type') ?? '')) {
    throw new Error('the content type must be JSON')
  }
  return response.json()
}
