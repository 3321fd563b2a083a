// Finds sections of the documentation: by words, by their synonyms, and by words that are one typing error away.

/** Words that readers type for what these pages call otherwise. */
const synonyms = {
  'api key': ['token'],
  apikey: ['token'],
  password: ['token', 'credential'],
  credentials: ['token'],
  login: ['sign in', 'oidc', 'session'],
  sso: ['oidc', 'proxy'],
  auth: ['token', 'identit'],
  authentication: ['token', 'identit'],
  permission: ['privilege'],
  permissions: ['privilege'],
  rbac: ['role', 'privilege'],
  acl: ['privilege'],
  webhook: ['subscription'],
  webhooks: ['subscription'],
  notification: ['subscription', 'event'],
  sse: ['stream'],
  'rate limit': ['limit', '1199429'],
  throttle: ['limit', '1199429'],
  quota: ['limit'],
  update: ['upgrad'],
  migration: ['migrate', 'upgrad'],
  docker: ['container'],
  kubernetes: ['container', 'readyz'],
  k8s: ['container', 'readyz'],
  probe: ['readyz', 'healthz'],
  health: ['readyz', 'healthz'],
  monitoring: ['metrics', 'prometheus'],
  https: ['tls'],
  ssl: ['tls'],
  certificate: ['tls'],
  'load balancer': ['proxy'],
  nginx: ['reverse proxy'],
  pagination: ['page'],
  excel: ['xlsx'],
  csv: ['import'],
  reset: ['start over'],
  uninstall: ['left behind'],
  tenant: ['account'],
  sql: ['postgresql'],
  postgres: ['postgresql'],
  environment: ['setting'],
  config: ['setting'],
  configuration: ['setting'],
  semver: ['versions'],
  vulnerability: ['security'],
}

const fillers = new Set(['a', 'an', 'the', 'how', 'to', 'do', 'i', 'is', 'of', 'for', 'in', 'on', 'with', 'and', 'my'])

/** Reference, decisions and history have many words: guides come before them. */
const weightOf = (address) =>
  /^\/docs\/(api\/|decisions\/|changelog|versioning|architecture|contributing)/.test(address) ? 0.5 : 1

/** What is searched, from the lines of search.json. */
export function readIndex(lines) {
  const sections = lines.map(([address, page, title, text]) => ({
    address,
    page,
    title,
    text,
    inTitle: title.toLowerCase(),
    inText: `${page} ${text}`.toLowerCase(),
  }))
  const words = sections.flatMap(({ inTitle, inText }) => `${inTitle} ${inText}`.match(/\p{L}[\p{L}\p{N}]{2,}/gu) ?? [])
  return { sections, vocabulary: [...new Set(words)] }
}

/** The sections that a query finds, best first; the words to mark in them; and what was searched in place of unknown words. */
export function find({ sections, vocabulary }, query) {
  const terms = termsOf(query)
  const corrected = []
  for (const term of terms) {
    if (sections.some((section) => pointsOf(section, term) > 0)) continue
    const near = nearest(term.typed, vocabulary)
    term.words.push(...near.map((word) => [word, 0.5]))
    corrected.push(...near.slice(0, 1))
  }
  const scored = sections.map((section) => ({ section, points: terms.map((term) => pointsOf(section, term)) }))
  // All words, or, where no section has all of them, as many as possible.
  const most = Math.max(0, ...scored.map(({ points }) => points.filter(Boolean).length))
  const found = scored
    .filter(({ points }) => most > 0 && points.filter(Boolean).length === most)
    .map(({ section, points }) => ({
      section,
      sum: points.reduce((sum, each) => sum + each, 0) * weightOf(section.address),
    }))
    .sort((one, other) => other.sum - one.sum)
  return {
    found: found.map(({ section }) => section),
    marks: terms.flatMap(({ words }) => words.map(([word]) => word)),
    corrected,
  }
}

/** What was typed, as terms; each with the words that count for it and how much. */
function termsOf(query) {
  let rest = query.toLowerCase().trim()
  const typed = []
  for (const phrase of Object.keys(synonyms)) {
    if (!phrase.includes(' ') || !rest.includes(phrase)) continue
    typed.push(phrase)
    rest = rest.replace(phrase, ' ')
  }
  const words = rest.split(/\s+/).filter(Boolean)
  const meant = words.filter((word) => !fillers.has(word))
  typed.push(...(meant.length + typed.length > 0 ? meant : words))
  return typed.map((each) => ({
    typed: each,
    words: [
      [each, 1],
      ...(stemOf(each) === each ? [] : [[stemOf(each), 0.9]]),
      ...(synonyms[each] ?? []).map((word) => [word, 0.6]),
    ],
  }))
}

/** `upgrade` also means `Upgrading`. */
const stemOf = (word) => (word.length > 4 && /^[a-z]+$/.test(word) ? word.replace(/(ing|es|ed|e|s)$/, '') : word)

const pointsOf = (section, { words }) =>
  Math.max(...words.map(([word, weight]) => weight * pointsOfWord(section, word)))

/** A heading counts for more than the text below it, the start of a word for more than its middle. */
function pointsOfWord({ inTitle, inText }, word) {
  const [title, text] = [placeOf(inTitle, word), placeOf(inText, word)]
  const heading = inTitle === word ? 100 : title === 'start' ? 40 : title === 'inside' ? 15 : 0
  return heading + (text === 'start' ? 6 : text === 'inside' ? 2 : 0)
}

function placeOf(text, word) {
  let place
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1])) return 'start'
    place = 'inside'
  }
  return place
}

/** Known words that differ by one letter added, left out, replaced or swapped; by two in long words. */
function nearest(word, vocabulary) {
  if (word.length < 4 || /\d/.test(word)) return []
  const most = word.length < 8 ? 1 : 2
  return vocabulary
    .filter((known) => Math.abs(known.length - word.length) <= most)
    .map((known) => [known, distance(word, known)])
    .filter(([, apart]) => apart <= most)
    .sort(([, one], [, other]) => one - other)
    .slice(0, 3)
    .map(([known]) => known)
}

/** Edits between two words, a swap of neighbours counting as one. */
function distance(one, other) {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)]
  for (let row = 1; row <= one.length; row++) {
    rows[row] = [row]
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1] ? 0 : 1
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      rows[row][column] = Math.min(
        rows[row - 1][column] + 1,
        rows[row][column - 1] + 1,
        rows[row - 1][column - 1] + same,
        ...(swapped ? [rows[row - 2][column - 2] + 1] : []),
      )
    }
  }
  return rows[one.length][other.length]
}
