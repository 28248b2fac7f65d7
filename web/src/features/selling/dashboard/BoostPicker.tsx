import type { BoostPackage } from '@wangian/contracts/boost.ts'
import { formatRinggit, ringgitFromSen } from '@wangian/contracts/money.ts'
import { styled } from 'styled-components'
import { inLanguage } from '../../../i18n/in-language.ts'
import { sentenceInPageLanguage } from '../../../i18n/in-page-language.ts'
import { useTranslation } from '../../../lib/use-translation.ts'
import { paths } from '../../../paths.ts'
import { color, font, radius, space, text } from '../../../theme/theme.ts'
import { Button, ButtonLink } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { useBoostPackages } from '../boost/api.ts'
import { fromDashboard } from '../boost/checkout.ts'
import { usePackageView } from '../boost/use-package-view.ts'
import { type Ticks, useTicked } from './ticks.ts'

/** What a boost is said to cost before a package is chosen, in ringgit. */
const ESTIMATE_PER_PRODUCT = 10

/** The packages for as many products as are ticked; each leads to the checkout. */
export function BoostPicker({ ticks, onClose }: { ticks: Ticks; onClose: () => void }) {
  const { t } = useTranslation()
  const ticked = [...useTicked(ticks).keys()]
  const count = ticked.length
  return (
    <Dialog
      title={t('dashboard.boost.title')}
      intro={
        <>
          <p>{t('dashboard.boost.count', { count })}</p>
          <p>{t('dashboard.boost.estimate', { total: formatRinggit(count * ESTIMATE_PER_PRODUCT) })}</p>
        </>
      }
      closeLabel={t('dashboard.boost.close')}
      onClose={onClose}
    >
      <Packages products={ticked} />
    </Dialog>
  )
}

function Packages({ products }: { products: readonly number[] }) {
  const { t } = useTranslation()
  const { data: packages, error, isValidating, mutate } = useBoostPackages()
  if (packages) return <Matches packages={packages} products={products} />
  return (
    <State aria-live="polite">
      {error && !isValidating ? (
        <Notice tone="warn">
          <Failure>
            {t('dashboard.boost.failed')}
            <Button tone="secondary" size="small" onClick={() => void mutate()}>
              {t('problem.tryAgain')}
            </Button>
          </Failure>
        </Notice>
      ) : (
        t('dashboard.boost.loading')
      )}
    </State>
  )
}

const anyOf = inLanguage((_locale, language) => new Intl.ListFormat(language, { type: 'disjunction' }))

function Matches({ packages, products }: { packages: readonly BoostPackage[]; products: readonly number[] }) {
  const { t } = useTranslation()
  const count = products.length
  const matches = packages.filter((each) => each.item_count === count)
  usePackageView(matches.length > 0)
  if (matches.length === 0) {
    const sizes = [...new Set(packages.map((each) => each.item_count))].toSorted((a, b) => a - b)
    const list = anyOf().format(sizes.map(String))
    return (
      <State>
        <Notice title={t('dashboard.boost.noMatch')}>
          {sizes.length > 0 ? t('dashboard.boost.sizes', { count, sizes: list }) : t('dashboard.boost.noPackages')}
        </Notice>
      </State>
    )
  }
  return (
    <List>
      {matches.map((each) => (
        <Package key={each.id}>
          <div>
            <Name>{sentenceInPageLanguage(each.name)}</Name>
            <Facts>
              {t(`dashboard.boost.${each.package_type}`)} · {sentenceInPageLanguage(each.duration_formatted)}
              {count > 1 &&
                ` · ${t('dashboard.boost.each', { amount: formatRinggit(ringgitFromSen(each.effective_price)) })}`}
            </Facts>
          </div>
          <Price>{formatRinggit(ringgitFromSen(each.price))}</Price>
          <ButtonLink wide to={paths.boostCheckout({ products, package: each.id })} state={fromDashboard}>
            {t('dashboard.boost.choose', { name: sentenceInPageLanguage(each.name) })}
          </ButtonLink>
        </Package>
      ))}
    </List>
  )
}

const State = styled.div`
  margin-top: ${space(5)};
  color: ${color.muted};
`

const Failure = styled.div`
  display: grid;
  gap: ${space(3)};
  justify-items: start;
`

const List = styled.ul`
  display: grid;
  gap: ${space(3)};
  margin-top: ${space(5)};
`

const Package = styled.li`
  display: grid;
  grid-template-columns: minmax(0, 1fr) auto;
  gap: ${space(3)};
  padding: ${space(4)};
  border: 1px solid ${color.line};
  border-radius: ${radius.large};
  & > :last-child { grid-column: 1 / -1; }
`

const Name = styled.h3`
  font-size: ${text.lead};
`

const Facts = styled.p`
  color: ${color.muted};
  font-size: ${text.small};
`

const Price = styled.p`
  font-family: ${font.serif};
  font-size: ${text.title};
  font-variant-numeric: tabular-nums lining-nums;
`
