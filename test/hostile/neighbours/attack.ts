// Runs in a worker thread, so that the CPU time of the attacker does not delay its neighbour: attacks until stopped.
import { parentPort, workerData } from 'node:worker_threads'
import { type Attacked, attackers } from './attackers.ts'

export interface AttackOrder {
  readonly attacker: keyof typeof attackers
  readonly attacked: Attacked
}

const { attacker, attacked } = workerData as AttackOrder
const stopping = new AbortController()
parentPort?.on('message', () => stopping.abort())
const attack = await attackers[attacker](attacked, stopping.signal)
parentPort?.postMessage(attack)
parentPort?.close()
