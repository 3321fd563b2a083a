import { privileges, type RolePrivilege, rolePrivileges } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { Checkbox } from 'react-aria-components'
import { ask, useChange } from '../../api/ask.ts'
import { account, call } from '../../api/call.ts'
import { useRefusal } from '../../api/may.ts'
import { attributesOf } from '../../api/model.ts'
import type { Attribute } from '../../forms/attributes.ts'
import { Skeleton } from '../../kit/Blank.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { useWords } from '../../words/index.ts'
import { privilegeWords } from '../../words/privileges.ts'

/** Roles by privileges: a tick is a binding. */
export function Roles() {
  const words = useWords(privilegeWords)
  const attributes = useQuery(attributesOf('biz'))
  const refused = useRefusal(privileges.bindRolePrivilege)
  const roles = attributes.data?.filter((each) => each.bk_property_type === 'objuser')
  return (
    <>
      <p className="quiet">{words.rolesWhy}</p>
      {refused && <p className="notice">{refused}</p>}
      {attributes.error && <Failure error={attributes.error} retry={attributes.refetch} />}
      {!roles && !attributes.error && <Skeleton lines={6} height={28} />}
      {roles && (
        <div className="wide-table">
          <table className="table matrix" aria-label={words.tabs.roles}>
            <thead>
              <tr>
                <th scope="col">{words.role}</th>
                {rolePrivileges.map((each) => (
                  <th key={each} scope="col" title={each}>
                    {words.identifiers[each]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {roles.map((role) => (
                <Role key={role.bk_property_id} role={role} mayChange={refused === undefined} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}

function Role({ role, mayChange }: { role: Attribute; mayChange: boolean }) {
  const words = useWords(privilegeWords)
  const params = { bk_supplier_account: account, bk_obj_id: 'biz', bk_property_id: role.bk_property_id }
  const bound = useQuery(ask(privileges.getRolePrivilege, { params }))
  const change = useChange('privileges', (wanted: readonly RolePrivilege[]) =>
    call(privileges.bindRolePrivilege, { params, body: wanted as never }),
  )
  const toggle = (privilege: RolePrivilege, on: boolean) => {
    const wanted = rolePrivileges.filter((each) => (each === privilege ? on : bound.data?.includes(each)))
    change.mutate(wanted, { onSuccess: () => tell(words.bound(role.bk_property_name), change.request()) })
  }
  const error = bound.error ?? change.error
  return (
    <tr>
      <th scope="row">
        {role.bk_property_name}
        {error && <Failure error={error} />}
      </th>
      {rolePrivileges.map((each) => (
        <td key={each}>
          <Checkbox
            className="check"
            aria-label={words.may(role.bk_property_name, words.identifiers[each])}
            isSelected={bound.data?.includes(each) ?? false}
            isDisabled={!mayChange || !bound.data || change.isPending}
            onChange={(on) => toggle(each, on)}
          >
            <span className="box">
              <Icon name="check" size={12} />
            </span>
          </Checkbox>
        </td>
      ))}
    </tr>
  )
}
