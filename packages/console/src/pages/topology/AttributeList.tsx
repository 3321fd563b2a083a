import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { type Attribute, grouped, toWords } from '../../forms/attributes.ts'
import { Button } from '../../kit/Button.tsx'
import { useChanged } from '../../kit/changed.ts'
import { Failure } from '../../kit/Failure.tsx'
import { common } from '../../words/common.ts'
import { moment, useWords } from '../../words/index.ts'
import { type Instance, settersOf } from '../audit/versions.ts'
import './topology.css'

interface AttributeListProps {
  attributes: readonly Attribute[]
  record: Readonly<Record<string, unknown>>
  /** Of this instance: who set each value is shown on request. */
  of: Instance
}

const idOf = ([id]: readonly [string, unknown]) => id

/** Attributes with their values by group, read-only. */
export function AttributeList({ attributes, record, of }: AttributeListProps) {
  const words = useWords(common)
  const [isAsked, setAsked] = useState(false)
  const values = useMemo(() => Object.entries(record), [record])
  const changed = useChanged(`${of.bk_obj_id} ${of.bk_inst_id}`, values, idOf)
  // Read once the pointer is over a value, or when all are asked for.
  const [isPointed, setPointed] = useState(false)
  const setters = useQuery({ ...settersOf(of), enabled: isAsked || isPointed })
  const shown = (attribute: Attribute, value: unknown) =>
    attribute.bk_property_type === 'time' && value ? moment(String(value)) : toWords(attribute, value, words)
  const setterOf = (id: string) => {
    const setter = setters.data?.get(id)
    if (!setter?.op_time) return undefined
    return { text: words.setBy(setter.operator, moment(setter.op_time)), reason: setter.op_reason }
  }
  const shownSetter = (id: string) => {
    const setter = isAsked ? setterOf(id) : undefined
    return (
      setter && (
        <dd className="setter">
          {setter.text}
          {setter.reason && <q>{setter.reason}</q>}
        </dd>
      )
    )
  }
  const titleOf = (id: string) => {
    const setter = setterOf(id)
    return setter && [setter.text, setter.reason].filter(Boolean).join(': ')
  }
  return (
    <div className="attributes">
      <div className="attributes-tools">
        <Button look="quiet" icon="user" busy={isAsked && setters.isLoading} onPress={() => setAsked(!isAsked)}>
          {isAsked ? words.hideSetters : words.showSetters}
        </Button>
      </div>
      {isAsked && setters.error && <Failure error={setters.error} retry={setters.refetch} />}
      {grouped(attributes).map((group) => (
        <section key={group.name}>
          <h3>{group.name}</h3>
          <dl onPointerEnter={() => setPointed(true)}>
            {group.attributes.map((attribute) => (
              <div key={attribute.bk_property_id} className={changed.has(attribute.bk_property_id) ? 'changed' : ''}>
                <dt title={attribute.bk_property_id}>{attribute.bk_property_name}</dt>
                <dd title={titleOf(attribute.bk_property_id)}>
                  {shown(attribute, record[attribute.bk_property_id]) || <span className="quiet">–</span>}
                </dd>
                {shownSetter(attribute.bk_property_id)}
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  )
}
