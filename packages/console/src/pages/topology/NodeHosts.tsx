import { hosts as operations } from '@mainline/contract'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useRefusal } from '../../api/may.ts'
import type { Filter, Kind, KindCondition } from '../../forms/filters.ts'
import { Button } from '../../kit/Button.tsx'
import { hosts } from '../../words/hosts.ts'
import { useWords } from '../../words/index.ts'
import { AddHosts } from '../hosts/AddHosts.tsx'
import { HostBrowser } from '../hosts/HostBrowser.tsx'
import type { Place } from './tree.ts'

/** The hosts of a node and of everything below it. */
export function NodeHosts({ business, place }: { business: number; place: Place }) {
  const words = useWords(hosts)
  const { node: _, find: __, tab: ___, ...view } = useSearch({ from: '/topology/$business' })
  const navigate = useNavigate({ from: '/topology/$business' })
  const [adding, setAdding] = useState(false)
  const into = place.object === 'module' && place.builtIn === 0 ? place : undefined
  const refused = useRefusal(into ? operations.addHostsToModules : operations.addHosts, { bk_biz_id: business })
  return (
    <>
      <HostBrowser
        business={business}
        within={conditionOf(place)}
        here={filtersOf(place)}
        view={view}
        onView={(next) =>
          navigate({
            search: ({ node, find, tab }) => ({
              ...(node && { node }),
              ...(find && { find }),
              ...(tab && { tab }),
              ...next,
            }),
            replace: true,
          })
        }
        empty={place.object === 'module' ? words.emptyModule : words.emptyNode}
        tools={
          <Button icon="plus" because={refused} onPress={() => setAdding(true)}>
            {words.add}
          </Button>
        }
      />
      {adding && <AddHosts business={business} into={into} onClose={() => setAdding(false)} />}
    </>
  )
}

/** The place by its names, as people would write it in a query. */
function filtersOf(place: Place): Filter[] {
  const { object, name, parent } = place
  const is = (kind: Kind, field: string, value: string): Filter => ({ object: kind, field, operator: '$eq', value })
  switch (object) {
    case 'biz':
      return []
    case 'set':
      return [is('set', 'bk_set_name', name)]
    case 'module':
      return [...(parent ? filtersOf(parent) : []), is('module', 'bk_module_name', name)]
    default:
      return [is('object', 'bk_inst_name', name)]
  }
}

function conditionOf(place: Place): KindCondition[] {
  const equal = (kind: string, field: string) => [
    { bk_obj_id: kind, condition: [{ field, operator: '$eq', value: place.id }] },
  ]
  switch (place.object) {
    case 'biz':
      return []
    case 'set':
      return equal('set', 'bk_set_id')
    case 'module':
      return equal('module', 'bk_module_id')
    default:
      return equal('object', 'bk_inst_id')
  }
}
