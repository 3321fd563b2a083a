import { type Attribute, grouped, toWords } from '../../forms/attributes.ts'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import './topology.css'

/** Attributes with their values, to read, group by group. */
export function AttributeList({
  attributes,
  record,
}: {
  attributes: readonly Attribute[]
  record: Readonly<Record<string, unknown>>
}) {
  const words = useWords(common)
  return (
    <div className="attributes">
      {grouped(attributes).map((group) => (
        <section key={group.name}>
          <h3>{group.name}</h3>
          <dl>
            {group.attributes.map((attribute) => (
              <div key={attribute.bk_property_id}>
                <dt title={attribute.bk_property_id}>{attribute.bk_property_name}</dt>
                <dd>
                  {toWords(attribute, record[attribute.bk_property_id], words) || <span className="quiet">–</span>}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  )
}
