import { inBoth } from './index.ts'
import { privilegeWords } from './privileges.ts'

export const peopleWords = inBoth(
  {
    why: 'Users in a role have its privileges in this business. A group, written as @ and its name, gives the role to all its members.',
    privileges: privilegeWords.en.identifiers,
    noPrivileges: 'No privileges',
    comma: ', ',
    empty: 'No one yet',
    addTo: (role: string) => `Add to ${role}`,
    placeholder: 'User or @group',
    add: 'Add',
    remove: (name: string, role: string) => `Remove ${name} from ${role}`,
    saved: (role: string) => `${role} has been updated`,
  },
  {
    why: '角色中的用户在该业务中拥有该角色的权限。以 @ 加组名列出用户组时，组内所有成员都拥有该角色。',
    privileges: privilegeWords['zh-cn'].identifiers,
    noPrivileges: '没有权限',
    comma: '、',
    empty: '还没有成员',
    addTo: (role) => `添加到${role}`,
    placeholder: '用户名或 @用户组',
    add: '添加',
    remove: (name, role) => `将 ${name} 移出${role}`,
    saved: (role) => `${role} 已更新`,
  },
)
