
## Errors. The value is the title; .detail says what happened and what to do.

error-invalid = Please fix the errors below
    .detail =
        { $count ->
                [one] { $count } field needs to be corrected.
               *[other] { $count } fields need to be corrected.
            }
error-malformed = The request couldn’t be read
error-bad-host = Wrong host name
    .detail = The Host header doesn’t match this site. Check the URL, or ALLOWED_HOSTS if you run this site.
error-not-signed-in = Please sign in
    .detail = You need to sign in to do this.
error-wrong-credentials = Wrong username or password
    .detail = No account matches this username and password. Check both; passwords are case-sensitive.
error-second-factor-needed = Two-factor authentication required
    .detail = Send the `code` from your authenticator app, or a recovery code, with your username and password.
error-wrong-code = Wrong code
    .detail = This code isn’t valid right now or has already been used. Wait for the next one in your authenticator app, or use a recovery code.
error-sign-in-again = Sign-in timed out
    .detail = More than five minutes have passed since you entered your password. Please sign in again.
error-forbidden = This isn’t your post
    .detail = Only its author and moderators can edit or delete it.
error-own-post = You can’t rate your own post
    .detail = You can see how others rate it.
error-ratings-closed = This post does not accept ratings
    .detail = The author has turned ratings off.
error-staff-only = Staff only
    .detail = Only this site’s staff can do this.
error-cross-site = Request from another site
    .detail = This request came from a page on another site, so nothing was done. If you meant to do this, do it from a page on this site.
error-not-found = Page not found
    .detail = The URL may be mistyped, or the page may have been deleted.
error-method-not-allowed = This page can’t be opened directly
    .detail = It’s for forms and apps that send data. It only accepts { $allow }.
error-method-not-accepted = Method not allowed
    .detail = This URL only accepts { $allow }.
error-timeout = Request timed out
    .detail = Part of the request didn’t arrive in time, so nothing was done. Please try again.
error-already-rated = You’ve already rated this post
    .detail = You can rate each post once. You can change your rating.
error-not-rated = You haven’t rated this post
    .detail = You may have removed your rating in another tab or on another device.
error-conflict = This post has changed in the meantime
    .detail = It was saved elsewhere after you started editing, so your version isn’t saved yet. Compare the two versions and choose one.
error-precondition-failed = This post has changed in the meantime
    .detail = It doesn’t have the version in the header If-Match. Nothing was changed. Read it again, and repeat your change.
error-too-large = Request too large
    .detail = You can send at most { $limit } bytes here.
error-unsupported-type = Unsupported content type
    .detail = Send a form (application/x-www-form-urlencoded, or multipart/form-data for files) or JSON (application/json), in UTF-8 and without Content-Encoding.
error-post-rate-limited = This post is getting many ratings right now
    .detail = The site accepts only some of them at a time. Please try again in { $wait }.
error-edit-limited = Too many changes to this rating
    .detail = After a few changes, you can change a rating once every ten minutes. Please try again in { $wait }.
error-sign-in-limited = Too many attempts
    .detail = There have been too many attempts, so yours wasn’t checked. Please try again in { $wait }.
error-class-limited = Too many requests
    .detail =
        You’ve sent too many requests of this kind. Please try again in { $wait }.{ $closed ->
                [yes] {" "}You’ve been signed out because the requests didn’t stop.
               *[no] {""}
            }
error-paused = Your ratings of this post are paused
    .detail = Your account made too many failed attempts to rate this post, probably because a program keeps trying, or staff paused your ratings. Once you’ve fixed the program, lift the pause yourself; the pause doesn’t end on its own.
error-unpause-link-invalid = This link is incomplete
    .detail = Part of it may have been lost when it was copied. Nothing was changed. You’ll find a new link in your list of paused ratings.
error-unpause-link-expired = This link has expired
    .detail = Links to lift a pause are valid for 14 days. Nothing was changed. You’ll find a new link in your list of paused ratings.
error-unpause-link-used = This pause is already over
    .detail = It was lifted with this or another link, or the post was deleted. You’ll find links for other pauses in your list of paused ratings.
error-unpause-link-of-another = This link is for another account
    .detail = It lifts pauses of a different account from the one you’re signed in to. Nothing was changed. Sign out first, or open the link in another browser.
error-mail-link-invalid = This link is incomplete
    .detail = Part of it may have been lost when it was copied. Nothing was changed. Please request a new link.
error-mail-link-expired = This link has expired
    .detail = Nothing was changed. Please request a new link.
error-mail-link-used = This link is no longer valid
    .detail = Each link works once. It also stops working when you request a newer one or change your email address or password. Nothing was changed.
error-email-in-use = Another account already uses this email address
    .detail = Only one account can use an email address. Sign in to the other account, or use another address.
error-registration-closed = Registration is closed
    .detail = You can’t create an account at the moment. You can read all published posts without one.
error-invitation-needed = Registration is by invitation only
    .detail = Open an invitation link from site staff to create an account.
error-invitation-invalid = This invitation link is incomplete
    .detail = Part of it may have been lost when it was copied. Ask the person who sent it for the full link.
error-invitation-expired = This invitation has expired
    .detail = Ask the person who sent it for a new one.
error-invitation-used = This invitation has been used up
    .detail = The maximum number of people have already used it to create an account. Ask the person who sent it for a new one.
error-has-owner = This site already has an owner
    .detail = An owner account already exists, so the setup link no longer works. If you’re the owner, sign in.
error-last-owner = This site needs an owner
    .detail = This is the only owner account that can manage the site. Make someone else an owner first (in the admin area, or with evenkeel createsuperuser).
