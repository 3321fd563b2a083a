// Part of npm run openapi: writes the generated modules of packages/python. A test compares them with what this would write.
import { writeFileSync } from 'node:fs'
import { generatedModules } from './python/modules.ts'

for (const [file, text] of generatedModules()) writeFileSync(file, text)
