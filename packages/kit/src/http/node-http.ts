/**
 * Node's `http`. As an ES module all that it exports is read when it is imported, and some of that loads a second HTTP client of Node's, which
 * is a fifteenth of what a service loads.
 */
export const http = process.getBuiltinModule('node:http')
