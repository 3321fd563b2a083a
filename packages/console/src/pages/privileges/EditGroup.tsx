import { privileges } from '@mainline/contract'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../../api/ask.ts'
import { account, call } from '../../api/call.ts'
import { listed } from '../../forms/filters.ts'
import { useSeenRevision } from '../../forms/seen-revision.ts'
import { Dialog } from '../../kit/Dialog.tsx'
import { TextField } from '../../kit/Field.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import { privilegeWords } from '../../words/privileges.ts'
import type { Group } from './questions.ts'

const ofAccount = { bk_supplier_account: account }

interface EditGroupProps {
  /** Null for a new one. */
  group: Group | null
  onClose(): void
  onMade?: () => void
}

export function EditGroup({ group, onClose, onMade }: EditGroupProps) {
  const words = useWords(privilegeWords)
  const general = useWords(common)
  const [name, setName] = useState(group?.group_name ?? '')
  const [members, setMembers] = useState(group ? listed(group.user_list).join(', ') : '')
  const [tried, setTried] = useState(false)
  const problems = {
    name: name.trim() ? undefined : general.check.required,
    members: group || listed(members).length > 0 ? undefined : general.check.required,
  }
  const change = useChange('privileges', () => {
    const body = { group_name: name.trim(), user_list: listed(members).join(';') }
    return group
      ? call(privileges.updateUserGroup, {
          params: { ...ofAccount, group_id: group.group_id },
          body,
          ifMatch: revision,
        })
      : call(privileges.createUserGroup, { params: ofAccount, body })
  })
  const revision = useSeenRevision(group?.bk_revision, change.error)
  const save = () => {
    setTried(true)
    if (problems.name || problems.members) return
    change.mutate(undefined, {
      onSuccess: () => {
        if (!group) tell(words.created(name.trim()), change.request())
        onClose()
        onMade?.()
      },
    })
  }
  return (
    <Dialog
      title={group ? words.editGroup : words.newGroup}
      action={group ? general.save : general.create}
      busy={change.isPending}
      error={change.error}
      onAction={save}
      onClose={onClose}
    >
      <TextField
        label={words.name}
        value={name}
        onChange={setName}
        problem={tried ? problems.name : undefined}
        required
        autoFocus
      />
      <TextField
        label={words.members}
        value={members}
        onChange={setMembers}
        problem={tried ? problems.members : undefined}
        help={general.users}
        required
      />
    </Dialog>
  )
}

/** Over any page: shows the groups afterwards. */
export function CreateGroup({ onClose }: { onClose(): void }) {
  const navigate = useNavigate()
  return (
    <EditGroup
      group={null}
      onClose={onClose}
      onMade={() => navigate({ to: '/privileges', search: { tab: 'groups' } })}
    />
  )
}
