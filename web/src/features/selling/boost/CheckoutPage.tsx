import type { BoostPackage } from '@wangian/contracts/boost.ts'
import { ArrowLeft } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router-dom'
import { styled } from 'styled-components'
import { useTranslation } from '../../../lib/use-translation.ts'
import { type BoostCheckoutAddress, paths } from '../../../paths.ts'
import { color, font, radius, space, text, weight } from '../../../theme/theme.ts'
import { Button } from '../../../ui/Button.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Page, PageIntro, PageTitle } from '../../../ui/Page.tsx'
import { showToast } from '../../../ui/toast-store.ts'
import { useBoostPackages } from './api.ts'
import { areSameProducts, type Choice, choiceFrom, type Entry, entryFrom, type Step, stepOf } from './checkout.ts'
import { PackageStep } from './PackageStep.tsx'
import { ProductStep } from './ProductStep.tsx'
import { SummaryStep } from './SummaryStep.tsx'

const steps = ['select-package', 'select-products', 'checkout'] as const

/** Buys a boost in three steps. All that is chosen is in the address, so that a reload and the browser's Back keep it. */
export default function CheckoutPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { before } = entryFrom(useLocation().state)
  const [parameters] = useSearchParams()
  const choice = choiceFrom(parameters)
  const packages = useBoostPackages()
  const chosen = packages.data?.find(({ id }) => id === choice.packageId)
  const isWaiting = choice.packageId !== null && !packages.data && choice.step !== 'select-package'
  const step = isWaiting ? (choice.step ?? 'select-products') : stepOf(choice, chosen)
  useUnknownPackage(choice, packages.data)

  const go = (next: Partial<BoostCheckoutAddress>, replace = false) => {
    const state: Entry = { before: replace ? before : step }
    void navigate(paths.boostCheckout({ ...addressOf(choice), ...next }), {
      replace,
      preventScrollReset: replace,
      state,
    })
  }
  // Where the step before is the entry before, both Backs are one; where it is not, its place is taken: no step is left behind that the
  // browser's own Back would open again.
  const backTo = (place: NonNullable<Entry['before']>, otherwise: () => void) => () =>
    before === place ? void navigate(-1) : otherwise()
  const back = {
    'select-package': backTo('dashboard', () => void navigate(paths.sellerDashboard(), { replace: true })),
    'select-products': backTo('select-package', () =>
      go(
        { step: undefined, package: undefined, type: chosen?.package_type === 'premium' ? 'premium' : undefined },
        true,
      ),
    ),
    checkout: backTo('select-products', () => go({ step: 'select-products' }, true)),
  }[step]
  useKeptProducts(step, choice.productIds, (products) => go({ products }, true))

  return (
    <Page>
      <title>{`${t('boost.title')} · ${t('shell.brand')}`}</title>
      {step !== 'checkout' && (
        <BackButton tone="plain" size="small" onClick={back}>
          <ArrowLeft size={18} strokeWidth={1.5} aria-hidden />
          {t('boost.back')}
        </BackButton>
      )}
      <PageTitle>{t('boost.title')}</PageTitle>
      <PageIntro>{t('boost.intro')}</PageIntro>
      <Steps step={step} />
      {isWaiting && packages.error && !packages.isValidating ? (
        <Notice tone="warn">
          <Failure>
            {t('boost.packageFailed')}
            <Button tone="secondary" size="small" onClick={() => void packages.mutate()}>
              {t('problem.tryAgain')}
            </Button>
          </Failure>
        </Notice>
      ) : step === 'select-package' ? (
        <PackageStep
          packages={packages}
          isPremium={choice.isPremium}
          onShow={(type) => go({ type: type === 'premium' ? type : undefined }, true)}
          onSelect={(boost) => go({ package: boost.id, step: 'select-products', type: undefined })}
        />
      ) : step === 'select-products' ? (
        <ProductStep
          chosen={chosen}
          productIds={choice.productIds}
          onChange={(products) => go({ products, step: 'select-products' }, true)}
          onCancel={() => void navigate(paths.sellerDashboard())}
          onContinue={(products) => go({ products, step: 'checkout' })}
        />
      ) : (
        <SummaryStep chosen={chosen} productIds={choice.productIds} onBack={back} />
      )}
    </Page>
  )
}

function addressOf({ productIds, packageId, step, isPremium }: Choice): BoostCheckoutAddress {
  return {
    products: productIds.length > 0 ? productIds : undefined,
    package: packageId ?? undefined,
    step: step ?? undefined,
    type: isPremium ? 'premium' : undefined,
  }
}

/** The first step has the products that were ticked in the second one, whichever way one comes back to it. */
function useKeptProducts(step: Step, productIds: readonly number[], onMissed: (productIds: readonly number[]) => void) {
  const ticked = useRef(productIds)
  useEffect(() => {
    if (step !== 'select-package') ticked.current = productIds
    else if (!areSameProducts(ticked.current, productIds)) onMissed(ticked.current)
  })
}

/** Says once that there is no such package as the address names: it opens the choice of one. */
function useUnknownPackage({ packageId, step }: Choice, packages: readonly BoostPackage[] | undefined): void {
  const { t } = useTranslation()
  const isUnknown =
    packageId !== null &&
    step !== 'select-package' &&
    packages !== undefined &&
    !packages.some(({ id }) => id === packageId)
  useEffect(() => {
    if (isUnknown) showToast({ title: t('boost.invalidPackage'), tone: 'destructive' })
  }, [isUnknown, t])
}

/** Where one is. The heading of a step takes the focus when it follows another one, so that it is read out. */
function Steps({ step }: { step: Step }) {
  const { t } = useTranslation()
  const list = useRef<HTMLOListElement>(null)
  const shown = useRef(step)
  useEffect(() => {
    if (shown.current !== step) list.current?.querySelector<HTMLElement>('[aria-current]')?.focus()
    shown.current = step
  }, [step])
  const openAt = steps.indexOf(step)
  return (
    <List ref={list} aria-label={t('boost.steps')}>
      {steps.map((each, index) => (
        <Item
          key={each}
          tabIndex={-1}
          aria-current={each === step ? 'step' : undefined}
          $isDone={index < openAt}
          $isOpen={each === step}
        >
          <Place aria-hidden>{index + 1}</Place>
          <span>{t(`boost.step.${each}`)}</span>
        </Item>
      ))}
    </List>
  )
}

const BackButton = styled(Button)`
  margin: 0 0 ${space(4)} -${space(3)};
`

const Failure = styled.div`
  display: grid;
  gap: ${space(3)};
  justify-items: start;
`

const List = styled.ol`
  display: flex;
  flex-wrap: wrap;
  gap: ${space(3)} ${space(6)};
  margin: ${space(6)} 0 ${space(8)};
  padding: 0;
  list-style: none;
`

const Item = styled.li<{ $isDone: boolean; $isOpen: boolean }>`
  display: flex;
  gap: ${space(2)};
  align-items: center;
  color: ${({ $isDone, $isOpen }) => ($isOpen ? color.ink : $isDone ? color.ok : color.muted)};
  font-size: ${text.small};
  font-weight: ${({ $isOpen }) => ($isOpen ? weight.strong : weight.regular)};
  &:focus { outline: none; }
`

const Place = styled.span`
  display: grid;
  place-items: center;
  width: ${space(6)};
  height: ${space(6)};
  border: 1px solid currentcolor;
  border-radius: ${radius.round};
  font-family: ${font.sans};
  font-variant-numeric: tabular-nums;
`
