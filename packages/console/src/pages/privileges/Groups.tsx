import { privileges } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { account, call } from '../../api/call.ts'
import { listed } from '../../forms/filters.ts'
import { Empty, Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { DeleteDialog } from '../../kit/DeleteDialog.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { SearchField } from '../../kit/Field.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import { privilegeWords } from '../../words/privileges.ts'
import { EditGroup } from './EditGroup.tsx'
import { GroupGives } from './GroupGives.tsx'
import { type Group, userGroups } from './questions.ts'

const ofAccount = { bk_supplier_account: account }

export function Groups({ selected, onSelect }: { selected: string | undefined; onSelect(group: string | null): void }) {
  const words = useWords(privilegeWords)
  const [sought, setSought] = useState('')
  const [asked, setAsked] = useState<'new' | 'edit' | 'delete' | null>(null)
  const groups = useQuery(userGroups())
  const group = groups.data?.find((each) => each.group_id === selected)
  const shown = groups.data?.filter((each) =>
    `${each.group_name} ${each.user_list}`.toLowerCase().includes(sought.trim().toLowerCase()),
  )
  if (groups.error) return <Failure error={groups.error} retry={groups.refetch} />
  return (
    <>
      <p className="quiet">{words.groupsWhy}</p>
      <div className="groups">
        <nav aria-label={words.tabs.groups}>
          <div className="group-tools">
            <SearchField label={words.find} value={sought} onChange={setSought} />
            <Button icon="plus" label={words.newGroup} onPress={() => setAsked('new')} />
          </div>
          {!groups.data && <Skeleton lines={4} height={22} />}
          <ul>
            {shown?.map((each) => (
              <li key={each.group_id}>
                <button
                  type="button"
                  className={each.group_id === selected ? 'place active' : 'place'}
                  aria-current={each.group_id === selected}
                  onClick={() => onSelect(each.group_id)}
                >
                  <span className="truncate">{each.group_name}</span>
                  <span className="aside">{words.membersCount(listed(each.user_list).length)}</span>
                </button>
              </li>
            ))}
          </ul>
        </nav>
        {group ? (
          <section aria-label={group.group_name} className="group">
            <header>
              <h2>{group.group_name}</h2>
              <span className="quiet">{listed(group.user_list).join(', ')}</span>
              <div className="actions">
                <Button icon="pencil" label={words.editGroup} onPress={() => setAsked('edit')} />
                <Button icon="bin" label={words.deleteGroup} onPress={() => setAsked('delete')} />
              </div>
            </header>
            <GroupGives key={group.group_id} group={group.group_id} />
          </section>
        ) : (
          groups.data && (
            <Empty title={groups.data.length === 0 ? words.noGroup : words.chooseGroup}>
              {groups.data.length === 0 && <p>{words.noGroupWhy}</p>}
            </Empty>
          )
        )}
      </div>
      {asked === 'new' && <EditGroup group={null} onClose={() => setAsked(null)} />}
      {asked === 'edit' && group && <EditGroup group={group} onClose={() => setAsked(null)} />}
      {asked === 'delete' && group && (
        <DeleteGroup group={group} onClose={() => setAsked(null)} onGone={() => onSelect(null)} />
      )}
    </>
  )
}

function DeleteGroup({ group, onClose, onGone }: { group: Group; onClose(): void; onGone(): void }) {
  const words = useWords(privilegeWords)
  const general = useWords(common)
  return (
    <DeleteDialog
      subject="privileges"
      title={words.deleteGroupTitle(group.group_name)}
      action={general.delete}
      told={words.deleted(group.group_name)}
      remove={() =>
        call(privileges.deleteUserGroup, {
          params: { ...ofAccount, bk_group_id: group.group_id },
          ifMatch: group.bk_revision,
        })
      }
      onClose={onClose}
      onGone={onGone}
    >
      <p>{words.deleteGroupWhy}</p>
    </DeleteDialog>
  )
}
