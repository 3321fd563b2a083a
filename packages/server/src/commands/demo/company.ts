/** A business of the example company: its people, sites, services and modules. */
export interface CompanyBusiness {
  readonly name: string
  readonly maintainers: string
  readonly developers: string
  /** Regions and the sites in them. */
  readonly regions: Readonly<Record<string, readonly string[]>>
  /** How many of its sets, the last ones, have no hosts and can be deleted. */
  readonly vacantSets?: number
  /** Services, each a set, with their modules. */
  readonly services: Readonly<Record<string, readonly string[]>>
}

const oneSite = { Europe: ['Frankfurt'] }

export const company: readonly CompanyBusiness[] = [
  {
    name: 'Web shop',
    maintainers: 'amy,ben',
    developers: 'ivan,julia',
    regions: { Europe: ['Frankfurt', 'Amsterdam'], America: ['Virginia', 'São Paulo'], Asia: ['Singapore'] },
    services: {
      storefront: ['nginx', 'web', 'cache'],
      checkout: ['api', 'worker', 'mysql'],
      search: ['api', 'index'],
      catalogue: ['api', 'mysql'],
      media: ['nginx', 'resizer'],
    },
  },
  {
    name: 'Payments',
    maintainers: 'carla,dmitri',
    developers: 'kofi',
    regions: { Europe: ['Frankfurt', 'Dublin'] },
    services: {
      gateway: ['nginx', 'api'],
      ledger: ['api', 'postgres'],
      'fraud detection': ['scorer', 'features'],
      settlement: ['batch', 'postgres'],
    },
  },
  {
    name: 'Logistics',
    maintainers: 'erin',
    developers: 'lena,marc',
    regions: oneSite,
    services: {
      warehouse: ['api', 'postgres'],
      routing: ['solver', 'maps'],
      labels: ['printer'],
      tracking: ['api', 'stream'],
    },
  },
  {
    name: 'Data platform',
    maintainers: 'farid,grace',
    developers: 'nora',
    regions: oneSite,
    services: { ingest: ['collector', 'kafka'], lake: ['storage', 'query'], reports: ['web'], features: ['store'] },
  },
  {
    name: 'Office and tools',
    maintainers: 'hugo',
    developers: 'olga',
    regions: oneSite,
    vacantSets: 2,
    services: {
      mail: ['smtp', 'imap'],
      'build farm': ['runner'],
      monitoring: ['prometheus', 'grafana'],
      wiki: ['web'],
    },
  },
]

/** A business with 10,000 nodes. */
export const marketplace: CompanyBusiness = {
  name: 'Marketplace',
  maintainers: 'pia',
  developers: 'quentin',
  regions: oneSite,
  services: { seller: ['api', 'worker', 'mysql'] },
}
export const marketplaceSets = 2_500
