// Sends a body of so many bytes with node:http, and prints the response. Usage: client-http.mjs URL BYTES TIMES FRAMING
import { request } from 'node:http'

const [url = '', size, times, framing] = process.argv.slice(2)

function attempt() {
  return new Promise((resolve) => {
    const headers = {
      'content-type': 'application/json',
      ...(framing === 'chunked' ? { 'transfer-encoding': 'chunked' } : { 'content-length': size }),
      connection: framing === 'close' ? 'close' : 'keep-alive',
    }
    const sent = request(url, { method: 'POST', headers, agent: false }, async (answer) => {
      try {
        const text = Buffer.concat(await answer.toArray()).toString()
        resolve(`${answer.statusCode} ${JSON.parse(text).bk_error_code}`)
      } catch (error) {
        resolve(error.message)
      }
      sent.destroy()
    })
    sent.on('error', (/** @type {NodeJS.ErrnoException} */ error) => resolve(error.code ?? error.message))
    sent.end(Buffer.alloc(Number(size), 'x'))
  })
}

for (let n = 0; n < Number(times); n++) process.stdout.write(`${await attempt()}\n`)
