import { createContext, useContext, useEffect, useId, useMemo, useRef } from 'react'

/** Whether the user has typed something into a form that would be lost if it closed. */
export interface Unsaved {
  has(): boolean
  note(field: string, differs: boolean): void
}

const none: Unsaved = { has: () => false, note: () => {} }
const forms = new Set<Set<string>>()
/** Grows with every saved change: fields then compare with what was saved. */
let saved = 0

/** Fields inside report here what the user changed. */
export const UnsavedForm = createContext<Unsaved>(none)

/** Whether any open form has unsaved changes. */
export const hasUnsaved = (): boolean => [...forms].some((fields) => fields.size > 0)

/** After a change was saved: its form may close without a question. */
export function forgetUnsaved(): void {
  saved++
  for (const fields of forms) fields.clear()
}

/** The unsaved changes of a form, as long as it is shown. */
export function useUnsavedForm(): Unsaved {
  const fields = useRef(new Set<string>())
  useEffect(() => {
    const own = fields.current
    forms.add(own)
    return () => void forms.delete(own)
  }, [])
  return useMemo(
    () => ({
      has: () => fields.current.size > 0,
      note: (field, differs) => void fields.current[differs ? 'add' : 'delete'](field),
    }),
    [],
  )
}

/** `onChange` of a field, which also reports whether the value differs from the first one. */
export function useReported<Value>(value: Value, onChange: (value: Value) => void): (value: Value) => void {
  const form = useContext(UnsavedForm)
  const field = useId()
  const first = useRef<{ value: Value; saved: number } | null>(null)
  return (next) => {
    if (first.current?.saved !== saved) first.current = { value, saved }
    form.note(field, next !== first.current.value)
    onChange(next)
  }
}
