import { useState } from 'react'
import { TextField } from '../../kit/Field.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import { model } from '../../words/model.ts'

interface Naming {
  readonly name: string
  readonly id: string
  readonly problems: { readonly name: string | undefined; readonly id: string | undefined }
  setName(name: string): void
  setId(id: string): void
}

/** The name and the identifier of a new record. `tooLong` is the message for a name with more characters than `longest`. */
export function useNaming(longest = Number.POSITIVE_INFINITY, tooLong = ''): Naming {
  const { check } = useWords(common)
  const [typed, setName] = useState('')
  const [typedId, setId] = useState<string | null>(null)
  const name = typed.trim()
  // A name in Latin letters is converted to an identifier; for others one must be entered.
  const id = typedId ?? name.toLowerCase().replace(/[^a-z]/g, '')
  return {
    name: typed,
    id,
    problems: {
      name: name ? ([...name].length > longest ? tooLong : undefined) : check.required,
      id: id ? (/^[A-Za-z]+$/.test(id) ? undefined : check.letters) : check.required,
    },
    setName,
    setId,
  }
}

interface NamingFieldsProps {
  naming: Naming
  label: string
  help?: string
  /** Errors are shown after the first attempt to save. */
  tried: boolean
}

export function NamingFields({ naming, label, help, tried }: NamingFieldsProps) {
  const words = useWords(model)
  return (
    <>
      <TextField
        label={label}
        value={naming.name}
        onChange={naming.setName}
        problem={tried ? naming.problems.name : undefined}
        help={help}
        required
        autoFocus
      />
      <TextField
        label={words.identifier}
        value={naming.id}
        onChange={naming.setId}
        problem={tried ? naming.problems.id : undefined}
        help={words.identifierHelp}
        required
        mono
      />
    </>
  )
}
