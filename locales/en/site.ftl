
## Page header and footer.

site-description = A blog with ratings that resist manipulation.
site-footer = Ratings here are protected from manipulation.
skip-to-content = Skip to content
search-label = Search
search-button = Search
search-hint = Posts, people
nav-site = Main menu
nav-menu = Menu
nav-write = Write
nav-sign-out = Sign out
nav-account = Account menu
nav-sign-in = Sign in
nav-register = Create account
nav-atom = Atom feed
nav-json = JSON feed
language-choose = Language
staff-need-second-factor = Staff on this site must use two-factor authentication. <a href="/users/second_factor/">Set it up</a> to get access to staff features.
account-deleted-on = Your account will be deleted on { $time }.
account-keep = Keep my account
pages-label = Pagination
pages-first = First page
pages-previous = Previous page
pages-next = Next page

## Error pages.

error-try-again = Try again
error-see-paused = <a href="/rate/paused/">Your paused ratings</a>
error-see-sign-in = <a href="/users/login/">Sign in</a>
error-see-account = To confirm an email address, get a new link in <a href="/users/account/">your account</a>. To reset your password, <a href="/users/password_reset/">request a new link</a>.
error-read-latest = Read the latest posts
error-status = Status { $status } · request ID <code>{ $id }</code>

## Startup steps.

starting-connecting = connecting to the database
starting-waiting-database = waiting for the database
starting-waiting-lock = waiting for a database lock
starting-waiting-instance = waiting for another instance that is updating the database
starting-updating = updating the database ({ $number } of { $all })
blocked = Your account is blocked. You can read, but you can’t post or rate. Reason: <q>{ $reason }</q>
blocked-until = Your account is blocked until { $time }. You can read, but you can’t post or rate. Reason: <q>{ $reason }</q>

# Reference of the API.
api-title = API reference
api-description = Programs use the same URLs as browsers, send <code>Accept: application/json</code> with every request, and authenticate with an <a href="/users/tokens/">API token</a>. This page lists all operations.
api-json = Description in JSON (OpenAPI 3.1)
api-yaml = Description in YAML
api-needs-scripts = The list of operations needs JavaScript. The description in JSON or YAML contains the same.
nav-api = API
