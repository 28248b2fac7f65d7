import { Tabs } from '@base-ui/react/tabs'
import { styled } from 'styled-components'
import { color, from, motion, reach, space, text, weight } from '../theme/theme.ts'

/** Views of one thing, one at a time; arrow keys move between them. */
export const TabGroup = Tabs.Root

export const TabList = styled(Tabs.List)`
  display: flex;
  flex-wrap: wrap;
  gap: 0 ${space(6)};
  border-bottom: 1px solid ${color.line};
`

/** A list of many tabs: on a phone it scrolls to the edges of the screen. */
export const TabStrip = styled(TabList)`
  margin: 0 -${space(5)};
  padding: 0 ${space(5)};
  flex-wrap: nowrap;
  overflow-x: auto;
  scrollbar-width: none;
  ${from.tablet} { margin: 0; padding: 0; }
  & > * { flex: none; margin-bottom: 0; }
  & > :focus-visible { outline-offset: -2px; }
`

export const Tab = styled(Tabs.Tab)`
  position: relative;
  margin-bottom: -1px;
  padding: ${space(3)} 0;
  border: 0;
  border-bottom: 2px solid transparent;
  background: none;
  color: ${color.muted};
  font-size: ${text.body};
  font-weight: ${weight.strong};
  white-space: nowrap;
  transition: color ${motion.quick}, border-color ${motion.quick};
  /* Even the shortest word of a tab is wider than half a finger; what is between two belongs to them. */
  ${reach(0, 10)}
  &:hover { color: ${color.ink}; }
  &[data-active] { border-color: ${color.accent}; color: ${color.ink}; }
`

export const TabPanel = styled(Tabs.Panel)`
  padding-top: ${space(6)};
  &:focus-visible { outline-offset: ${space(2)}; }
`
