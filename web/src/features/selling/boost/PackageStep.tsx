import type { BoostPackage } from '@wangian/contracts/boost.ts'
import { formatRinggit, ringgitFromSen } from '@wangian/contracts/money.ts'
import { Check } from 'lucide-react'
import { styled } from 'styled-components'
import type { SWRResponse } from 'swr'
import { sentenceInPageLanguage } from '../../../i18n/in-page-language.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { color, font, from, radius, space, text } from '../../../theme/theme.ts'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { Tab, TabGroup, TabList, TabPanel } from '../../../ui/Tabs.tsx'
import { usePackageView } from './use-package-view.ts'

const types = ['standard', 'premium'] as const
type PackageType = (typeof types)[number]
const skeletons = [0, 1, 2, 3]

/** What can be bought, the standard packages apart from the premium ones. */
export function PackageStep({
  packages: { data, error, isValidating, mutate },
  isPremium,
  onShow,
  onSelect,
}: {
  packages: SWRResponse<BoostPackage[]>
  isPremium: boolean
  onShow: (type: PackageType) => void
  onSelect: (boost: BoostPackage) => void
}) {
  const { t } = useTranslation()
  usePackageView(data !== undefined && data.length > 0)
  const hasFailed = error !== undefined && !data && !isValidating
  return (
    <TabGroup value={isPremium ? 'premium' : 'standard'} onValueChange={onShow}>
      <TabList aria-label={t('boost.types')}>
        {types.map((type) => (
          <Tab key={type} value={type}>
            {t(`boost.${type}`)}
          </Tab>
        ))}
      </TabList>
      {types.map((type) => (
        <TabPanel key={type} value={type}>
          {hasFailed ? (
            <EmptyState
              title={t('boost.packagesFailed')}
              action={<Button onClick={() => void mutate()}>{t('problem.tryAgain')}</Button>}
            />
          ) : (
            <Packages packages={data?.filter((each) => each.package_type === type)} onSelect={onSelect} />
          )}
        </TabPanel>
      ))}
    </TabGroup>
  )
}

function Packages({
  packages,
  onSelect,
}: {
  packages: readonly BoostPackage[] | undefined
  onSelect: (boost: BoostPackage) => void
}) {
  const { t } = useTranslation()
  if (packages?.length === 0) return <EmptyState title={t('dashboard.boost.noPackages')} />
  return (
    <Grid aria-busy={packages === undefined || undefined}>
      {packages?.map((boost) => <PackageCard key={boost.id} boost={boost} onSelect={() => onSelect(boost)} />) ??
        skeletons.map((place) => (
          <Card key={place} aria-hidden>
            <Skeleton $height={space(7)} $width="70%" />
            <Skeleton $height={space(10)} $width="50%" />
            <Skeleton $height={space(24)} />
            <Skeleton $height={space(12)} />
          </Card>
        ))}
    </Grid>
  )
}

function PackageCard({ boost, onSelect }: { boost: BoostPackage; onSelect: () => void }) {
  const { t } = useTranslation()
  const { item_count: count, effective_price: each } = boost
  const name = sentenceInPageLanguage(boost.name)
  const features = [
    t('boost.homepage'),
    t('boost.priority'),
    ...(boost.package_type === 'premium' ? [t('boost.visibility'), t('boost.badge')] : []),
  ]
  return (
    <Card>
      <Name>{name}</Name>
      <Price>{formatRinggit(ringgitFromSen(boost.price))}</Price>
      <p>
        {t('boost.products', { count })} · {sentenceInPageLanguage(boost.duration_formatted)}
      </p>
      {count > 1 && <Each>{t('boost.effective', { amount: formatRinggit(ringgitFromSen(each)) })}</Each>}
      <Features>
        {features.map((feature) => (
          <li key={feature}>
            <Check size={16} strokeWidth={1.75} aria-hidden />
            {feature}
          </li>
        ))}
      </Features>
      <Button wide aria-label={t('boost.selectNamed', { name })} onClick={onSelect}>
        {t('boost.select')}
      </Button>
    </Card>
  )
}

const Grid = styled.ul`
  display: grid;
  gap: ${space(4)};
  margin: 0;
  padding: 0;
  list-style: none;
  ${from.tablet} { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  ${from.desktop} { grid-template-columns: repeat(4, minmax(0, 1fr)); }
`

const Card = styled.li`
  display: flex;
  flex-direction: column;
  gap: ${space(2)};
  padding: ${space(5)};
  border: 1px solid ${color.line};
  border-radius: ${radius.large};
  background: ${color.surface};
  & > button { margin-top: auto; }
`

const Name = styled.h2`
  font-size: ${text.title};
`

const Price = styled.p`
  font-family: ${font.serif};
  font-size: ${text.heading};
  font-variant-numeric: tabular-nums lining-nums;
`

const Each = styled.p`
  color: ${color.muted};
  font-size: ${text.small};
`

const Features = styled.ul`
  display: grid;
  gap: ${space(2)};
  margin: ${space(3)} 0 ${space(5)};
  padding: ${space(3)} 0 0;
  border-top: 1px solid ${color.line};
  list-style: none;
  li { display: flex; gap: ${space(2)}; align-items: baseline; }
  svg { flex: none; align-self: center; color: ${color.ok}; }
`
