// Writes docs/asyncapi.json, the document of the events that a server sends.
import { writeFileSync } from 'node:fs'
import { asyncApi } from '../packages/server/src/docs/asyncapi/asyncapi.ts'
import { compactJson } from '../packages/server/src/docs/openapi/compact-json.ts'

writeFileSync('docs/asyncapi.json', `${compactJson(asyncApi())}\n`)
