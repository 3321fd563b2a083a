// Writes docs/answers.json: the responses of a fresh demo estate to the examples of the API document, in both dialects.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { pino } from 'pino'
import { fillEstate } from '../packages/server/src/commands/demo/estate.ts'
import { endpointsIn } from '../packages/server/src/commands/openapi.ts'
import { readConfig } from '../packages/server/src/common/config.ts'
import { dialectOf } from '../packages/server/src/compat/bk-cmdb.ts'
import { openApi } from '../packages/server/src/docs/openapi/openapi.ts'
import { openService } from '../packages/server/src/service.ts'
import { type ApiDocument, walk } from '../packages/server/src/testing/clients/walk.ts'

const longestList = 2
const mostLines = 3
const isEnvelope = (body: unknown): body is { result: boolean; bk_error_msg: string; data: unknown } =>
  typeof body === 'object' && body !== null && 'bk_error_code' in body && 'result' in body

const cursor = 'NS9kMXYzczBrOGc0cTAwYTdjMWU5MC4wLzIvZWFMOTh0TTI'

/** Short and reproducible: times, random ids and secrets are replaced. */
function shown(value: unknown): unknown {
  if (typeof value === 'string') return stable(value)
  // Milliseconds since 1970.
  if (typeof value === 'number' && value > 1.6e12 && value < 2e12) return 1_769_846_400_000
  if (Array.isArray(value)) return value.slice(0, longestList).map(shown)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, key in volatile ? volatile[key] : shown(each)]),
  )
}

const volatile: Record<string, unknown> = {
  bk_cursor: cursor,
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  duration: 3,
  milliseconds: 0.4,
  lag: 0,
}

const stable = (text: string) =>
  text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|[+-]\d\d:\d\d)/g, '2026-01-31T08:00:00.000+00:00')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '2026-01-31 08:00:00')
    .replace(/\b(?!c0ffee)[0-9a-v]{20}\b/g, 'd1v3s0k8g4q00a7c1e90')
    .replace(/\b[0-9a-f]{64}\b/g, '3b1e'.repeat(16))
    .replace(/\b1[0-9]{12}\b/g, '1769846400000')
    .replace(/^id: \S+$/gm, `id: ${cursor}`)
    .replace(/changed at \d+/, 'changed')

const lines = (text: string) => `${stable(text).trimEnd().split('\n').slice(0, mostLines).join('\n')}\n`

async function answersIn(compat: string): Promise<Record<string, unknown>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'mainline-answers-'))
  const config = readConfig(['--port=0', `--data-dir=${dataDir}`, `--compat=${compat}`], {})
  const service = await openService(config, pino({ level: 'silent' }))
  try {
    await fillEstate(service.storage, config, { hosts: 500, progress: () => {} })
    const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
    const dialect = dialectOf(config)
    const document = openApi(endpointsIn(dialect), dialect) as unknown as ApiDocument
    const answers: Record<string, unknown> = {}
    for await (const { operation, body } of walk(document, url)) {
      if (isEnvelope(body) && !body.result) throw new Error(`${operation.operationId}: ${JSON.stringify(body)}`)
      answers[operation.operationId] =
        typeof body === 'string' ? lines(body) : shown(isEnvelope(body) ? body.data : body)
    }
    return answers
  } finally {
    await service.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const document = await answersIn('document')
const original = await answersIn('bk-cmdb')
const differing = Object.entries(original).filter(([name, answer]) => !isDeepStrictEqual(answer, document[name]))
const answers = { document, 'bk-cmdb': Object.fromEntries(differing) }
writeFileSync(new URL('../docs/answers.json', import.meta.url), `${JSON.stringify(answers, null, 2)}\n`)
