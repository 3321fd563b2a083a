import type { Attribute } from '../../forms/attributes.ts'
import type { Kind } from '../../forms/filters.ts'
import { type Column, ids } from './definition.ts'

export type AttributesOfKind = (kind: Kind) => readonly Attribute[]

/** The title of a column; an id is not an attribute of the model. */
export const columnName = (attributes: readonly Attribute[], { object, field }: Column): string =>
  attributes.find((each) => each.bk_property_id === field)?.bk_property_name ?? (field === ids[object] ? 'ID' : field)
