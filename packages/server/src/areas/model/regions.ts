import { type Words, words } from '@mainline/contract'
import { present } from '../../common/present.ts'

export interface PresetChoice {
  readonly id: string
  readonly name: Words
  readonly isDefault?: boolean
}

/** ISO 3166-1 alpha-2. */
const codes =
  `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE
GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP
KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF
NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN
SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA
ZM ZW`.split(/\s+/)

function nameCountries(): Map<string, Words> {
  const english = new Intl.DisplayNames('en', { type: 'region' })
  const chinese = new Intl.DisplayNames('zh-CN', { type: 'region' })
  return new Map(codes.map((id) => [id, words(english.of(id) ?? id, chinese.of(id) ?? id)]))
}

/** Computed on first use, not at every start. */
let names: Map<string, Words> | undefined

export const countries: PresetChoice[] = codes.map((id) => ({
  id,
  get name() {
    names ??= nameCountries()
    return present(names.get(id))
  },
}))

/** Codes of GB/T 2260. */
export const provinces: PresetChoice[] = [
  ['110000', 'Beijing', '北京'],
  ['120000', 'Tianjin', '天津'],
  ['130000', 'Hebei', '河北'],
  ['140000', 'Shanxi', '山西'],
  ['150000', 'Inner Mongolia', '内蒙古'],
  ['210000', 'Liaoning', '辽宁'],
  ['220000', 'Jilin', '吉林'],
  ['230000', 'Heilongjiang', '黑龙江'],
  ['310000', 'Shanghai', '上海'],
  ['320000', 'Jiangsu', '江苏'],
  ['330000', 'Zhejiang', '浙江'],
  ['340000', 'Anhui', '安徽'],
  ['350000', 'Fujian', '福建'],
  ['360000', 'Jiangxi', '江西'],
  ['370000', 'Shandong', '山东'],
  ['410000', 'Henan', '河南'],
  ['420000', 'Hubei', '湖北'],
  ['430000', 'Hunan', '湖南'],
  ['440000', 'Guangdong', '广东'],
  ['450000', 'Guangxi', '广西'],
  ['460000', 'Hainan', '海南'],
  ['500000', 'Chongqing', '重庆'],
  ['510000', 'Sichuan', '四川'],
  ['520000', 'Guizhou', '贵州'],
  ['530000', 'Yunnan', '云南'],
  ['540000', 'Tibet', '西藏'],
  ['610000', 'Shaanxi', '陕西'],
  ['620000', 'Gansu', '甘肃'],
  ['630000', 'Qinghai', '青海'],
  ['640000', 'Ningxia', '宁夏'],
  ['650000', 'Xinjiang', '新疆'],
  ['710000', 'Taiwan', '台湾'],
  ['810000', 'Hong Kong', '香港'],
  ['820000', 'Macau', '澳门'],
].map(([id = '', en = '', zh = '']) => ({ id, name: words(en, zh) }))
