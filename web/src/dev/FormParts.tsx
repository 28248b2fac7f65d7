import { formatRinggitShort } from '@wangian/contracts/money.ts'
import { useState } from 'react'
import { Affix } from '../ui/Affix.tsx'
import { Button, ButtonLink } from '../ui/Button.tsx'
import { Checkbox, Radio, RadioGroup, Switch } from '../ui/Choices.tsx'
import { Field, Select, TextArea } from '../ui/Field.tsx'
import { FieldPair, FormPart } from '../ui/FormPart.tsx'
import { Input } from '../ui/Input.tsx'
import { NumberField } from '../ui/NumberField.tsx'
import { PasswordField } from '../ui/PasswordField.tsx'
import { RangeSlider } from '../ui/RangeSlider.tsx'
import { StarField } from '../ui/StarField.tsx'
import { Chapter, Columns, Row, Specimen } from './Specimen.tsx'

/** What is pressed and filled in. */
export function FormParts() {
  const [category, setCategory] = useState('niche')
  const [isOn, setOn] = useState(true)
  const [count, setCount] = useState<number | null>(3)
  const [rating, setRating] = useState(3.5)
  const [prices, setPrices] = useState<readonly [number, number]>([50, 320])
  return (
    <Chapter title="Forms">
      <Specimen name="Button: primary, secondary, plain, danger; small, disabled, busy, a link">
        <Row>
          <Button>Place Bid</Button>
          <Button tone="secondary">Contact Seller</Button>
          <Button tone="plain">Cancel</Button>
          <Button tone="danger">Delete</Button>
        </Row>
        <Row>
          <Button size="small">Small</Button>
          <Button size="small" tone="secondary">
            Small
          </Button>
          <Button disabled>Disabled</Button>
          <Button busy busyLabel="Saving...">
            Save
          </Button>
          <ButtonLink to="/dev/ui" tone="secondary">
            A link
          </ButtonLink>
        </Row>
      </Specimen>
      <Specimen name="StarField">
        <StarField label="Your rating" value={rating} valueText={`${rating} of 5 stars`} onChange={setRating} />
      </Specimen>
      <Specimen name="Field, Input, Select, TextArea, PasswordField, Affix, NumberField">
        <Columns>
          <Field label="Shop name" help="50 characters at most.">
            {(control) => <Input {...control} defaultValue="Sarah's Shop" />}
          </Field>
          <Field label="Location">{(control) => <Input {...control} placeholder="Kuala Lumpur" />}</Field>
          <Field label="Email" error="Please enter a valid email address">
            {(control) => <Input {...control} type="email" defaultValue="sarah@" />}
          </Field>
          <Field label="Name">{(control) => <Input {...control} disabled defaultValue="Cannot be changed" />}</Field>
          <Field label="Category">
            {(control) => (
              <Select {...control} defaultValue="4">
                <option value="1">Designer</option>
                <option value="4">Niche</option>
              </Select>
            )}
          </Field>
          <PasswordField label="Password" autoComplete="current-password" defaultValue="hunter2hunter2" />
          <Field label="Price in ringgit">
            {(control) => (
              <Affix before="RM">
                <Input {...control} inputMode="decimal" defaultValue="320.00" />
              </Affix>
            )}
          </Field>
          <Field label="Volume in millilitres">
            {(control) => (
              <Affix after="ml">
                <Input {...control} inputMode="numeric" defaultValue="100" />
              </Affix>
            )}
          </Field>
          <NumberField
            label="Bottles"
            help="How many there are."
            value={count}
            min={1}
            max={20}
            lessLabel="One less"
            moreLabel="One more"
            onChange={setCount}
          />
          <NumberField
            label="Bottles"
            error="At least one"
            value={0}
            lessLabel="One less"
            moreLabel="One more"
            onChange={setCount}
          />
          <Field label="About" help="500 characters at most.">
            {(control) => <TextArea {...control} defaultValue="I collect what Grasse forgot." />}
          </Field>
        </Columns>
      </Specimen>
      <Specimen name="Checkbox, Radio, Switch">
        <Columns>
          <fieldset style={{ border: 0, margin: 0, padding: 0 }}>
            <Checkbox label="Tom Ford" aside={12} defaultChecked />
            <Checkbox label="Maison Francis Kurkdjian" aside={4} help="Paris, since 2009" />
            <Checkbox label="Sold out" disabled />
            <Checkbox label="I agree to the terms and conditions" error="You must accept the terms and conditions" />
          </fieldset>
          <RadioGroup legend="Category">
            {['designer', 'local', 'niche'].map((each) => (
              <Radio
                key={each}
                name="category"
                label={each}
                value={each}
                checked={each === category}
                onChange={() => setCategory(each)}
              />
            ))}
            <Radio name="category" label="Unavailable" disabled />
          </RadioGroup>
          <div>
            <Switch
              label="Email me when I am outbid"
              help="At once, not as a digest."
              checked={isOn}
              onChange={(event) => setOn(event.target.checked)}
            />
            <Switch label="Off" />
            <Switch label="Out of reach" disabled />
          </div>
        </Columns>
      </Specimen>
      <Specimen name="RangeSlider">
        <Columns>
          <RangeSlider
            label="Price"
            value={prices}
            min={0}
            max={500}
            step={10}
            thumbLabels={['Lowest price', 'Highest price']}
            format={formatRinggitShort}
            onChange={setPrices}
          />
        </Columns>
      </Specimen>
      <Specimen name="FormPart, FieldPair">
        <FormPart title="Your shop" intro="What buyers see of you.">
          <FieldPair>
            <Field label="First name">{(control) => <Input {...control} />}</Field>
            <Field label="Last name">{(control) => <Input {...control} />}</Field>
          </FieldPair>
        </FormPart>
      </Specimen>
    </Chapter>
  )
}
