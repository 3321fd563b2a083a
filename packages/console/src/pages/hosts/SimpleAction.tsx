import { moves, hosts as operations } from '@mainline/contract'
import { useState } from 'react'
import { useChange } from '../../api/ask.ts'
import { call } from '../../api/call.ts'
import { Dialog } from '../../kit/Dialog.tsx'
import { TextField } from '../../kit/Field.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { common } from '../../words/common.ts'
import { hosts as hostWords } from '../../words/hosts.ts'
import { useWords } from '../../words/index.ts'
import { Steps, useChunks } from './chunks.tsx'

/** An action that needs only a confirmation. */
export type Ending = 'idle' | 'fault' | 'pool' | 'delete'

interface SimpleActionProps {
  ending: Ending
  business: number
  hosts: readonly number[]
  onClose(): void
  onDone(): void
}

export function SimpleAction({ ending, business, hosts, onClose, onDone }: SimpleActionProps) {
  const words = useWords(hostWords)
  const count = hosts.length
  const body = (chunk: number[]) => ({ body: { bk_biz_id: business, bk_host_id: chunk } })
  const actions = {
    idle: {
      title: words.toIdleTitle(count),
      why: words.toIdleWhy,
      action: words.toIdle,
      done: words.moved(count),
      run: (chunk: number[]) => call(moves.moveToIdle, body(chunk)),
    },
    fault: {
      title: words.toFaultTitle(count),
      why: words.toFaultWhy,
      action: words.toFault,
      done: words.moved(count),
      run: (chunk: number[]) => call(moves.moveToFault, body(chunk)),
    },
    pool: {
      title: words.toPoolTitle(count),
      why: words.toPoolWhy,
      action: words.toPool,
      done: words.moved(count),
      run: (chunk: number[]) => call(moves.moveToPool, body(chunk)),
    },
    delete: {
      title: words.deleteTitle(count),
      why: words.deleteWhy,
      action: words.delete,
      done: words.deleted(count),
      run: (chunk: number[]) => call(operations.deleteHosts, { body: { bk_host_id: chunk.join(',') } }),
    },
  }
  const { title, why, action, done, run } = actions[ending]
  const general = useWords(common)
  const [reason, setReason] = useState('')
  const chunks = useChunks()
  const change = useChange('hosts', (_: undefined, request) => chunks.change(hosts, request, run), { reason })
  return (
    <Dialog
      title={title}
      action={action}
      danger={ending === 'delete'}
      busy={change.isPending}
      error={change.error}
      onAction={() =>
        change.mutate(undefined, {
          onSuccess: () => {
            tell(done, change.request())
            onDone()
          },
        })
      }
      onClose={onClose}
    >
      <p>{why}</p>
      <TextField label={general.reason} value={reason} onChange={setReason} help={general.reasonWhy} />
      <Steps hosts={hosts.length} progress={chunks.progress} />
    </Dialog>
  )
}
