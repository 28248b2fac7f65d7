// Preloaded by with-node24.mjs: ends the script in an orderly way when its parent is gone.
// The channel must not keep a finished script alive, hence the unref.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
