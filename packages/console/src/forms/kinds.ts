import { useQuery } from '@tanstack/react-query'
import { attributesOf, useHostAttributes } from '../api/model.ts'
import type { Attribute } from './attributes.ts'
import type { Kind } from './filters.ts'
import { useLevelAttributes } from './levels.ts'

/** The attributes of these objects, by which hosts can be searched. */
export function useAttributesOfKinds(wanted: readonly Kind[]) {
  const loaded: Record<Kind, readonly Attribute[] | undefined> = {
    biz: useQuery({ ...attributesOf('biz'), enabled: wanted.includes('biz') }).data,
    set: useQuery({ ...attributesOf('set'), enabled: wanted.includes('set') }).data,
    module: useQuery({ ...attributesOf('module'), enabled: wanted.includes('module') }).data,
    host: useHostAttributes(),
    object: useLevelAttributes(wanted.includes('object')),
  }
  return {
    of: (kind: Kind): readonly Attribute[] => loaded[kind] ?? [],
    areLoaded: wanted.every((kind) => loaded[kind] !== undefined),
  }
}
