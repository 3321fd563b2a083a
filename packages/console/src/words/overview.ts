import { inBoth, plural } from './index.ts'

export const overview = inBoth(
  {
    title: 'Overview',
    businesses: 'Businesses',
    count: (count: number) => plural(count, 'business', 'businesses'),
    find: 'Find by name',
    columns: { id: 'ID', changed: 'Changed' },
    create: 'Create business',
    created: (name: string) => `Business ${name} has been created`,
    empty: 'There is no business yet',
    emptyWhy:
      'A business is the root of a tree of sets and modules, and has people who look after it. Create the first one here.',
    latest: 'Latest changes',
    allChanges: 'All changes',
    quiet: 'Nothing has been changed yet.',
  },
  {
    title: '总览',
    businesses: '业务',
    count: (count) => `${count} 个业务`,
    find: '按名称查找',
    columns: { id: 'ID', changed: '更新时间' },
    create: '创建业务',
    created: (name) => `业务 ${name} 已创建`,
    empty: '还没有业务',
    emptyWhy: '业务是集群与模块组成的树的根，并有负责维护的人员。请在此创建第一个业务。',
    latest: '最近变更',
    allChanges: '全部变更',
    quiet: '还没有任何变更。',
  },
)
