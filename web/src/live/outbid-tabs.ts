import { useEffect } from 'react'

/** What the tabs of one browser tell each other: the title of a tab whose auction somebody else leads now, `null` when that is over. */
type OutbidNews = { readonly ask: true } | { readonly tab: string; readonly title: string | null }

const channelName = 'wangian-outbid'
/** By which a tab knows what it has said itself. */
const thisTab = `${Date.now()}-${Math.random()}`

/** Says in the titles of this browser's other tabs that the person has been outbid here; `title` is `null` as long as that is not so. */
export function useTellOutbid(title: string | null): void {
  useEffect(() => {
    if (title === null) return
    const channel = new BroadcastChannel(channelName)
    const tell = (said: string | null) => channel.postMessage({ tab: thisTab, title: said } satisfies OutbidNews)
    channel.onmessage = ({ data }: MessageEvent<OutbidNews>) => {
      if ('ask' in data) tell(title)
    }
    tell(title)
    // Whoever closes a tab has seen it.
    const leave = () => tell(null)
    window.addEventListener('pagehide', leave)
    return () => {
      window.removeEventListener('pagehide', leave)
      leave()
      channel.close()
    }
  }, [title])
}

/** Shows in this tab's title what another tab says, before the title of the page, which is there again afterwards. */
export function useOutbidTitle(): void {
  useEffect(() => {
    const said = new Map<string, string>()
    // The first one in the document counts. React takes the first one without this attribute for its own when it takes a page over, and puts a new one
    // before all others.
    const element = document.createElement('title')
    element.setAttribute('itemprop', 'name')
    const staysFirst = new MutationObserver(() => {
      if (element.isConnected && document.querySelector('title') !== element) document.head.prepend(element)
    })
    staysFirst.observe(document.head, { childList: true })
    const channel = new BroadcastChannel(channelName)
    channel.onmessage = ({ data }: MessageEvent<OutbidNews>) => {
      if ('ask' in data || data.tab === thisTab) return
      said.delete(data.tab)
      if (data.title !== null) said.set(data.tab, data.title)
      const newest = [...said.values()].at(-1)
      if (newest === undefined) return element.remove()
      element.textContent = newest
      document.head.prepend(element)
    }
    channel.postMessage({ ask: true } satisfies OutbidNews)
    return () => {
      channel.close()
      staysFirst.disconnect()
      element.remove()
    }
  }, [])
}
