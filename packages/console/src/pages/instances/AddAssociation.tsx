import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useChange } from '../../api/ask.ts'
import { Dialog } from '../../kit/Dialog.tsx'
import { TextField } from '../../kit/Field.tsx'
import { Select } from '../../kit/Select.tsx'
import { useSettled } from '../../kit/settled.ts'
import { tell } from '../../kit/Toasts.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import { instances } from '../../words/instances.ts'
import { associate, declaredFor, type End, findEnds, type ObjectAssociation } from './questions.ts'

/** An association of objects, and on which side of it the instance is. */
interface Choice {
  readonly id: string
  readonly association: ObjectAssociation
  readonly isSource: boolean
}

/** An association of an object with itself may be used in both directions. */
const choicesOf = (declared: readonly ObjectAssociation[], object: string): Choice[] =>
  declared.flatMap((association) => [
    ...(association.bk_obj_id === object
      ? [{ id: `to ${association.bk_obj_asst_id}`, association, isSource: true }]
      : []),
    ...(association.bk_asst_obj_id === object
      ? [{ id: `from ${association.bk_obj_asst_id}`, association, isSource: false }]
      : []),
  ])

const otherObject = ({ association, isSource }: Choice) =>
  isSource ? association.bk_asst_obj_id : association.bk_obj_id

export function AddAssociation({ end, onClose }: { end: End; onClose(): void }) {
  const words = useWords(instances)
  const general = useWords(common)
  const declared = useQuery(declaredFor(end.bk_obj_id))
  const choices = choicesOf(declared.data ?? [], end.bk_obj_id)
  const [id, setId] = useState('')
  const choice = choices.find((each) => each.id === id) ?? choices[0]
  const [find, setFind] = useState('')
  const [other, setOther] = useState('')
  const [tried, setTried] = useState(false)
  const sought = useSettled(find)
  const object = choice ? otherObject(choice) : ''
  const found = useQuery({
    queryKey: ['Instances', 'ends', object, sought],
    queryFn: () => findEnds(object, sought),
    enabled: object !== '',
  })
  const change = useChange('nodes', ({ association, isSource }: Choice) =>
    isSource
      ? associate(association.bk_obj_asst_id, end.bk_inst_id, Number(other))
      : associate(association.bk_obj_asst_id, Number(other), end.bk_inst_id),
  )
  const save = () => {
    setTried(true)
    if (!choice || other === '') return
    change.mutate(choice, {
      onSuccess: () => {
        tell(words.associated, change.request())
        onClose()
      },
    })
  }
  const nothing = declared.data && choices.length === 0 ? words.noneDeclared : undefined
  return (
    <Dialog
      title={words.associateTitle(end.bk_inst_name)}
      action={words.associate}
      busy={change.isPending}
      because={declared.data ? nothing : general.loading}
      error={change.error ?? declared.error ?? found.error}
      onAction={save}
      onClose={onClose}
    >
      {nothing ? (
        <p>{nothing}</p>
      ) : (
        <>
          <Select
            label={words.association}
            required
            value={choice?.id ?? ''}
            onChange={(next) => {
              setId(next)
              setOther('')
            }}
            choices={choices.map((each) => ({
              id: each.id,
              name: words.associationChoice(
                each.association.bk_obj_asst_name || each.association.bk_obj_asst_id,
                words.roles[each.isSource ? 'target' : 'source'],
              ),
            }))}
          />
          <TextField label={words.find} value={find} onChange={setFind} help={words.otherHelp} />
          <Select
            label={words.other}
            required
            value={other}
            onChange={setOther}
            problem={tried && other === '' ? general.check.required : undefined}
            choices={(found.data ?? []).map((each) => ({ id: String(each.bk_inst_id), name: each.bk_inst_name }))}
          />
        </>
      )}
    </Dialog>
  )
}
