/** Of what a form holds what was changed in it: the rest may have been saved anew since, in another tab or on another device. */
export function changedFields<Values extends object>(
  values: Values,
  isChanged: Readonly<Partial<Record<keyof Values, boolean>>>,
): Partial<Values> {
  const changed = Object.entries(values).filter(([name]) => isChanged[name as keyof Values])
  return Object.fromEntries(changed) as Partial<Values>
}
