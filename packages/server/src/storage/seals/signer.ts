import { spawn } from 'node:child_process'
import { type KeyObject, verify } from 'node:crypto'
import type { ServeConfig } from '../../common/config.ts'
import { misused, Refusal } from '../../common/refusal.ts'
import { keyIdOf, type PublicKeys, publicPart, readPrivateKey, readPublicKeys, signText } from './keys.ts'

/** Signs seals with a key that is kept outside of the database. */
export interface Signer {
  readonly keyId: string
  readonly keys: PublicKeys
  /** Rejects if signing fails now; immediately when aborted. */
  sign(text: string, signal?: AbortSignal): Promise<string>
}

type SignerConfig = Pick<ServeConfig, 'sealKey' | 'sealCommand' | 'sealPublicKey'>

/** Time limit of the command. Changes do not wait for it, only the next seal does. */
const commandTimeoutMs = 10_000
const maxOutputBytes = 4_096

/** Undefined without a key. Refuses a key that cannot sign at start-up. */
export function openSigner({ sealKey, sealCommand, sealPublicKey }: SignerConfig): Signer | undefined {
  if (sealKey !== '' && sealCommand !== '') {
    throw misused('MAINLINE_SEAL_KEY and MAINLINE_SEAL_COMMAND are both set: seals are signed with one key.')
  }
  if (sealKey !== '') {
    const key = readPrivateKey(sealKey)
    return { ...named(key), sign: async (text) => signText(key, text) }
  }
  if (sealCommand === '') return undefined
  if (sealPublicKey === '') {
    throw misused('MAINLINE_SEAL_COMMAND needs MAINLINE_SEAL_PUBLIC_KEY, the public key of what it signs with.')
  }
  const [key, ...others] = readPublicKeys(sealPublicKey).values()
  if (!key || others.length > 0) throw new Refusal(`${sealPublicKey} must hold one public key, that of the command.`)
  return { ...named(key), sign: (text, signal) => signByCommand(sealCommand, key, text, signal) }
}

const named = (key: KeyObject) => ({ keyId: keyIdOf(key), keys: new Map([[keyIdOf(key), publicPart(key)]]) })

/** The command's output is verified: a seal with a wrong signature would look forged. */
async function signByCommand(command: string, key: KeyObject, text: string, signal?: AbortSignal): Promise<string> {
  const signature = (await outputOf(command, text, signal)).trim()
  if (verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))) return signature
  throw new Error('the seal command printed no base64 Ed25519 signature of its input that fits the public key')
}

function outputOf(command: string, input: string, signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    // In its own process group, so that child processes of the shell can be killed with it.
    const child = spawn(command, { shell: true, detached: true, stdio: ['pipe', 'pipe', 'ignore'] })
    let output = ''
    let failure: Error | undefined
    const end = (why: string) => {
      failure ??= new Error(`the seal command ${why}`)
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It has exited already.
      }
    }
    const stop = () => end('was interrupted by the stop of the server')
    const deadline = setTimeout(() => end(`took more than ${commandTimeoutMs / 1_000} s`), commandTimeoutMs)
    signal?.addEventListener('abort', stop, { once: true })
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      if (output.length > maxOutputBytes) end(`printed more than ${maxOutputBytes} bytes`)
    })
    // EPIPE from a command that does not read its input is ignored; its exit code decides.
    child.stdin.on('error', () => {}).end(input)
    const finish = (error: Error | undefined) => {
      clearTimeout(deadline)
      signal?.removeEventListener('abort', stop)
      if (error) reject(error)
      else resolve(output)
    }
    child.on('error', finish)
    child.on('close', (code) =>
      finish(failure ?? (code === 0 ? undefined : new Error(`the seal command failed with exit code ${code}`))),
    )
  })
}
