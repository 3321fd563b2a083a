import type { Language } from '@mainline/contract'

/** What an operation is called: stored in English, shown in the caller's language. */
const chinese: Record<string, string> = {
  'create business': '创建业务',
  'update business': '更新业务',
  'archive business': '归档业务',
  'recover business': '恢复业务',
  'delete business': '删除业务',
  'create set': '创建集群',
  'update set': '更新集群',
  'delete set': '删除集群',
  'create module': '创建模块',
  'update module': '更新模块',
  'delete module': '删除模块',
  'create instance': '创建实例',
  'update instance': '更新实例',
  'delete instance': '删除实例',
}

export const phrase = (english: string, language: Language) =>
  language === 'en' ? english : (chinese[english] ?? english)
