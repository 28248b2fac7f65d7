interface Window {
  /** Of `lib/early-press.js`, in pages that were rendered elsewhere. */
  readonly earlyPress?: {
    /** From now on the app answers to presses itself. */
    readonly takeOver: () => void
    /** Repeats the last press from before that, unless what was pressed is gone or does something else by now. */
    readonly repeat: () => void
  }
}

interface ImportMetaEnv {
  /** Set by `vite.config.ts`. */
  readonly WITH_DEV_PAGES: boolean
  /** Where people meet outside of the site; given when it is built. */
  readonly VITE_COMMUNITY_URL?: string
  /** Where the site itself is to be found elsewhere. */
  readonly VITE_FACEBOOK_URL?: string
  readonly VITE_INSTAGRAM_URL?: string
  readonly VITE_TIKTOK_URL?: string
}
