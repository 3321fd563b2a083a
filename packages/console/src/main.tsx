import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { I18nProvider } from 'react-aria-components'
import { createRoot } from 'react-dom/client'
import { questions } from './api/ask.ts'
import { watchConnection } from './api/connection.ts'
import { show, usePreferences } from './preferences.ts'
import { router } from './router.tsx'
import { noteMissing } from './shell/missing.ts'
import './style/tokens.css'
import './style/base.css'
import './style/kit.css'
import './style/shell.css'

function Console() {
  const { language, user } = usePreferences()
  return (
    <I18nProvider locale={language === 'en' ? 'en-GB' : 'zh-CN'}>
      <QueryClientProvider client={questions}>
        <RouterProvider key={`${language} ${user}`} router={router} />
      </QueryClientProvider>
    </I18nProvider>
  )
}

show()
noteMissing()
watchConnection()
const root = document.getElementById('console')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Console />
    </StrictMode>,
  )
}
