import { type Problem, problem, rule } from '@mainline/contract'
import type { FastifyRequest } from 'fastify'
import { asError } from '../../common/error-code.ts'
import type { HeldBody } from './body-budget.ts'
import { freeBytes } from './free-bytes.ts'

export const tooLarge = (max: number): Problem => problem('tooLarge', { rule: rule('atMostBytes', { max }) })

/** Checks Content-Length, before any of the body is read. */
export function refuseLongBody({ headers }: FastifyRequest, maxBodyBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes)
}

/** Reads a body up to the limit of its operation; `held` counts the bytes against the memory budget. */
export function readBody(
  request: FastifyRequest,
  maxBodyBytes: number,
  payload: NodeJS.ReadableStream,
  held: HeldBody,
  done: (error: Error | null, bytes?: Buffer) => void,
): void {
  const announced = request.headers['content-length']
  const parts = new Parts()

  const end = (error: Error | null) => {
    payload.off('data', take)
    payload.off('end', finish)
    payload.off('error', end)
    if (!error) return done(null, parts.joined())
    parts.free()
    done(error)
  }
  const finish = () =>
    end(announced === undefined || Number(announced) === parts.length ? null : problem('malformedJson'))
  const take = (part: Buffer) => {
    try {
      if (parts.length + part.length > maxBodyBytes) throw tooLarge(maxBodyBytes)
      held.add(part.length)
    } catch (error) {
      return end(asError(error))
    }
    parts.add(part)
  }
  payload.on('data', take)
  payload.on('end', finish)
  payload.on('error', end)
  payload.resume()
}

const smallPart = 4_096
const packLength = 16_384

/**
 * The chunks received so far; usually one, which is the whole body. Small chunks after the first are merged: a body sent byte by byte
 * would otherwise take a hundred times its size in memory.
 */
class Parts {
  #first: Buffer | undefined
  readonly #parts: Buffer[] = []
  #pack = noBytes
  #packed = 0
  length = 0

  add(part: Buffer): void {
    this.length += part.length
    if (!this.#first) this.#first = part
    else if (part.length < smallPart) {
      if (this.#packed + part.length > this.#pack.length) {
        this.#seal()
        this.#pack = Buffer.allocUnsafe(packLength)
      }
      this.#packed += part.copy(this.#pack, this.#packed)
    } else {
      this.#seal()
      this.#parts.push(part)
    }
  }

  joined(): Buffer {
    const first = this.#first ?? noBytes
    if (first.length === this.length) return first
    this.#seal()
    const whole = Buffer.concat([first, ...this.#parts], this.length)
    this.free()
    return whole
  }

  free(): void {
    for (const part of [this.#first ?? noBytes, ...this.#parts]) freeBytes(part)
  }

  #seal(): void {
    if (this.#packed > 0) this.#parts.push(this.#pack.subarray(0, this.#packed))
    this.#pack = this.#pack.subarray(this.#packed)
    this.#packed = 0
  }
}

const noBytes = Buffer.alloc(0)
