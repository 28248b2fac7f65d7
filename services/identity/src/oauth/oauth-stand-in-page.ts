import { escapeHtml } from '@wangian/kit/http/html.ts'
import { demoBuyers, demoSellers } from '../accounts/demo-accounts.ts'

/** Whom the page offers; administrators are not among them. */
export const standInPeople = [...demoBuyers, ...demoSellers]

/** What somebody typed, to be shown again. */
export interface StandInForm {
  readonly name: string
  readonly email: string
  readonly id: string
  readonly problem: string | null
}

/** The page that stands for Facebook's dialog: plain forms, so that it works without script and is easy to drive. */
export function standInPage(page: { readonly action: string; readonly state: string; readonly form: StandInForm }) {
  const { action, state, form } = page
  const people = standInPeople.map(
    ({ username, firstName, lastName }) =>
      `<label><input type="radio" name="person" value="${escapeHtml(username)}"> ${escapeHtml(`${firstName} ${lastName}`)} <small>${escapeHtml(username)}</small></label>`,
  )
  const problem = form.problem === null ? '' : `<p class="problem" role="alert">${escapeHtml(form.problem)}</p>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sign in with Facebook (stand-in)</title>
<style>${styles}</style>
</head>
<body>
<main>
<h1>Sign in with Facebook</h1>
<p>This page stands in for Facebook on this machine. Choose who you want to be; Wangian will receive that name and e-mail address.</p>
${problem}
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="state" value="${escapeHtml(state)}">
<fieldset>
<legend>Continue as</legend>
<label><input type="radio" name="person" value="other" checked> Somebody else, with these details:</label>
<div class="details">
<label for="name">Name</label>
<input id="name" name="name" value="${escapeHtml(form.name)}" autocomplete="off" maxlength="100">
<label for="email">E-mail</label>
<input id="email" name="email" type="email" value="${escapeHtml(form.email)}" autocomplete="off" maxlength="255" aria-describedby="email-hint">
<small id="email-hint">Empty: an account that shows no e-mail address</small>
<label for="id">Provider id</label>
<input id="id" name="id" value="${escapeHtml(form.id)}" autocomplete="off" maxlength="64" aria-describedby="id-hint">
<small id="id-hint">Empty: one that belongs to the e-mail address or name</small>
</div>
${people.join('\n')}
</fieldset>
<p class="buttons">
<button name="decision" value="allow">Allow</button>
<button name="decision" value="cancel" class="second" formnovalidate>Cancel</button>
</p>
</form>
</main>
</body>
</html>
`
}

const styles = `
:root { --ground: #faf7f2; --card: #fff; --text: #1f1a17; --quiet: #665c54; --accent: #8f4e1b; --on-accent: #fff; --bad: #a3243b; --line: #8a7f76 }
@media (prefers-color-scheme: dark) {
  :root { --ground: #141110; --card: #1e1a18; --text: #f4eee6; --quiet: #b8aca0; --accent: #e0a165; --on-accent: #22160c; --bad: #ff8a98; --line: #8a7f76 }
}
* { box-sizing: border-box }
body { margin: 0; padding: 1rem; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 30rem; margin: 2rem auto; padding: 1.5rem; background: var(--card); border-radius: 12px }
h1 { margin: 0 0 .5rem; font-size: 1.4rem }
small, p { color: var(--quiet) }
fieldset { border: 0; padding: 0; margin: 0 }
legend { padding: 0; font-weight: 600 }
fieldset > label { display: flex; gap: .5rem; align-items: baseline; min-height: 2.25rem }
.details { display: grid; gap: .25rem; margin: .25rem 0 1rem 1.75rem }
.details input { font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 8px; padding: .5rem .75rem; width: 100% }
.details small { margin-bottom: .5rem }
.problem { color: var(--bad) }
.buttons { display: flex; gap: .75rem; margin: 1.25rem 0 0 }
button { font: inherit; font-weight: 600; min-height: 44px; padding: 0 1.25rem; border-radius: 8px; border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent); cursor: pointer }
button.second { background: transparent; color: var(--accent) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
`
