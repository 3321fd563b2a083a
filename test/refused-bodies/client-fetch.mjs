// Sends a body of so many bytes with fetch, and prints the response. Usage: client-fetch.mjs URL BYTES TIMES FRAMING
const [url = '', size, times, framing] = process.argv.slice(2)

function* parts() {
  for (let left = Number(size); left > 0; left -= 65_536) yield Buffer.alloc(Math.min(left, 65_536), 'x')
}

async function attempt() {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(framing === 'close' && { connection: 'close' }) },
      ...(framing === 'chunked'
        ? { body: ReadableStream.from(parts()), duplex: 'half' }
        : { body: Buffer.alloc(Number(size), 'x') }),
    })
    const { bk_error_code } = JSON.parse(await answer.text())
    return `${answer.status} ${bk_error_code}`
  } catch (error) {
    return `${error.message}: ${error.cause?.code ?? error.cause?.message}`
  }
}

for (let n = 0; n < Number(times); n++) process.stdout.write(`${await attempt()}\n`)
