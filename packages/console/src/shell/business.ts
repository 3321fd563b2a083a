import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { prefer, usePreferences } from '../preferences.ts'

/** The business of the address, or else the one last looked at. */
export function useBusiness(): number | null {
  const { business } = useParams({ strict: false })
  const last = usePreferences().business
  const current = business === undefined ? last : Number(business)
  useEffect(() => {
    if (current !== last) prefer({ business: current })
  }, [current, last])
  return current
}
