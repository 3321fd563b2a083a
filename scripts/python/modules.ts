import { listProblems } from '@mainline/contract'
import { endpoints } from '../../packages/server/src/commands/openapi.ts'
import { SchemaWriter } from '../../packages/server/src/docs/openapi/schemas.ts'
import { asDocumented } from '../../packages/server/src/http/dialect.ts'
import { OperationWriter } from './operations.ts'
import { TypeWriter } from './types.ts'

const folder = new URL('../../packages/python/mainline_client/', import.meta.url).pathname

const head = (about: string) => `"""${about} Generated from the contract by \`npm run openapi\`: not edited by hand."""

from __future__ import annotations
`

/** The text of each generated module by its file. */
export function generatedModules(): Map<string, string> {
  const schemas = new SchemaWriter(asDocumented.identifiers)
  const types = new TypeWriter()
  const operations = new OperationWriter(schemas, types)
  const methods = endpoints.flatMap((each) => operations.methods(each))
  const constants = endpoints.map((each) => operations.constant(each))
  const components = new TypeWriter()
  for (const [name, schema] of Object.entries(schemas.components)) components.component(name, schema)
  return new Map([
    [`${folder}operations.py`, operationsModule(constants, methods)],
    [`${folder}records.py`, recordsModule([...components.declarations, ...types.declarations])],
    [`${folder}problems.py`, problemsModule()],
  ])
}

const operationsModule = (constants: readonly string[], methods: readonly string[]) => `${head('Every operation.')}
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from .caller import Caller
from .operation import Call, Operation
from .records import *

${constants.join('\n')}


class Operations(Caller):
${methods.join('\n\n')}
`

const recordsModule = (declarations: readonly string[]) => `${head('What operations take and answer.')}
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

${declarations.join('\n\n')}
`

function problemsModule(): string {
  const kinds = listProblems().map(({ kind }) => JSON.stringify(kind))
  const rows = listProblems().map(({ kind, code, status }) => `    (${JSON.stringify(kind)}, ${code}, ${status}),`)
  return `${head('Every way in which a request can fail.')}
from typing import Literal

FailureKind = Literal[
${[...kinds, '"unreachable"', '"unrecognised"'].map((each) => `    ${each},`).join('\n')}
]

PROBLEMS: tuple[tuple[FailureKind, int, int], ...] = (
${rows.join('\n')}
)
"""Kind, \`bk_error_code\` and HTTP status."""
`
}
