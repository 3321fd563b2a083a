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
  'create host': '创建主机',
  'update host': '更新主机',
  'delete host': '删除主机',
  'host module change': '主机模块变更',
  'create custom query': '创建自定义查询',
  'update custom query': '更新自定义查询',
  'delete custom query': '删除自定义查询',
  'create instance': '创建实例',
  'update instance': '更新实例',
  'delete instance': '删除实例',
  'create classification': '创建模型分类',
  'update classification': '更新模型分类',
  'delete classification': '删除模型分类',
  'create object': '创建模型',
  'update object': '更新模型',
  'delete object': '删除模型',
  'create attribute': '创建模型属性',
  'update attribute': '更新模型属性',
  'delete attribute': '删除模型属性',
  'create attribute group': '创建属性分组',
  'update attribute group': '更新属性分组',
  'delete attribute group': '删除属性分组',
}

export const phrase = (english: string, language: Language) =>
  language === 'en' ? english : (chinese[english] ?? english)
