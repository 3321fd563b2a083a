import { useState } from 'react'
import { refreshAfter } from '../../api/ask.ts'
import { RowRefused } from '../../api/failures.ts'
import { forCreating, useHostModel } from '../../api/model.ts'
import { asRequest, newRequest } from '../../api/request.ts'
import { AttributeFields } from '../../forms/AttributeFields.tsx'
import { type Attribute, changed, check, choicesOf, type Draft, emptyDraft, filledIn } from '../../forms/attributes.ts'
import { Skeleton } from '../../kit/Blank.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { forgetUnsaved } from '../../kit/unsaved.ts'
import { common } from '../../words/common.ts'
import { hosts as hostWords } from '../../words/hosts.ts'
import { useWords } from '../../words/index.ts'
import { addHosts, type Destination, useIsThere } from './adding.ts'
import { address } from './questions.ts'

/** Attributes that the service sets itself. */
const ownToSay = ['create_time', 'import_from']

const isDefaultArea = (attribute: Attribute) =>
  attribute.bk_property_id === 'bk_cloud_id' && choicesOf(attribute).some(({ id }) => id === '0')

/** The form of one new host. */
export function useHostForm(to: Destination, onClose: () => void) {
  const words = useWords(hostWords)
  const general = useWords(common)
  const model = useHostModel()
  const attributes = forCreating(model.attributes ?? []).filter((each) => !ownToSay.includes(each.bk_property_id))
  const [typed, setTyped] = useState<Draft>({})
  const [tried, setTried] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const given: Draft = { ...(attributes.some(isDefaultArea) && { bk_cloud_id: '0' }), ...typed }
  const draft: Draft = { ...emptyDraft(attributes), ...given }
  const row = (filled: Draft) => ({ row: 1, address: filled[address] ?? '', values: filledIn(attributes, filled) })
  const isThere = useIsThere([row(given)])(row(given)) ?? false

  const run = async () => {
    setTried(true)
    const judged = isThere ? changed(attributes, {}, given) : attributes
    if (judged.some((each) => check(each, draft[each.bk_property_id] ?? '', general.check))) return
    setBusy(true)
    setError(null)
    try {
      // Existing hosts keep attributes that the form does not set: defaults are for new hosts.
      const request = newRequest()
      const { refused } = await asRequest(request, () => addHosts([row(isThere ? given : draft)], to))
      for (const why of refused.values()) throw new RowRefused(why)
      forgetUnsaved()
      await refreshAfter('hosts')
      tell(words.added(1), { request_id: request.id })
      onClose()
    } catch (failure) {
      setError(failure as Error)
    } finally {
      setBusy(false)
    }
  }
  const type = (next: Draft) => {
    setTyped(next)
    setError(null)
  }
  const because = model.attributes ? undefined : general.loading
  return { model, attributes, draft, type, tried, busy, error, isThere, because, run }
}

export function HostForm({ model, attributes, draft, type, tried, error, isThere }: ReturnType<typeof useHostForm>) {
  const words = useWords(hostWords)
  if (model.error) return <Failure error={model.error} retry={model.retry} />
  if (attributes.length === 0) return <Skeleton lines={8} height={30} />
  return (
    <>
      <p className={isThere ? 'host-there' : 'quiet'} role="status">
        {isThere ? words.isThere : words.byFormWhy}
      </p>
      <AttributeFields
        attributes={attributes}
        draft={draft}
        onChange={type}
        tried={tried}
        {...(isThere && { before: {} })}
        error={error}
      />
    </>
  )
}
