// What else must be so for an undo: parents exist, names are free, and nothing would be left below what is deleted.
import type { Tx } from '../../../../storage/index.ts'
import type { Model } from '../../../model/index.ts'
import type { NetChanges } from '../net.ts'
import { faultsOfAssociations } from './associations.ts'
import { faultsOfDefinitions } from './definitions.ts'
import type { Fault } from './existence.ts'
import { faultsOfFormerObjects } from './former.ts'
import { faultsOfAddresses, faultsOfHostEnds, faultsOfPlaces } from './hosts.ts'
import { faultsOfLaterDeletions } from './later.ts'
import { faultsOfLevels } from './levels.ts'
import { faultsOfNames, faultsOfParents } from './nodes.ts'
import { faultsOfQueries } from './queries.ts'
import { faultsOfArchived, faultsOfRemains } from './remains.ts'
import { faultsOfTakenDefinitions } from './taken.ts'
import { faultsOfUniques } from './uniques.ts'

/** Every fault of the rows as they would be, with the row that it is about. */
export async function structuralFaults(tx: Tx, model: Model, net: NetChanges): Promise<Fault[]> {
  const faults = [
    ...(await faultsOfDefinitions(tx, net)),
    ...(await faultsOfTakenDefinitions(tx, net)),
    ...(await faultsOfFormerObjects(tx, net)),
    ...(await faultsOfLaterDeletions(tx, net)),
    ...(await faultsOfLevels(tx, net)),
    ...(await faultsOfParents(tx, model, net)),
    ...(await faultsOfNames(tx, model, net)),
    ...(await faultsOfRemains(tx, net)),
    ...(await faultsOfArchived(tx, net)),
    ...(await faultsOfPlaces(tx, net)),
    ...(await faultsOfAddresses(tx, net)),
    ...(await faultsOfHostEnds(tx, net)),
    ...(await faultsOfQueries(tx, net)),
    ...(await faultsOfAssociations(tx, net)),
    ...(await faultsOfUniques(tx, model, net)),
  ]
  return faults
}
