interface ImportMetaEnv {
  /** Set by `vite.config.ts`. */
  readonly WITH_DEV_PAGES: boolean
}
