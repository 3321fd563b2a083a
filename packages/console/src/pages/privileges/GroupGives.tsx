import { backConfigs, globalBusinesses, modelActions, privileges } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Checkbox } from 'react-aria-components'
import { ask, useChange } from '../../api/ask.ts'
import { account, call } from '../../api/call.ts'
import { revisionNow } from '../../api/failures.ts'
import { chain } from '../../api/model.ts'
import { Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import { privilegeWords } from '../../words/privileges.ts'
import { classified } from '../model/questions.ts'
import { type Gives, instanceKey, readGives, toggled, writeGives } from './gives.ts'

interface Edited {
  readonly gives: Gives
  readonly revision: number | undefined
}

export function GroupGives({ group }: { group: string }) {
  const words = useWords(privilegeWords)
  const { save, unchanged } = useWords(common)
  const params = { bk_supplier_account: account, group_id: group }
  const stored = useQuery(ask(privileges.searchGroupPrivilege, { params }))
  const classifications = useQuery(classified()).data ?? []
  const line = useQuery(chain()).data ?? []
  const [edited, setEdited] = useState<Edited | null>(null)
  const change = useChange('privileges', ({ gives, revision }: Edited) =>
    call(privileges.updateGroupPrivilege, { params, body: writeGives(gives), ifMatch: revision }),
  )
  if (stored.error) return <Failure error={stored.error} retry={stored.refetch} />
  if (!stored.data) return <Skeleton lines={8} height={22} />
  const gives = edited?.gives ?? readGives(stored.data)
  // The revision of the privileges when the first box was ticked.
  const { bk_revision } = stored.data as { bk_revision?: number }
  const edit = (next: Gives) => setEdited({ gives: next, revision: edited ? edited.revision : bk_revision })
  const onLine = (object: string) => line.some((link) => link.bk_obj_id === object)
  return (
    <div className="gives">
      <fieldset>
        <legend>{words.everywhere}</legend>
        {[...globalBusinesses, ...backConfigs].map((entry) => (
          <Tick
            key={entry}
            label={words.entries[entry]}
            on={gives.entries.has(entry)}
            onChange={(on) => edit({ ...gives, entries: toggled(gives.entries, entry, on) })}
            shown
          />
        ))}
      </fieldset>
      <div className="wide-table">
        <table className="table matrix" aria-label={words.instances}>
          <thead>
            <tr>
              <th scope="col">{words.instances}</th>
              {modelActions.map((action) => (
                <th key={action} scope="col">
                  {words.actions[action]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {classifications.flatMap((classification) =>
              classification.bk_objects
                .filter((object) => !onLine(object.bk_obj_id))
                .map((object) => (
                  <tr key={object.bk_obj_id}>
                    <th scope="row">{object.bk_obj_name}</th>
                    {modelActions.map((action) => {
                      const key = instanceKey(classification.bk_classification_id, object.bk_obj_id, action)
                      return (
                        <td key={action}>
                          <Tick
                            label={words.may(object.bk_obj_name, words.actions[action])}
                            on={gives.instances.has(key)}
                            onChange={(on) => edit({ ...gives, instances: toggled(gives.instances, key, on) })}
                          />
                        </td>
                      )
                    })}
                  </tr>
                )),
            )}
          </tbody>
        </table>
      </div>
      {change.error && <Failure error={change.error} />}
      <div className="buttons">
        <Button
          look="primary"
          busy={change.isPending}
          because={edited ? undefined : unchanged}
          onPress={() =>
            edited &&
            change.mutate(edited, {
              onSuccess: () => {
                setEdited(null)
                tell(words.saved, change.request())
              },
              // Reported once: saving again replaces the current ones.
              onError: (refused) => {
                const revision = revisionNow(refused)
                if (revision !== undefined) {
                  setEdited({ ...edited, revision })
                }
              },
            })
          }
        >
          {save}
        </Button>
      </div>
    </div>
  )
}

interface TickProps {
  label: string
  on: boolean
  onChange(on: boolean): void
  shown?: boolean
}

const Tick = ({ label, on, onChange, shown = false }: TickProps) => (
  <Checkbox className="check" isSelected={on} onChange={onChange} {...(!shown && { 'aria-label': label })}>
    <span className="box">
      <Icon name="check" size={12} />
    </span>
    {shown && label}
  </Checkbox>
)
