import { moves } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Checkbox } from 'react-aria-components'
import { useChange } from '../../api/ask.ts'
import { call } from '../../api/call.ts'
import { BusinessField } from '../../forms/BusinessField.tsx'
import { Dialog } from '../../kit/Dialog.tsx'
import { SearchField } from '../../kit/Field.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { Station } from '../../kit/Station.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { common } from '../../words/common.ts'
import { hosts as hostWords } from '../../words/hosts.ts'
import { useWords } from '../../words/index.ts'
import { treeOf } from '../topology/questions.ts'
import { type Place, wayTo } from '../topology/tree.ts'
import { Steps, useChunks } from './chunks.tsx'
import { MovePlan } from './MovePlan.tsx'
import type { HostRow } from './questions.ts'

interface MovingProps {
  hosts: readonly number[]
  onClose(): void
  onDone(): void
}

const mostShown = 60

/** Into modules of the same business, replacing the previous ones or adding to them. */
export function MoveHosts({
  business,
  hosts,
  rows,
  into,
  onClose,
  onDone,
}: MovingProps & { business: number; rows?: readonly HostRow[]; into?: Place }) {
  const words = useWords(hostWords)
  const { nothingFound, first } = useWords(common)
  const tree = useQuery(treeOf(business)).data
  const [sought, setSought] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set(into ? [into.id] : []))
  const [keep, setKeep] = useState(false)
  const modules = [...(tree?.byKey.values() ?? [])].filter((place) => place.object === 'module' && place.builtIn === 0)
  const holds = (place: Place) => wayTo(place).toLowerCase().includes(sought.trim().toLowerCase())
  // The target of a drop comes first; modules that are ticked later stay where they are.
  const order = modules.toSorted((one, other) => Number(other.id === into?.id) - Number(one.id === into?.id))
  const found = order.filter((place) => chosen.has(place.id) || holds(place))
  const shown = found.filter((place, at) => at < mostShown || chosen.has(place.id))
  const { change, move, progress } = useMove(hosts, onDone, (chunk) =>
    call(moves.moveToModules, {
      body: { bk_biz_id: business, bk_host_id: chunk, bk_module_id: [...chosen], is_increment: keep },
    }),
  )
  return (
    <Dialog
      title={words.moveTitle(hosts.length)}
      action={words.move}
      busy={change.isPending}
      because={chosen.size === 0 ? words.noModule : undefined}
      error={change.error}
      onAction={move}
      onClose={onClose}
    >
      <SearchField label={words.findModule} value={sought} onChange={setSought} autoFocus />
      {/* biome-ignore lint/a11y/useSemanticElements: a list of boxes to tick under one name */}
      <div className="module-list" role="group" aria-label={words.moveTo}>
        {shown.map((place) => (
          <Checkbox
            key={place.id}
            className="check option"
            isSelected={chosen.has(place.id)}
            onChange={(on) =>
              setChosen(new Set(on ? [...chosen, place.id] : [...chosen].filter((id) => id !== place.id)))
            }
          >
            <span className="box">
              <Icon name="check" size={12} />
            </span>
            <Station object="module" />
            <span className="truncate">{wayTo(place)}</span>
          </Checkbox>
        ))}
        {shown.length === 0 && <p className="quiet">{nothingFound}</p>}
        {found.length > shown.length && <p className="quiet">{first(shown.length, found.length)}</p>}
      </div>
      <Checkbox className="check" isSelected={keep} onChange={setKeep}>
        <span className="box">
          <Icon name="check" size={12} />
        </span>
        {words.keep}
      </Checkbox>
      {rows && !keep && chosen.size > 0 && <MovePlan business={business} rows={rows} into={chosen} />}
      <Steps hosts={hosts.length} progress={progress} />
    </Dialog>
  )
}

/** From the pool into the idle module of a business. */
export function AssignHosts({ hosts, onClose, onDone }: MovingProps) {
  const words = useWords(hostWords)
  const [business, setBusiness] = useState('')
  const { change, move, progress } = useMove(hosts, onDone, (chunk) =>
    call(moves.assignFromPool, { body: { bk_biz_id: Number(business), bk_host_id: chunk } }),
  )
  return (
    <Dialog
      title={words.assignTitle(hosts.length)}
      action={words.assign}
      busy={change.isPending}
      because={business ? undefined : words.noBusiness}
      error={change.error}
      onAction={move}
      onClose={onClose}
    >
      <p className="quiet">{words.assignWhy}</p>
      <BusinessField label={words.business} value={business} onChange={setBusiness} />
      <Steps hosts={hosts.length} progress={progress} />
    </Dialog>
  )
}

/** A move that reports the number of moved hosts. */
function useMove(hosts: readonly number[], onDone: () => void, run: (chunk: number[]) => Promise<unknown>) {
  const words = useWords(hostWords)
  const chunks = useChunks()
  const change = useChange('hosts', (_: undefined, request) => chunks.change(hosts, request, run))
  const move = () =>
    change.mutate(undefined, {
      onSuccess: () => {
        tell(words.moved(hosts.length), change.request())
        onDone()
      },
    })
  return { change, move, progress: chunks.progress }
}
