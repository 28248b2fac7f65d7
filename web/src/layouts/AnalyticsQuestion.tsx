import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { styled } from 'styled-components'
import { useAnalyticsAnswer } from '../lib/use-analytics-answer.ts'
import { useTranslation } from '../lib/use-translation.ts'
import { paths } from '../paths.ts'
import { color, from, layer, space, text, weight, width } from '../theme/theme.ts'
import { Button } from '../ui/Button.tsx'

/** Where people look around. Nobody is asked where they bid, write, sell or sign in, nor where the answer is to be given anyway. */
const asksAt = /^\/(products|sellers\/\d+|about|[a-z]+-guid(e|elines))?\/?$/

/**
 * Asks once whether the visit may be counted, where there is somebody to count it. It is in nobody's way: the page can be used without an
 * answer, ends above it, and what gets the focus is above it too.
 */
export function AnalyticsQuestion() {
  const { pathname } = useLocation()
  const [given, answer] = useAnalyticsAnswer() ?? ['no', () => {}]
  if (given !== null || !asksAt.test(pathname)) return null
  return <Question onAnswer={answer} />
}

function Question({ onAnswer }: { onAnswer: (answer: 'yes' | 'no') => void }) {
  const { t } = useTranslation()
  const strip = useRef<HTMLElement>(null)
  useEffect(() => {
    const element = strip.current
    if (!element) return
    const { style } = document.documentElement
    const observer = new ResizeObserver(() => style.setProperty('--bottom-bar', `${element.offsetHeight}px`))
    observer.observe(element)
    return () => {
      observer.disconnect()
      style.removeProperty('--bottom-bar')
    }
  }, [])
  const settle = (answer: 'yes' | 'no') => {
    onAnswer(answer)
    // The button that had the focus is gone.
    document.getElementById('content')?.focus({ preventScroll: true })
  }
  return (
    <Strip ref={strip} aria-label={t('analytics.label')}>
      <Columns>
        <p>
          <Asked>{t('analytics.question')}</Asked> {t('analytics.text')}{' '}
          <Link to={paths.privacy()}>{t('analytics.more')}</Link>
        </p>
        {/* Alike, since neither is the better answer. */}
        <Answers>
          <Button tone="secondary" size="small" onClick={() => settle('yes')}>
            {t('analytics.yes')}
          </Button>
          <Button tone="secondary" size="small" onClick={() => settle('no')}>
            {t('analytics.no')}
          </Button>
        </Answers>
      </Columns>
    </Strip>
  )
}

const Strip = styled.section`
  position: fixed;
  z-index: ${layer.bar};
  right: 0;
  bottom: 0;
  left: 0;
  padding: ${space(3)} ${space(5)} calc(${space(3)} + env(safe-area-inset-bottom));
  border-top: 1px solid ${color.line};
  background: ${color.surface};
  box-shadow: ${color.shadow};
  font-size: ${text.small};
  line-height: 1.45;
`

const Columns = styled.div`
  display: grid;
  gap: ${space(3)};
  align-items: center;
  max-width: ${width.page};
  margin: 0 auto;
  ${from.tablet} { grid-template-columns: minmax(0, 1fr) auto; gap: ${space(8)}; }
`

const Asked = styled.strong`
  font-weight: ${weight.strong};
`

const Answers = styled.div`
  display: flex;
  gap: ${space(2)};
`
