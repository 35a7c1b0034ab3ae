/** A minimal browser for consent pages: keeps cookies, follows redirects and submits the form. */
export class Browser {
  readonly #origin: string
  /** Cookies by name and path, as browsers keep them. */
  readonly #cookies = new Map<string, { name: string; value: string; path: string }>()

  /** Creates a browser; `cookie` is a session cookie as `name=value`. */
  constructor(origin: string, cookie?: string) {
    this.#origin = origin
    if (cookie) this.setCookie(cookie)
  }

  setCookie(cookie: string): void {
    const [name = '', value = ''] = cookie.split('=')
    this.#cookies.set(`${name} /`, { name, value, path: '/' })
  }

  async request(url: string, init: RequestInit = {}): Promise<Response> {
    const { pathname } = new URL(url)
    const cookies = [...this.#cookies.values()].filter(({ path }) => pathname.startsWith(path))
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: {
        cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
        ...(init.headers as Record<string, string>),
      },
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      const path = /; *path=([^;]*)/i.exec(cookie)?.[1] ?? '/'
      if (/expires=Thu, 01 Jan 1970/i.test(cookie)) this.#cookies.delete(`${name} ${path}`)
      else this.#cookies.set(`${name} ${path}`, { name, value, path })
    }
    return response
  }

  /** Follows redirects within the origin. Returns the last response; `leadsTo` is a redirect to another origin. */
  async open(
    url: string,
    init?: RequestInit,
  ): Promise<{ response: Response; url: string; leadsTo?: string }> {
    let current = url
    let response = await this.request(current, init)
    for (let hops = 0; hops < 10; hops++) {
      const location = response.headers.get('location')
      if (!location || response.status < 300 || response.status > 399) return { response, url: current }
      const next = new URL(location, current)
      if (next.origin !== this.#origin) return { response, url: current, leadsTo: next.href }
      current = next.href
      response = await this.request(current)
    }
    throw new Error('too many redirects')
  }

  /** Opens an authorization request and submits the decision, for the suggested account or another account. */
  async answer(
    url: string,
    decision: 'allow' | 'deny' = 'allow',
    accountId?: string,
  ): Promise<{ response: Response; url: string; leadsTo?: string }> {
    const page = await this.open(url)
    if (page.leadsTo) return page
    const html = await page.response.text()
    const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1]
    if (!csrf) throw new Error(`no consent page: ${page.response.status} ${html}`)
    const account = accountId ?? /name="account".*?value="([^"]+)"/s.exec(html)![1]!
    return this.open(page.url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: this.#origin },
      body: new URLSearchParams({ csrf, decision, account }).toString(),
    })
  }

  /** Decides on the authorization request and returns the URL that receives the code. */
  async decide(url: string, decision: 'allow' | 'deny' = 'allow', accountId?: string): Promise<string> {
    const { response, leadsTo } = await this.answer(url, decision, accountId)
    if (!leadsTo) throw new Error(`no redirect to the client: ${await response.text()}`)
    return leadsTo
  }
}
