import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page } from '@playwright/test'
import type axe from 'axe-core'
import type { RunOptions } from 'axe-core'
import { showIn } from './site.ts'

/** Less than half as long as `axe.source`, and handed to every page. */
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** The rules that read colours. All others find the same in both schemes. */
const colourRules = ['color-contrast', 'link-in-text-block']

/** No rule finds anything in light, and none that reads colours in dark. What an iframe shows is not looked at. */
export async function expectNoViolations(
  page: Page,
  place: string,
  rulesLeftOut: readonly string[] = [],
): Promise<void> {
  await showIn(page, 'light')
  const rules = Object.fromEntries(rulesLeftOut.map((rule) => [rule, { enabled: false }]))
  expect(await violations(page, { rules }), `${place}, light`).toEqual([])
  await showIn(page, 'dark')
  expect(await violations(page, { runOnly: colourRules }), `${place}, dark`).toEqual([])
}

async function violations(page: Page, options: RunOptions): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
  return await page.evaluate(
    async (chosen) => {
      const found = await (window as unknown as { axe: typeof axe }).axe.run(chosen)
      return found.violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.target.join(' ')}`))
    },
    { iframes: false, resultTypes: ['violations'], ...options } satisfies RunOptions,
  )
}
