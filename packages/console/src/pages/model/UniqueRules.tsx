import { uniques as operations } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useChange } from '../../api/ask.ts'
import { call } from '../../api/call.ts'
import type { Attribute } from '../../forms/attributes.ts'
import { Button } from '../../kit/Button.tsx'
import { Check } from '../../kit/Check.tsx'
import { DeleteDialog } from '../../kit/DeleteDialog.tsx'
import { Dialog } from '../../kit/Dialog.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import { model } from '../../words/model.ts'
import { uniqueRules } from '../../words/model-rules.ts'
import { type ObjectRecord, rulesOf, type UniqueRule } from './questions.ts'

interface UniqueRulesProps {
  object: ObjectRecord
  attributes: readonly Attribute[]
  /** Why the caller may not change the model. */
  refused: string | undefined
}

/** The unique rules of an object; while one is being checked, how far that is. */
export function UniqueRules({ object, attributes, refused }: UniqueRulesProps) {
  const words = useWords(uniqueRules)
  const rules = useQuery(rulesOf(object.bk_obj_id))
  const [adding, setAdding] = useState(false)
  const [deleting, setDeleting] = useState<UniqueRule | null>(null)
  const nameOf = (id: number) => attributes.find((each) => each.id === id)?.bk_property_name ?? String(id)
  const namesIn = (rule: UniqueRule) => rule.keys.map((key) => nameOf(key.key_id)).join(' + ')
  return (
    <section className="object-rules" aria-label={words.title}>
      <header>
        <h3>{words.title}</h3>
        <Button icon="plus" look="quiet" because={refused} onPress={() => setAdding(true)}>
          {words.add}
        </Button>
      </header>
      <p className="quiet">{words.why}</p>
      {rules.error && <Failure error={rules.error} retry={rules.refetch} />}
      {rules.data && rules.data.length > 0 && (
        <div className="wide-table">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">{words.attributes}</th>
                <th scope="col">{words.applies}</th>
                <th scope="col">{words.state}</th>
                <th scope="col">
                  <span className="unseen">{words.title}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rules.data.map((rule) => (
                <Row
                  key={rule.id}
                  rule={rule}
                  names={namesIn(rule)}
                  refused={refused}
                  onDelete={() => setDeleting(rule)}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {adding && <NewRule object={object} attributes={attributes} onClose={() => setAdding(false)} />}
      {deleting && (
        <DeleteDialog
          subject="model"
          title={words.deleteTitle(namesIn(deleting))}
          action={words.delete(namesIn(deleting))}
          told={words.deleted}
          isFinal
          remove={() => call(operations.deleteRule, { params: { bk_obj_id: object.bk_obj_id, id: deleting.id } })}
          onClose={() => setDeleting(null)}
          onGone={() => {}}
        >
          <p>{words.deleteWhy}</p>
        </DeleteDialog>
      )}
    </section>
  )
}

interface RowProps {
  rule: UniqueRule
  names: string
  refused: string | undefined
  onDelete(): void
}

function Row({ rule, names, refused, onDelete }: RowProps) {
  const words = useWords(uniqueRules)
  const { builtIn } = useWords(model)
  const again = useChange('model', () =>
    call(operations.updateRule, {
      params: { bk_obj_id: rule.bk_obj_id, id: rule.id },
      body: { must_check: rule.must_check },
    }),
  )
  return (
    <tr>
      <th scope="row">
        {names} {rule.ispre && <span className="tag">{builtIn}</span>}
      </th>
      <td>{rule.must_check ? words.always : words.whenSet}</td>
      <td>
        {rule.bk_unique_state === 'enforced' && words.enforced}
        {rule.bk_unique_state === 'checking' && words.checking(rule.bk_checked)}
        {rule.bk_unique_state === 'refused' && (
          <>
            {words.refused} {rule.bk_duplicates}
          </>
        )}
        {again.error && <Failure error={again.error} />}
      </td>
      <td className="row-actions">
        {rule.bk_unique_state === 'refused' && (
          <Button because={refused} busy={again.isPending} onPress={() => again.mutate(undefined)}>
            {words.again}
          </Button>
        )}
        <Button
          look="quiet"
          icon="bin"
          label={words.delete(names)}
          because={rule.ispre ? words.builtIn : refused}
          onPress={onDelete}
        />
      </td>
    </tr>
  )
}

interface NewRuleProps {
  object: ObjectRecord
  attributes: readonly Attribute[]
  onClose(): void
}

function NewRule({ object, attributes, onClose }: NewRuleProps) {
  const words = useWords(uniqueRules)
  const { create } = useWords(common)
  const [chosen, setChosen] = useState<readonly number[]>([])
  const [alsoEmpty, setAlsoEmpty] = useState(false)
  const change = useChange('model', () =>
    call(operations.createRule, {
      params: { bk_obj_id: object.bk_obj_id },
      body: { keys: chosen.map((key_id) => ({ key_kind: 'property' as const, key_id })), must_check: alsoEmpty },
    }),
  )
  return (
    <Dialog
      title={words.addTitle(object.bk_obj_name)}
      action={create}
      busy={change.isPending}
      because={chosen.length === 0 ? words.none : undefined}
      error={change.error}
      onAction={() => change.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>{words.why}</p>
      <fieldset className="key-choices">
        <legend>{words.attributes}</legend>
        {attributes.map(({ id, bk_property_name }) => (
          <Check
            key={id}
            isSelected={chosen.includes(id)}
            onChange={(on) => setChosen(on ? [...chosen, id] : chosen.filter((each) => each !== id))}
          >
            {bk_property_name}
          </Check>
        ))}
      </fieldset>
      <Check isSelected={alsoEmpty} onChange={setAlsoEmpty}>
        {words.alsoEmpty}
      </Check>
    </Dialog>
  )
}
