import type { Reader } from './handles.ts'

/** Where nobody else can write, what was read since the last commit still holds; elsewhere it is read every time. */
export async function remembered<T>(reader: Reader, key: string, read: () => Promise<T>): Promise<T> {
  const generation = reader.generation?.()
  if (generation === undefined) return read()
  const known = reader.cache.get<T>(key, generation)
  if (known !== undefined) return known
  const value = await read()
  if (value !== undefined) reader.cache.set(key, generation, value)
  return value
}
