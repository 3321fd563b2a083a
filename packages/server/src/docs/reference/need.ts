import type { Endpoint } from '@mainline/contract'

/** The required privilege of an operation, in words. */
export function need({ allow, anonymous }: Endpoint): string {
  if (anonymous) return 'nothing, not even to say who calls'
  switch (allow.need) {
    case 'nothing':
      return 'any identified caller'
    case 'administrator':
      return 'an administrator'
    case 'role':
      return `\`${allow.privilege}\` in the business, through a role`
    case 'group':
      return `\`${allow.entry}\`, through a group`
    case 'hosts':
      return `\`${allow.privilege}\` in the business of every host, through a role; for hosts of the pool \`resource\`, through a group`
    case 'placing':
      return '`hosttrans` in the business, through a role, or `resource`, through a group'
    case 'settling':
      return '`hosttrans` in the business, through a role; for the pool `resource`, through a group'
    case 'instances':
      return allow.action === 'search'
        ? 'any identified caller for instances of a level; `search` in `model_config` of the object, through a group, for others'
        : `\`topoupdate\` in the business for instances of a level; \`${allow.action}\` in \`model_config\` of the object, through a group, for others`
    case 'association':
      return 'for a source that is a host `hostupdate` in its business, on the main line `topoupdate`, through a role; for other sources `update` in `model_config` of the object, through a group'
    case 'business':
      return '`topoupdate` in the business, through a role; for its role attributes all five that can be bound to one'
    case 'self':
      return 'an administrator, or the user in question'
    case 'member':
      return 'an administrator, or a member of the group'
    case 'auditedBusiness':
      return '`audit`, through a group; without it, one’s own businesses are shown'
  }
}
