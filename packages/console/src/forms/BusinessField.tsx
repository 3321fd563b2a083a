import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { findBusinesses, oneBusiness } from '../api/businesses.ts'
import { type Pickable, Picker } from '../kit/Picker.tsx'
import { PickerField } from '../kit/PickerField.tsx'
import { Station } from '../kit/Station.tsx'
import { common } from '../words/common.ts'
import { useWords } from '../words/index.ts'
import { shell } from '../words/shell.ts'

interface Offered {
  readonly id: string
  readonly name: string
}

interface BusinessPickerProps {
  /** Options besides businesses. */
  besides?: readonly Offered[]
  /** The displayed name of a business. */
  naming?: (business: string) => string
  onPick(id: string): void
}

/** A search field, for any number of businesses. */
export function BusinessPicker({ besides = [], naming = (name) => name, onPick }: BusinessPickerProps) {
  const words = useWords(shell)
  const { nothingFound, first } = useWords(common)
  const [sought, setSought] = useState('')
  const { data } = useQuery({ ...findBusinesses(sought), placeholderData: (before) => before })
  // Previous results are shown until new ones arrive, limited to those that match the typed letters.
  const fits = ({ name }: { name: string }) => name.toLowerCase().includes(sought.trim().toLowerCase())
  const found: Pickable[] = (data?.businesses ?? [])
    .filter((business) => fits({ name: business.bk_biz_name }))
    .map((business) => ({
      id: String(business.bk_biz_id),
      name: naming(business.bk_biz_name),
      aside: business.bk_biz_maintainer,
      sign: <Station object="biz" />,
    }))
  const others: Pickable[] = besides.filter(fits).map((each) => ({ ...each, sign: null }))
  return (
    <Picker
      label={words.findBusiness}
      placeholder={words.findBusiness}
      sought={sought}
      onSought={setSought}
      groups={[
        { id: 'besides', items: others },
        { id: 'businesses', items: found },
      ].filter(({ items }) => items.length > 0)}
      empty={data ? nothingFound : ''}
      foot={data && data.count > data.businesses.length ? first(data.businesses.length, data.count) : ''}
      onPick={({ id }) => onPick(id)}
    />
  )
}

interface BusinessFieldProps {
  label: string
  /** The id of a business, or of another option. */
  value: string
  onChange(id: string): void
  besides?: readonly Offered[]
  naming?: (business: string) => string
  isDisabled?: boolean
  /** For a toolbar or a row: the label is announced, not shown. */
  bare?: boolean
}

/** A combobox of businesses that looks like a select. */
export function BusinessField({
  label,
  value,
  onChange,
  isDisabled = false,
  bare = false,
  ...offer
}: BusinessFieldProps) {
  const words = useWords(shell)
  const { besides = [], naming = (name: string) => name } = offer
  const other = besides.find(({ id }) => id === value)
  const isBusiness = !other && Number(value) > 0
  const named = useQuery({ ...oneBusiness(Number(value)), enabled: isBusiness })
  const business = named.data ? naming(named.data.bk_biz_name) : named.isPending ? '' : `#${value}`
  const shown = other?.name ?? (isBusiness ? business : '')
  return (
    <PickerField
      label={label}
      shown={shown || words.chooseBusiness}
      isEmpty={other?.id === '' || !shown}
      isDisabled={isDisabled}
      bare={bare}
    >
      {(close) => (
        <BusinessPicker
          {...offer}
          onPick={(id) => {
            close()
            onChange(id)
          }}
        />
      )}
    </PickerField>
  )
}
