// Runs before anything is shown of a page that was rendered elsewhere. Nothing there answers to a press until the app has taken the page over: the last
// press is kept, and repeated then (`RootLayout.tsx`), by this script alone, so that it happens once. ADR 25 says what is repeated, and what is not.
{
  const chosen = 'input[type=checkbox], input[type=radio]'
  /** What a control says that it does. */
  const wordsOf = (control) => `${control.getAttribute('aria-label')} ${control.textContent}`
  let kept = null
  const keep = (press) => {
    kept?.control.removeAttribute('data-early-press')
    kept = press && { ...press, words: wordsOf(press.control) }
    kept?.control.setAttribute('data-early-press', '')
  }
  const listeners = {
    click: (event) => {
      const control = event.target.closest(`a[href], button, ${chosen}`)
      if (control === null) return
      // Where a link or a form leads, the browser goes by itself.
      if (control.matches('a') || (control.type === 'submit' && control.form)) return keep(null)
      // A box is ticked when the press is repeated, and not a second time then.
      event.preventDefault()
      keep({ control, repeat: () => control.click() })
    },
    keydown: (event) => {
      const control = event.target.closest('button')
      if (control === null || !/^(Arrow|Home|End)/.test(event.key)) return
      const { key } = event
      keep({
        control,
        repeat: () => control.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })),
      })
    },
    // What a form without an address would do is the app's business: the browser would put what is in it into this page's address.
    submit: (event) => {
      if (!event.target.hasAttribute('action')) event.preventDefault()
    },
  }
  for (const [type, listener] of Object.entries(listeners)) document.addEventListener(type, listener, true)

  window.earlyPress = {
    takeOver: () => {
      for (const [type, listener] of Object.entries(listeners)) document.removeEventListener(type, listener, true)
    },
    repeat: () => {
      const press = kept
      keep(null)
      // It may do something else by now, such as the opposite or for another price.
      if (press?.control.isConnected && wordsOf(press.control) === press.words) press.repeat()
    },
  }
}
