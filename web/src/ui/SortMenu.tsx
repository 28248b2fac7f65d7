import { Select } from '@base-ui/react/select'
import { Check, ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { styled } from 'styled-components'
import { color, motion, phone, radius, space, text, weight } from '../theme/theme.ts'
import { popupItemLook, popupLook, positionerLook } from './popup-look.ts'

export interface Option<Value extends string> {
  readonly value: Value
  readonly label: string
}

/** Chooses one of a few ways to see a list, at once; a choice in a form is a `Select` of `Field.tsx`. */
export function SortMenu<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  /** What is chosen, such as 'Sort by'; it stands before the choice. */
  label: string
  value: Value
  options: readonly Option<Value>[]
  onChange: (value: Value) => void
}) {
  // Beside the trigger, so that the list belongs to a landmark.
  const [place, setPlace] = useState<HTMLSpanElement | null>(null)
  return (
    <Select.Root
      items={options}
      value={value}
      onValueChange={(next) => {
        if (next !== null) onChange(next)
      }}
    >
      <Frame ref={setPlace}>
        <Trigger aria-label={label}>
          <What aria-hidden>{label}</What>
          <Select.Value />
          <Arrow>
            <ChevronDown size={18} strokeWidth={1.5} aria-hidden />
          </Arrow>
        </Trigger>
      </Frame>
      <Select.Portal container={place}>
        <Positioner alignItemWithTrigger={false} positionMethod="fixed" align="end" sideOffset={6}>
          <Popup>
            <Select.List aria-label={label}>
              {options.map((option) => (
                <Item key={option.value} value={option.value}>
                  <Select.ItemText>{option.label}</Select.ItemText>
                  <Select.ItemIndicator>
                    <Check size={18} strokeWidth={1.5} aria-hidden />
                  </Select.ItemIndicator>
                </Item>
              ))}
            </Select.List>
          </Popup>
        </Positioner>
      </Select.Portal>
    </Select.Root>
  )
}

const Frame = styled.span`
  position: relative;
  display: inline-flex;
  max-width: 100%;
`

const Trigger = styled(Select.Trigger)`
  display: inline-flex;
  gap: ${space(2)};
  align-items: center;
  max-width: 100%;
  min-height: ${space(11)};
  padding: 0 ${space(3)} 0 ${space(4)};
  border: 1px solid ${color.edge};
  border-radius: ${radius.small};
  background: ${color.surface};
  font-size: ${text.body};
  font-weight: ${weight.strong};
  text-align: left;
  transition: border-color ${motion.quick};
  &:hover, &[data-popup-open] { border-color: ${color.ink}; }
`

/** On a phone the longest choice needs the room. */
const What = styled.span`
  ${phone} { display: none; }
  color: ${color.muted};
  font-weight: ${weight.regular};
`

const Arrow = styled(Select.Icon)`
  flex: none;
  color: ${color.muted};
  transition: transform ${motion.quick};
  [data-popup-open] & { transform: rotate(180deg); }
`

const Positioner = styled(Select.Positioner)`
  ${positionerLook}
`

const Popup = styled(Select.Popup)`
  ${popupLook}
  min-width: max(var(--anchor-width), ${space(52)});
  max-height: var(--available-height);
  padding: ${space(2)};
  overflow-y: auto;
`

const Item = styled(Select.Item)`
  ${popupItemLook}
  justify-content: space-between;
  &[data-selected] { font-weight: ${weight.strong}; }
`
