import { businesses, privileges, type RolePrivilege } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ask, useChange } from '../../api/ask.ts'
import { account } from '../../api/call.ts'
import { useRefusal } from '../../api/may.ts'
import { attributesOf } from '../../api/model.ts'
import type { Attribute } from '../../forms/attributes.ts'
import { Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { TextField } from '../../kit/Field.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { useWords } from '../../words/index.ts'
import { peopleWords } from '../../words/people.ts'
import { recordOf, updateNode, type Values } from './operations.ts'
import { isGroup, joined, listed } from './people.ts'
import type { Place } from './tree.ts'

/** Who holds which role in a business, and what the role allows. */
export function People({ place }: { place: Place }) {
  const words = useWords(peopleWords)
  const attributes = useQuery(attributesOf('biz'))
  const record = useQuery(recordOf(place.id, place))
  const roles = attributes.data?.filter((each) => each.bk_property_type === 'objuser')
  const anyRole = roles?.[0]?.bk_property_id
  const refused = useRefusal(businesses.updateBusiness, { bk_biz_id: place.id, ...(anyRole && { [anyRole]: '' }) })
  const notGroups = useRefusal(privileges.searchUserGroup)
  const groups = useQuery({
    ...ask(privileges.searchUserGroup, { params: { bk_supplier_account: account }, body: {} }),
    enabled: notGroups === undefined,
  })
  const error = attributes.error ?? record.error
  if (error) return <Failure error={error} retry={record.refetch} />
  const current = record.data
  if (!roles || !current) return <Skeleton lines={6} height={28} />
  return (
    <div className="people">
      <p className="quiet">{words.why}</p>
      {refused && <p className="notice">{refused}</p>}
      <datalist id="groups-of-people">
        {groups.data?.map(({ group_name: name }) => (
          <option key={name} value={`@${name}`} />
        ))}
      </datalist>
      <dl>
        {roles.map((role) => (
          <Role key={role.bk_property_id} place={place} role={role} record={current} because={refused} />
        ))}
      </dl>
    </div>
  )
}

interface RoleProps {
  place: Place
  role: Attribute
  record: Values
  /** Why it cannot be changed. */
  because: string | undefined
}

function Role({ place, role, record, because }: RoleProps) {
  const words = useWords(peopleWords)
  const [typed, type] = useState('')
  const id = role.bk_property_id
  const names = listed(record[id])
  const change = useChange('businesses', (wanted: readonly string[]) =>
    updateNode(place.id, place, { [id]: joined(wanted) }, record.bk_revision as number | undefined),
  )
  const save = (wanted: readonly string[]) =>
    change.mutate(wanted, {
      onSuccess: () => {
        type('')
        tell(words.saved(role.bk_property_name), change.request())
      },
    })
  const added = listed(typed).filter((name) => !names.includes(name))
  return (
    <div>
      <dt>
        {role.bk_property_name}
        <Allowed role={role} />
      </dt>
      <dd>
        <ul aria-label={role.bk_property_name}>
          {names.map((name) => (
            <li key={name} className="tag">
              <Person name={name} />
              <Button
                look="quiet"
                icon="close"
                label={words.remove(name, role.bk_property_name)}
                because={because}
                busy={change.isPending}
                onPress={() => save(names.filter((each) => each !== name))}
              />
            </li>
          ))}
          {names.length === 0 && <li className="quiet">{words.empty}</li>}
        </ul>
        {because === undefined && (
          <form
            onSubmit={(event) => {
              event.preventDefault()
              if (added.length > 0 && !change.isPending) save([...names, ...added])
            }}
          >
            <TextField
              bare
              label={words.addTo(role.bk_property_name)}
              placeholder={words.placeholder}
              value={typed}
              onChange={type}
              list="groups-of-people"
            />
            <Button type="submit" icon="plus" busy={change.isPending} isDisabled={added.length === 0}>
              {words.add}
            </Button>
          </form>
        )}
        {change.error && <Failure error={change.error} />}
      </dd>
    </div>
  )
}

const Person = ({ name }: { name: string }) =>
  isGroup(name) ? (
    <Link to="/privileges" search={{ tab: 'groups' }}>
      {name}
    </Link>
  ) : (
    <>
      <Icon name="user" size={12} />
      {name}
    </>
  )

/** What is bound to a role, in words. */
function Allowed({ role }: { role: Attribute }) {
  const words = useWords(peopleWords)
  const params = { bk_supplier_account: account, bk_obj_id: 'biz', bk_property_id: role.bk_property_id }
  const bound = useQuery(ask(privileges.getRolePrivilege, { params }))
  if (!bound.data) return null
  const inWords = (bound.data as readonly RolePrivilege[]).map((each) => words.privileges[each])
  return <span className="help">{inWords.length > 0 ? inWords.join(words.comma) : words.noPrivileges}</span>
}
