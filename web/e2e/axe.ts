import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'
import { showIn } from './site.ts'

/** In both schemes, which differ in their contrasts. */
export async function expectNoViolations(page: Page, place: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await showIn(page, colorScheme)
    expect(await violations(page), `${place}, ${colorScheme}`).toEqual([])
  }
}

async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page }).analyze()
  return found.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.target.join(' ')}`))
}
