
## What stands around every page.

site-description = A blog whose ratings keep an even keel: every rating counts in the average, and the score beside it is one that no crowd drags up or down in a hurry.
site-footer = Ratings here keep an even keel: a crowd cannot drag them up or down in a hurry.
skip-to-content = Skip to content
search-label = Search
search-button = Search
search-hint = Posts, people
nav-site = Site
nav-write = Write
nav-sign-out = Sign out
nav-sign-in = Sign in
nav-register = Register
nav-atom = Atom feed
nav-json = JSON feed
language-choose = Language
staff-need-second-factor = You are staff, but here staff need a second factor. <a href="/users/second_factor/">Set it up</a>; until then you can do what everybody can.
account-deleted-on = Your account will be deleted on { $time }.
account-keep = Keep my account
pages-label = Pages
pages-previous = Previous page
pages-next = Next page

## The page of an error.

error-try-again = Try again
error-see-paused = <a href="/rate/paused/">Your paused ratings</a>
error-see-sign-in = <a href="/users/login/">Sign in</a>
error-see-account = <a href="/users/account/">Your account</a> sends another link for an address, and <a href="/users/password_reset/">this page</a> one for a new password.
error-read-latest = Read the latest posts
error-status = Status { $status } · request <code>{ $id }</code>

## What the site is doing while it starts.

starting-connecting = connecting to the database
starting-waiting-database = waiting for its database
starting-waiting-lock = waiting for a lock in the database
starting-waiting-instance = waiting for another instance, which updates the database
starting-updating = updating the database, { $number } of { $all }
blocked = Your account is blocked: you can read, but not write or rate. The reason: <q>{ $reason }</q>
blocked-until = Your account is blocked until { $time }: you can read, but not write or rate. The reason: <q>{ $reason }</q>
