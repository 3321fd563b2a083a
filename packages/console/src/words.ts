const english = {
  api: 'API',
  businesses: 'Businesses',
  loading: 'Loading …',
  id: 'ID',
  name: 'Name',
  maintainers: 'Maintainers',
  developers: 'Developers',
  empty: 'There is no business yet. Create one with POST /api/v3/biz/0, or start with --demo.',
  failed: 'The businesses could not be loaded: ',
}
const chinese: typeof english = {
  api: '接口文档',
  businesses: '业务',
  loading: '加载中……',
  id: 'ID',
  name: '业务名',
  maintainers: '运维人员',
  developers: '开发人员',
  empty: '还没有业务。请通过 POST /api/v3/biz/0 创建，或使用 --demo 启动。',
  failed: '无法加载业务：',
}

export type Word = keyof typeof english
export const language = navigator.language.startsWith('zh') ? 'zh-cn' : 'en'
export const say = (word: Word): string => (language === 'en' ? english : chinese)[word]
