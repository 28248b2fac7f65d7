import type { AdminActivity } from '@wangian/contracts/admin.ts'

const columns = ['time', 'administrator', 'action', 'target', 'target id', 'target name', 'reason', 'before', 'after']

/** Without the mark before it Excel takes letters beyond ASCII for others. */
export const csvHead = `\uFEFF${rowOf(columns)}`

/** A line of the exported record. */
export function csvLine({ at, actor, action, target, reason, before, after }: AdminActivity): string {
  const by = actor.username ?? `User ${actor.id}`
  return rowOf([at, by, action, target.kind, target.id, target.name, reason, textOf(before), textOf(after)])
}

function textOf(facts: AdminActivity['before']): string {
  return Object.entries(facts)
    .map(([name, value]) => `${name}: ${value ?? 'none'}`)
    .join('; ')
}

/** By RFC 4180. */
function rowOf(cells: readonly (string | null)[]): string {
  return `${cells.map((cell) => `"${harmless(cell ?? '').replaceAll('"', '""')}"`).join(',')}\r\n`
}

/** What begins so would be a formula to a spreadsheet. */
function harmless(cell: string): string {
  return /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
}
