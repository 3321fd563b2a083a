import { type Attribute, grouped, toWords } from '../../forms/attributes.ts'
import { common } from '../../words/common.ts'
import { moment, useWords } from '../../words/index.ts'
import './topology.css'

/** Attributes with their values by group, read-only. */
export function AttributeList({
  attributes,
  record,
}: {
  attributes: readonly Attribute[]
  record: Readonly<Record<string, unknown>>
}) {
  const words = useWords(common)
  const shown = (attribute: Attribute, value: unknown) =>
    attribute.bk_property_type === 'time' && value ? moment(String(value)) : toWords(attribute, value, words)
  return (
    <div className="attributes">
      {grouped(attributes).map((group) => (
        <section key={group.name}>
          <h3>{group.name}</h3>
          <dl>
            {group.attributes.map((attribute) => (
              <div key={attribute.bk_property_id}>
                <dt title={attribute.bk_property_id}>{attribute.bk_property_name}</dt>
                <dd>{shown(attribute, record[attribute.bk_property_id]) || <span className="quiet">–</span>}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  )
}
