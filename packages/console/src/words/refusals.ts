import { inBoth } from './index.ts'

const listed = (names: readonly string[], or: string, comma: string): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(comma)}${or}${names.at(-1)}`

/** As many as fit into a sentence. */
const some = (names: readonly string[]) => names.slice(0, 4)

export const refusalWords = inBoth(
  {
    needed: (privileges: readonly string[], business: string, holders: readonly string[]) => {
      const what = listed(
        privileges.map((each) => `“${each}”`),
        ' and ',
        ', ',
      )
      const ask = holders.length > 0 ? listed(some(holders), ' or ', ', ') : 'an administrator'
      return `You need ${what} in ${business}. Ask ${ask}.`
    },
    neededEntry: (entry: string) => `You need “${entry}”, from a group. Ask an administrator.`,
  },
  {
    needed: (privileges, business, holders) => {
      const what = privileges.map((each) => `“${each}”`).join('、')
      const ask = holders.length > 0 ? listed(some(holders), '或', '、') : '管理员'
      return `您需要业务 ${business} 的${what}权限，请联系${ask}。`
    },
    neededEntry: (entry) => `您需要由用户组授予的“${entry}”权限，请联系管理员。`,
  },
)
