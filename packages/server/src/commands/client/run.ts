import { Failure } from '@mainline/client'
import { Refusal } from '../../platform/refusal.ts'
import type { ClientCommand } from './catalogue.ts'
import { reasonOf } from './connection.ts'
import { OutputClosed } from './output.ts'
import { exitCodes, readGiven } from './usage.ts'

export async function runClientCommand(name: string, command: ClientCommand, args: readonly string[]): Promise<void> {
  const given = readGiven(name, command, args)
  try {
    await (await command.load())(given)
  } catch (error) {
    // Whoever reads has seen enough.
    if (error instanceof OutputClosed) return
    throw error instanceof Failure ? refusalOf(error) : error
  }
}

function refusalOf(failure: Failure): Refusal {
  const { kind, text, requestId, code } = failure
  if (kind === 'unreachable' || kind === 'unrecognised') {
    const hint = "Which server is asked: --server, MAINLINE_SERVER or 'mainline profile use'."
    return new Refusal(`No Mainline answered: ${reasonOf(failure)}. ${hint}`, exitCodes.unreachable)
  }
  const known = [code && `code ${code}`, requestId && `request ${requestId}`].filter(Boolean).join(', ')
  const hint = kind === 'unauthenticated' ? " Say who you are: MAINLINE_TOKEN, or 'mainline profile add'." : ''
  return new Refusal(`The server refused: ${text} (${known}).${hint}`, exitCodes.refused)
}
