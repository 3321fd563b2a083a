interface Cookie {
  readonly value: string
  readonly path: string
  readonly attributes: string
}

/** Fetches like a browser: stores cookies by origin and path, and follows redirects one by one. */
export class CookieJar {
  readonly #kept = new Map<string, Cookie>()

  async fetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const { origin, pathname } = new URL(url)
    const sent = [...this.#kept]
      .filter(([key, { path }]) => key.startsWith(`${origin} `) && pathname.startsWith(path))
      .map(([key, { value }]) => `${key.split(' ')[1]}=${value}`)
    const headers = new Headers(init.headers)
    if (sent.length > 0) headers.set('cookie', sent.join('; '))
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) this.#keep(origin, line)
    return answer
  }

  /** Until the answer is not a redirect. */
  async follow(url: string | URL, stopAt?: (url: URL) => boolean): Promise<{ url: URL; answer: Response | undefined }> {
    for (let at = new URL(url), steps = 0; steps < 20; steps++) {
      if (stopAt?.(at)) return { url: at, answer: undefined }
      const answer = await this.fetch(at)
      const location = answer.headers.get('location')
      if (location === null) return { url: at, answer }
      at = new URL(location, at)
    }
    throw new Error('redirected in circles')
  }

  find(origin: string, name: string): Cookie | undefined {
    return this.#kept.get(`${origin} ${name}`)
  }

  put(origin: string, name: string, value: string): void {
    this.#kept.set(`${origin} ${name}`, { value, path: '/', attributes: '' })
  }

  #keep(origin: string, line: string): void {
    const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(line) ?? []
    const path = /; *path=([^;]+)/i.exec(attributes)?.[1] ?? '/'
    const gone = value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(attributes)
    if (gone) this.#kept.delete(`${origin} ${name}`)
    else this.#kept.set(`${origin} ${name}`, { value, path, attributes })
  }
}
