import { Failure } from '@mainline/client'
import { Refusal } from '../common/refusal.ts'
import { exitCodes, readGiven } from './arguments/usage.ts'
import type { ClientCommand } from './catalogue.ts'
import { reasonOf } from './connection/connection.ts'
import { OutputClosed } from './output/output.ts'

export async function runClientCommand(name: string, command: ClientCommand, args: readonly string[]): Promise<void> {
  const given = readGiven(name, command, args)
  try {
    await (await command.load())(given)
  } catch (error) {
    // The reading process has closed the pipe: no error.
    if (error instanceof OutputClosed) return
    throw error instanceof Failure ? refusalOf(error) : error
  }
}

function refusalOf(failure: Failure): Refusal {
  const { kind, text, requestId, code } = failure
  if (kind === 'unreachable' || kind === 'unrecognised') {
    const hint = "Select the server with --server, MAINLINE_SERVER or 'mainline profile use'."
    return new Refusal(`No Mainline answered: ${reasonOf(failure)}. ${hint}`, exitCodes.unreachable)
  }
  const known = [code && `code ${code}`, requestId && `request ${requestId}`].filter(Boolean).join(', ')
  const hint = kind === 'unauthenticated' ? " Authenticate with MAINLINE_TOKEN or 'mainline profile add'." : ''
  return new Refusal(`The server rejected the request: ${text} (${known}).${hint}`, exitCodes.refused)
}
