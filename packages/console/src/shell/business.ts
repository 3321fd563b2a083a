import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { oneBusiness } from '../api/businesses.ts'
import { prefer, usePreferences } from '../preferences.ts'

/** The business of the address, or else the current one. An unknown business is not stored. */
export function useBusiness(): number | null {
  const { business } = useParams({ strict: false })
  const last = usePreferences().business
  const current = business === undefined ? last : Number(business)
  const found = useQuery({ ...oneBusiness(current ?? 0), enabled: current !== null }).data
  const remembered = found === undefined ? last : (found?.bk_biz_id ?? null)
  useEffect(() => {
    if (remembered !== last) prefer({ business: remembered })
  }, [remembered, last])
  return business === undefined ? remembered : current
}
