import { language, say, type Word } from './words.ts'

interface Business {
  bk_biz_id: number
  bk_biz_name: string
  bk_biz_maintainer: string
  bk_biz_developer: string
}

document.documentElement.lang = language
for (const element of document.querySelectorAll<HTMLElement>('[data-words]')) {
  element.textContent = say(element.dataset.words as Word)
}

const status = document.querySelector('#status')
try {
  const answer = await fetch('/api/v3/biz/search/0', {
    method: 'POST',
    headers: { 'content-type': 'application/json', http_blueking_language: language },
    body: JSON.stringify({ page: { start: 0, limit: 200 } }),
  })
  const { result, bk_error_msg: why, data } = await answer.json()
  if (!result) throw new Error(why)
  showBusinesses(data.info)
} catch (error) {
  if (status) status.textContent = say('failed') + (error as Error).message
}

function showBusinesses(businesses: Business[]): void {
  if (businesses.length === 0) {
    if (status) status.textContent = say('empty')
    return
  }
  const rows = businesses.map((business) => {
    const row = document.createElement('tr')
    const cells = [business.bk_biz_id, business.bk_biz_name, business.bk_biz_maintainer, business.bk_biz_developer]
    row.append(...cells.map((text) => Object.assign(document.createElement('td'), { textContent: String(text) })))
    return row
  })
  document.querySelector('tbody')?.replaceChildren(...rows)
  document.querySelector('table')?.removeAttribute('hidden')
  status?.remove()
}
