import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { errorCodeOf } from '../../common/error-code.ts'
import { fileFault } from '../../common/file-fault.ts'
import { Refusal } from '../../common/refusal.ts'
import { isSigned, type Seal, statementOf } from './statement.ts'

/** Public keys by id. */
export type PublicKeys = ReadonlyMap<string, KeyObject>

/** A prefix of the SHA-256 of the public key (SubjectPublicKeyInfo, DER), which identifies keys across rotations. */
export const keyIdOf = (key: KeyObject): string =>
  createHash('sha256')
    .update(publicPart(key).export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16)

export const publicPart = (key: KeyObject): KeyObject => (key.type === 'private' ? createPublicKey(key) : key)

export const publicPem = (key: KeyObject): string => publicPart(key).export({ type: 'spki', format: 'pem' }).toString()

/** Creates a private key readable by its owner only. Never overwrites a file. */
export async function createKeyFile(path: string): Promise<KeyObject> {
  const { privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(pem)
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (error) {
    throw unusable(path, error)
  }
  return privateKey
}

/** Refuses anything but an Ed25519 private key in PEM. */
export function readPrivateKey(path: string): KeyObject {
  const text = readText(path)
  return ed25519(path, 'private key', () => createPrivateKey(text))
}

const block = /-----BEGIN [A-Z ]+-----[\s\S]*?-----END [A-Z ]+-----/g

/** All public keys of a PEM file; several after a rotation. */
export function readPublicKeys(path: string): PublicKeys {
  const blocks = readText(path).match(block) ?? []
  if (blocks.length === 0) throw new Refusal(`${path} holds no public key: it must be PEM, one block for each key.`)
  const keys = blocks.map((pem) => ed25519(path, 'public key', () => createPublicKey(pem)))
  return new Map(keys.map((key) => [keyIdOf(key), key]))
}

function ed25519(path: string, what: string, make: () => KeyObject): KeyObject {
  let key: KeyObject
  try {
    key = make()
  } catch {
    throw new Refusal(`${path} is not a ${what} in PEM without a passphrase; 'mainline seal-key create' writes one.`)
  }
  if (key.asymmetricKeyType === 'ed25519') return key
  throw new Refusal(`${path} is a key of type ${key.asymmetricKeyType}, and seals are signed with Ed25519.`)
}

const unusable = (path: string, error: unknown): unknown => {
  const fault = fileFault(error)
  if (fault === undefined) return error
  const rule = errorCodeOf(error) === 'EEXIST' ? ', and a key is never overwritten' : ''
  return new Refusal(`${path} cannot be used: ${fault}${rule}.`)
}

export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw unusable(path, error)
  }
}

export const signText = (key: KeyObject, text: string): string => sign(null, Buffer.from(text), key).toString('base64')

/** `unknown`: signed with a key that was not given. */
export type SignatureState = 'unsigned' | 'good' | 'bad' | 'unknown'

export function signatureOf(seal: Seal, keys: PublicKeys): SignatureState {
  if (!isSigned(seal)) return 'unsigned'
  const key = keys.get(seal.key_id)
  if (!key) return 'unknown'
  return verify(null, Buffer.from(statementOf(seal)), key, Buffer.from(seal.signature, 'base64')) ? 'good' : 'bad'
}