error-image-in-use = This image is in use
    .detail = It’s shown in a post, in a draft or on your profile. Remove it there first.
error-images-limited = Too many images
    .detail = You’ve uploaded many images in a short time. Please wait before you upload another one.
error-deletion-started = It’s too late to keep your account
    .detail = The week in which you could cancel is over, and your account is being deleted.
error-export-limited = Too many downloads of your data
    .detail = After three downloads, you can download your data once every 20 minutes. Please try again in { $wait }.
error-may-not-publish = You can’t publish here
    .detail = You need permission from site staff to publish. You can save a draft now and publish it once you have permission.
error-no-mail = This site doesn’t send email
    .detail = Ask the people who run the site for a new password.
error-too-many-streams = Too many open streams
    .detail = You’ve reached the maximum number of open streams. Close one first.
error-internal = Something went wrong on our end
    .detail = The error has been logged. Please try again later.
error-busy = The site is busy right now
    .detail = Nothing was saved. Please try again in a moment.
error-starting = The site is starting
    .detail = Current step: { $doing }. Please try again in a moment.
error-unavailable = Temporarily unavailable
    .detail = The site can’t access its data. If you were saving something, it may not have been saved. Please try again in a moment.
invalid-network-needed = Limits on sign-ins apply to networks. Enter an IP address or network.
invalid-user-needed = This limit applies to users. Enter a username.
invalid-too-many-custom-limits = There can be at most { $most } custom limits. End one before you add another.
invalid-network = Enter an IP address, or a network of at most /8 (IPv4) or /16 (IPv6).
invalid-allowance = Enter a number from { $least } to { $most }, or “exempt”.
invalid-pauses-off = Pauses are turned off on this site (ZOMBIE_PAUSE).
invalid-no-such-user = There’s no user named { $name }.
invalid-lifetime = Enter a number of days from 1 to { $most }, or `never`.
invalid-scopes = Choose at least one scope: read, rate, write, account or admin.
invalid-scope-admin = Only staff can choose the scope admin.
invalid-too-many-tokens = You can have at most { $most } API tokens. Revoke one first.
error-invalid-token = The API token is invalid
    .detail = It is incomplete, has expired or was revoked. You can create another token on your account page.
error-two-credentials = Send either a session cookie or an API token
    .detail = The request has both. Nothing was changed.
error-scope-needed = The API token doesn’t allow this
    .detail = The request needs the scope “{ $scope }”. Nothing was changed.
error-session-needed = Sign in to do this
    .detail = API tokens can’t register, sign in, change passwords, email addresses, sessions, two-factor authentication or tokens, delete accounts, or do anything that asks for the password again. Nothing was changed.
error-role-needed = You don’t have permission to do this
    .detail =
        { $role ->
                [owner] Only owners can do this.
               *[other] Only admins and owners can do this.
            } Nothing was changed.
error-blocked = Your account is blocked
    .detail = You can read, but you can’t post or rate. Reason: { $reason }
error-blocked-until = Your account is blocked until { $time }
    .detail = Until then, you can read, but you can’t post or rate. Reason: { $reason }
error-too-new-to-rate = This account can’t rate yet
    .detail =
        It can rate from { $time }. This keeps groups of new accounts from changing scores.{ $email ->
                [needed] { "" } Also confirm your email address on your account page before then.
               *[other] { "" }
            }
error-email-needed-to-rate = Confirm your email address to rate
    .detail = Open your account page and follow the link that we send to your address.
error-settings-changed = A setting has changed in the meantime
    .detail = Your changes aren’t saved yet. Check the settings below, and save again.
error-limiter-changed = Someone else has just changed this limiter
    .detail = Your change wasn’t applied. Check the current limiter and decide again.
invalid-report-category = Select a reason from the list.
invalid-no-explanation = Explain why in a few sentences.
invalid-own-report = This is your own post. You can edit, unpublish or delete it.
invalid-choice = Select an option from the list.
invalid-ruling = Select a decision: keep the post, or a reason for taking it down.
error-reports-limited = Too many reports
    .detail = After 20 reports, you can send one every 3 minutes. Please try again in { $wait }. What you wrote is still in the form.
error-already-reported = You’ve already reported this post
    .detail = Your report hasn’t been decided yet. You can find your reports in your account.
error-enough-reports = This post has already been reported many times
    .detail = It’s waiting for a ruling. Another report wouldn’t change anything.
error-no-appeal = There’s nothing to appeal
    .detail = There’s no ruling yet, the ruling was in your favor, it has already been appealed, or the deadline has passed.
error-not-your-case = Someone else has to decide this case
    .detail = You wrote or reported the post, or you’ve already decided this case. Owners can decide anyway.
error-already-decided = This case has already been decided
    .detail = Someone else decided it first, the post was deleted, or the ruling is final. Check the case again; what you wrote is still in the form.
error-withheld = Staff have taken this post down
    .detail = You can save it as a draft, but you can’t publish it while the ruling stands. The post’s page explains why, and how to appeal.
invalid-no-rows = Select at least one item.
invalid-too-many-rows = Select at most { $most } items at once.
error-post-changed = This post has changed
    .detail = The post was changed after you opened it. Read the new version below before you decide; what you wrote is still in the form.
invalid-action = Select an action from the list.
error-request-in-progress = A request with the same Idempotency-Key is still in progress
    .detail = Wait a second, then send the request again.
error-response-lost = The response to this request was lost
    .detail = The request with this Idempotency-Key was interrupted and may have taken effect. Check whether the change was made before you send the request with a new key.
error-key-reused = This Idempotency-Key was used for a different request
    .detail = Each request needs a key of its own. Repeat a request with its key only if its method and URL are the same.
