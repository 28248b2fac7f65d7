/** A server that is killed and started again, on the same port and with the same store. */
export interface RestartableNats {
  start(): Promise<void>
  kill(): Promise<void>
  /** It never runs again. */
  remove(): Promise<void>
}

/** The configuration of a server for tests: everybody may do everything. */
export function natsConfig(listen: string, storeDirectory: string): string {
  return `listen: "${listen}"\njetstream { store_dir: "${storeDirectory}" }\n`
}
