import { useState } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { BusinessField } from '../../forms/BusinessField.tsx'
import { Dialog } from '../../kit/Dialog.tsx'
import { hosts as hostWords } from '../../words/hosts.ts'
import { useWords } from '../../words/index.ts'
import { type Place, wayTo } from '../topology/tree.ts'
import { HostForm, useHostForm } from './HostForm.tsx'
import { HostList, useHostList } from './HostList.tsx'
import './hosts.css'

interface AddHostsProps {
  business?: number
  /** The current module. */
  into?: Place | undefined
  onClose(): void
}

/** The key of the module among the targets, beside ids of businesses. */
const here = 'module'

/** Adds hosts by a form, from a list of addresses or from a file; shows a preview and the result of every row. */
export function AddHosts({ business, into, onClose }: AddHostsProps) {
  const words = useWords(hostWords)
  const [target, setTarget] = useState(into ? here : business === undefined ? '' : String(business))
  const [way, setWay] = useState<'list' | 'form'>('list')
  const to = into && target === here ? into : target ? Number(target) : null
  const list = useHostList(to, onClose)
  const form = useHostForm(to, onClose)
  const { because, busy, error, run } = way === 'list' ? list : form
  return (
    <Dialog
      title={words.addTitle}
      action={way === 'list' ? words.add : words.addOne}
      wide
      busy={busy}
      because={because}
      error={error}
      onAction={run}
      // Requests in flight cannot be cancelled, but no further ones are sent.
      {...(list.busy ? { cancel: list.stopping ? words.stopping : words.stop, onClose: list.stop } : { onClose })}
    >
      <BusinessField
        label={words.addTo}
        value={target}
        onChange={setTarget}
        isDisabled={busy}
        besides={[{ id: '', name: words.pool }, ...(into ? [{ id: here, name: wayTo(into) }] : [])]}
        naming={words.idleOf}
      />
      <Tabs selectedKey={way} onSelectionChange={(key) => setWay(key === 'form' ? 'form' : 'list')} isDisabled={busy}>
        <TabList className="tabs" aria-label={words.addTitle}>
          <Tab id="list" className="tab">
            {words.byList}
          </Tab>
          <Tab id="form" className="tab">
            {words.byForm}
          </Tab>
        </TabList>
        <TabPanel id="list" className="add-way">
          <HostList {...list} />
        </TabPanel>
        <TabPanel id="form" className="add-way">
          <HostForm {...form} />
        </TabPanel>
      </Tabs>
    </Dialog>
  )
}
