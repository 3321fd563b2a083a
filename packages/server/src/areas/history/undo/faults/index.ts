// What else must be so for an undo: parents exist, names are free, and nothing would be left below what is deleted.
import type { Tx } from '../../../../storage/index.ts'
import type { Model } from '../../../model/index.ts'
import type { NetChanges } from '../net.ts'
import { faultsOfDefinitions } from './definitions.ts'
import type { Fault } from './existence.ts'
import { faultsOfAddresses, faultsOfPlaces } from './hosts.ts'
import { faultsOfLevels } from './levels.ts'
import { faultsOfNames, faultsOfParents } from './nodes.ts'
import { faultsOfAssociations, faultsOfQueries } from './others.ts'
import { faultsOfRemains } from './remains.ts'
import { faultsOfUniques } from './uniques.ts'

/** Every fault of the rows as they would be, with the row that it is about. */
export async function structuralFaults(tx: Tx, model: Model, net: NetChanges): Promise<Fault[]> {
  const faults = [
    ...(await faultsOfDefinitions(tx, net)),
    ...(await faultsOfLevels(tx, net)),
    ...(await faultsOfParents(tx, model, net)),
    ...(await faultsOfNames(tx, model, net)),
    ...(await faultsOfRemains(tx, net)),
    ...(await faultsOfPlaces(tx, net)),
    ...(await faultsOfAddresses(tx, net)),
    ...(await faultsOfQueries(tx, net)),
    ...(await faultsOfAssociations(tx, net)),
    ...(await faultsOfUniques(tx, model, net)),
  ]
  return faults
}
