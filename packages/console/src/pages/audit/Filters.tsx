import { BusinessField } from '../../forms/BusinessField.tsx'
import { TextField } from '../../kit/Field.tsx'
import { Select } from '../../kit/Select.tsx'
import { audit } from '../../words/audit.ts'
import { useWords } from '../../words/index.ts'
import { type AuditFilters, dayIn } from './filters.ts'

interface FiltersProps {
  filters: AuditFilters
  onChange(filters: AuditFilters): void
}

export function Filters({ filters, onChange }: FiltersProps) {
  const words = useWords(audit)
  const set = (name: keyof AuditFilters) => (value: string) => {
    const { [name]: _, ...rest } = filters
    onChange(value ? { ...rest, [name]: value } : rest)
  }
  const choices = (named: Record<string, string>) => Object.entries(named).map(([id, name]) => ({ id, name }))
  const shared = (name: keyof AuditFilters) => ({ value: filters[name] ?? '', onChange: set(name), required: true })
  return (
    <search className="filters" aria-label={words.filters}>
      <BusinessField
        value={filters.business ?? ''}
        onChange={set('business')}
        label={words.business}
        besides={[{ id: '', name: words.allBusinesses }]}
      />
      <Select
        {...shared('target')}
        label={words.target}
        none={words.allTargets}
        choices={targets(words.targets, filters.target)}
      />
      <Select {...shared('type')} label={words.type} none={words.allTypes} choices={choices(words.types)} />
      <TextField {...shared('operator')} label={words.operator} />
      <TextField {...shared('name')} label={words.name} />
      <TextField {...shared('instance')} label={words.instance} inputMode="numeric" />
      <TextField {...shared('key')} label={words.key} />
      <TextField {...shared('reason')} label={words.reason} />
      <TextField {...shared('from')} value={dayIn(filters.from)} label={words.from} type="date" />
      <TextField {...shared('to')} value={dayIn(filters.to)} label={words.to} type="date" />
    </search>
  )
}

/** A level of the main line may come from the address, by the id of its object. */
function targets(named: Record<string, string>, current: string | undefined) {
  const known = Object.entries(named).map(([id, name]) => ({ id, name }))
  return current && !(current in named) ? [...known, { id: current, name: current }] : known
}
