import { moves, hosts as operations } from '@mainline/contract'
import { useState } from 'react'
import { useRefusal } from '../../api/may.ts'
import type { Attribute } from '../../forms/attributes.ts'
import { Button } from '../../kit/Button.tsx'
import { copyText } from '../../kit/clipboard.ts'
import { tell } from '../../kit/Toasts.tsx'
import { hosts } from '../../words/hosts.ts'
import { useWords } from '../../words/index.ts'
import { EditHosts } from './EditHosts.tsx'
import { AssignHosts, MoveHosts } from './MoveHosts.tsx'
import type { HostRow } from './questions.ts'
import { type Ending, SimpleAction } from './SimpleAction.tsx'

interface HostActionsProps {
  business: number | undefined
  isPool: boolean
  selected: readonly HostRow[]
  attributes: readonly Attribute[]
  onDone(): void
}

/** Actions on the selected hosts. */
export function HostActions({ business, isPool, selected, attributes, onDone }: HostActionsProps) {
  const words = useWords(hosts)
  const [asked, setAsked] = useState<'edit' | 'move' | 'assign' | Ending | null>(null)
  const ids = selected.map((row) => row.host.bk_host_id)
  // The first host is representative; the server checks each of them.
  const refusedEdit = useRefusal(operations.updateHosts, { bk_host_id: ids[0] ?? 0 })
  const refusedMove = useRefusal(moves.moveToModules, { bk_biz_id: business ?? 0 })
  const refusedAssign = useRefusal(moves.assignFromPool)
  const busy = selected.filter((row) => !row.module.every((module) => module.default === 1)).length
  const inUse = busy > 0 ? words.notIdle(busy) : undefined
  const close = () => setAsked(null)
  const finish = () => {
    close()
    onDone()
  }
  const copy = async () => {
    const addresses = selected.flatMap((row) => row.host.bk_host_innerip.split(','))
    await copyText(addresses.join('\n'))
    tell(words.copied(addresses.length))
  }
  return (
    <div className="host-actions" role="toolbar" aria-label={words.selected(ids.length)}>
      <strong>{words.selected(ids.length)}</strong>
      <Button icon="copy" onPress={copy}>
        {words.copy}
      </Button>
      <Button icon="pencil" because={refusedEdit} onPress={() => setAsked('edit')}>
        {words.edit}
      </Button>
      {business !== undefined && !isPool && (
        <>
          <Button look="primary" because={refusedMove} onPress={() => setAsked('move')}>
            {words.move}
          </Button>
          <Button because={refusedMove} onPress={() => setAsked('idle')}>
            {words.toIdle}
          </Button>
          <Button because={refusedMove} onPress={() => setAsked('fault')}>
            {words.toFault}
          </Button>
          <Button because={refusedMove ?? inUse} onPress={() => setAsked('pool')}>
            {words.toPool}
          </Button>
        </>
      )}
      {isPool && (
        <>
          <Button look="primary" because={refusedAssign} onPress={() => setAsked('assign')}>
            {words.assign}
          </Button>
          <Button icon="bin" because={refusedAssign} onPress={() => setAsked('delete')}>
            {words.delete}
          </Button>
        </>
      )}
      <Button look="quiet" icon="close" label={words.unselect} onPress={onDone} />
      {asked === 'edit' && <EditHosts hosts={ids} attributes={attributes} onClose={close} onDone={finish} />}
      {asked === 'move' && business !== undefined && (
        <MoveHosts business={business} hosts={ids} rows={selected} onClose={close} onDone={finish} />
      )}
      {asked === 'assign' && <AssignHosts hosts={ids} onClose={close} onDone={finish} />}
      {asked && asked !== 'edit' && asked !== 'move' && asked !== 'assign' && (
        <SimpleAction ending={asked} business={business ?? 0} hosts={ids} onClose={close} onDone={finish} />
      )}
    </div>
  )
}
