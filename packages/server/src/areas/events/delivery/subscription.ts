import type { Selectable } from 'kysely'
import type { Tables } from '../../../storage/index.ts'

export type Subscription = Selectable<Tables['subscription']>
