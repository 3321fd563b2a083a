import { topology } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask, useChange } from '../../api/ask.ts'
import { account, call } from '../../api/call.ts'
import type { Link } from '../../api/model.ts'
import { Skeleton } from '../../kit/Blank.tsx'
import { Dialog } from '../../kit/Dialog.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { TextField } from '../../kit/Field.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import { model } from '../../words/model.ts'
import { LevelPreview } from './LevelPreview.tsx'
import { NamingFields, useNaming } from './Naming.tsx'

interface InsertLevelProps {
  above: Link
  below: Link
  onClose(): void
  onMade(object: string): void
}

const longestName = 20
/** The classification of the main line's objects. */
const classification = 'bk_biz_topo'
/** Of a level that is not named yet. */
const anyId = 'newlevel'

export function InsertLevel({ above, below, onClose, onMade }: InsertLevelProps) {
  const words = useWords(model)
  const naming = useNaming(longestName, words.levelNameLong)
  const { id, problems } = naming
  const name = naming.name.trim()
  const [tried, setTried] = useState(false)
  const bodyOf = (bk_obj_id: string, bk_obj_name: string) => ({
    bk_classification_id: classification,
    bk_obj_id,
    bk_obj_name,
    bk_asst_obj_id: above.bk_obj_id,
    bk_supplier_account: account,
  })
  const change = useChange('model', () => call(topology.createLevel, { body: bodyOf(id, name) }))
  // What is created does not depend on the name: it is shown before a name is entered.
  const plan = useQuery({
    ...ask(topology.createLevel, { body: bodyOf(anyId, words.thisLevel), query: { dry_run: 'true' } }),
    gcTime: 0,
    staleTime: 0,
  })
  const counts = typeof plan.data === 'object' ? plan.data : undefined
  const insert = () => {
    setTried(true)
    if (problems.name || problems.id) return
    change.mutate(undefined, {
      onSuccess: () => {
        tell(words.inserted(name), change.request())
        onClose()
        onMade(id)
      },
    })
  }
  return (
    <Dialog
      title={words.insertTitle(above.bk_obj_name, below.bk_obj_name)}
      action={words.insert}
      busy={change.isPending}
      error={change.error}
      onAction={insert}
      onClose={onClose}
      wide
    >
      <NamingFields naming={naming} label={words.levelName} help={words.levelNameLong} tried={tried} />
      <p className="notice">
        <Icon name="info" />
        <span>
          {words.insertWhy(above.bk_obj_name, below.bk_obj_name, name || words.thisLevel)}
          {counts && ` ${words.creates(counts.creates)} ${words.movesDown(counts.moves_count)}`}
        </span>
      </p>
      {plan.error && <Failure error={plan.error} retry={plan.refetch} />}
      <LevelPreview below={below.bk_obj_id} change={{ above: above.bk_obj_id, name: name || words.thisLevel }} />
    </Dialog>
  )
}

interface Loss {
  readonly moves_count: number
  readonly count: number
  readonly conflicts: readonly { bk_inst_name: string; parent_name: string; count: number }[]
}

export function RemoveLevel({ level, onClose, onGone }: { level: Link; onClose(): void; onGone(): void }) {
  const words = useWords(model)
  const remove = (query: Record<string, string>) =>
    call(topology.deleteLevel, { params: { bk_supplier_account: account, bk_obj_id: level.bk_obj_id }, query })
  const loss = useQuery({
    queryKey: ['Topology', 'loss of level', level.bk_obj_id],
    queryFn: () => remove({ dry_run: 'true' }) as Promise<Loss>,
    gcTime: 0,
    staleTime: 0,
  })
  const general = useWords(common)
  const [reason, setReason] = useState('')
  const change = useChange('model', () => remove({}), { reason })
  const conflicts = loss.data?.conflicts ?? []
  const act = () =>
    change.mutate(undefined, {
      onSuccess: () => {
        tell(words.removed(level.bk_obj_name), change.request())
        onClose()
        onGone()
      },
    })
  return (
    <Dialog
      title={words.removeTitle(level.bk_obj_name)}
      action={words.remove}
      danger
      busy={change.isPending}
      because={loss.data ? (conflicts.length > 0 ? words.conflictsWhy : undefined) : words.checking}
      error={change.error}
      onAction={act}
      onClose={onClose}
      wide
    >
      {loss.error && <Failure error={loss.error} retry={loss.refetch} />}
      {!loss.data && !loss.error && <Skeleton lines={3} />}
      {loss.data && (
        <p>
          {words.goes(loss.data.count)} {words.moves(loss.data.moves_count)}
        </p>
      )}
      {loss.data && <LevelPreview below={level.bk_next_obj} change={{ removed: level.bk_obj_id }} />}
      {conflicts.length > 0 && (
        <div className="notice warn">
          <Icon name="warning" />
          <div>
            <p>{words.conflicts}</p>
            <ul>
              {conflicts.map((each) => (
                <li key={`${each.parent_name} ${each.bk_inst_name}`}>
                  {words.conflict(each.bk_inst_name, each.parent_name, each.count)}
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
      <TextField label={general.reason} value={reason} onChange={setReason} help={general.reasonWhy} />
    </Dialog>
  )
}
