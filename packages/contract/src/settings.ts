import Type from 'typebox'
import { anyone } from './allow.ts'
import { endpoint } from './endpoint.ts'
import { attributesOf, clearable, Nothing } from './vocabulary.ts'

const Columns = (description: string) => Type.Array(Type.String(), { description })

const columns = {
  host_query_column: Columns('host query fields'),
  host_display_column: Columns('host display fields'),
  biz_query_column: Columns('business query fields'),
  biz_display_column: Columns('business display fields'),
}
const BusinessId = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'business ID; 0 when there is none',
})

const ConsoleDisplay = Type.Object(
  {},
  { additionalProperties: true, description: 'how the console shows itself, such as language and time zone' },
)

export const SettingRecord = Type.Object(
  {
    ...columns,
    bk_biz_id: BusinessId,
    id: Type.String({ description: 'empty while nothing has been saved' }),
    user: Type.String(),
    bk_user: Type.String({ description: 'the same as user' }),
  },
  { additionalProperties: true, description: 'Besides these, all other saved keys.' },
)

export const DefaultSettingRecord = Type.Object({
  ...SettingRecord.properties,
  is_default: Type.Literal(1),
})

export const saveUserCustom = endpoint({
  name: 'save_user_custom',
  method: 'POST',
  effect: 'write',
  path: '/usercustom',
  area: 'User settings',
  summary: 'Save settings of the caller: the keys that are sent replace those of the same name, null removes one.',
  allow: anyone,
  body: attributesOf({
    host_query_column: clearable(columns.host_query_column),
    host_display_column: clearable(columns.host_display_column),
    biz_query_column: clearable(columns.biz_query_column),
    biz_display_column: clearable(columns.biz_display_column),
    bk_biz_id: clearable(BusinessId),
    console: clearable(ConsoleDisplay),
  }),
  refuses: ['tooMany'],
  data: Nothing,
  example: { body: { host_display_column: ['bk_host_innerip', 'bk_host_name', 'bk_os_name'], bk_biz_id: 2 } },
})

export const searchUserCustom = endpoint({
  name: 'search_user_custom',
  method: 'POST',
  effect: 'read',
  path: '/usercustom/user/search',
  area: 'User settings',
  summary: 'Get the settings of the caller.',
  allow: anyone,
  data: SettingRecord,
})

export const getUserDefaultCustom = endpoint({
  name: 'get_user_default_custom',
  method: 'POST',
  effect: 'read',
  path: '/usercustom/default/search',
  area: 'User settings',
  summary: 'Get the default settings, for users without their own.',
  allow: anyone,
  data: DefaultSettingRecord,
})
