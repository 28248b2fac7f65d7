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
