
## Validation errors of account fields.

invalid-current-password = Incorrect password. Enter your current password.
invalid-approval-unused = Approval is only used if PUBLISHING is set to approved.
invalid-approval-staff = Staff can always publish and don’t need approval.
invalid-posts-choice = Choose what happens to your published posts: keep or delete.
invalid-whole-number = Enter a whole number from 1 to { $most }.
invalid-email = Enter an email address, such as name@example.com.
invalid-name-taken = This name is already taken. Choose another one.
invalid-claim-name = Your posts on this site use the name { $name }, which can’t be changed.
invalid-name-looks-taken = This name is too similar to an existing one. Choose another one.
invalid-username = Use 1 to 30 letters, digits, underscores, hyphens and dots.
invalid-accents = Use letters with at most one accent each.
invalid-scripts = Use letters from only one alphabet.
invalid-name-reserved = This name is reserved. Choose another one.
invalid-display-name = Use 1 to 50 characters.
invalid-no-letter = Use at least one letter or digit.
invalid-former-author = This name is used for deleted accounts. Choose another one.
invalid-role-name = This name is reserved for staff. Choose another one.
invalid-display-name-taken = This name is too similar to someone else’s username. Choose another one.
invalid-owner-code = Incorrect code. Use the code in the setup link that the server printed, or wrote to a file, when it started.
invalid-password-short = Use at least 8 characters.
invalid-password-long = Use at most 256 characters.
invalid-password-easy = This password is too easy to guess. Try several unrelated words.
invalid-password-name = Your password can’t contain your username or email address.
invalid-username-or-email = Enter either a username or an email address, not both.
invalid-website = Enter a URL that starts with https:// or http://, contains no username or password, and is at most 500 bytes long.
invalid-avatar = Upload a file, or use the path of one of your images on this site (/images/…).
invalid-no-such-image = You don’t have this image. Choose one of your uploaded images.
invalid-code-needed = Two-factor authentication is on. Enter a code from your authenticator app or a recovery code.
invalid-code = This code is incorrect, expired or already used. Check it, or wait for the next one.
invalid-two-factor-on = Two-factor authentication is already on.
invalid-two-factor-off = Two-factor authentication is already off.
invalid-concurrent-change = Your account was changed a moment ago. Reload the page and try again.

## Reserved names: the author name of deleted accounts, and names of staff roles, separated by commas.

former-author = a former author
reserved-roles = admin, administrator, moderator, staff, owner

## Messages after successful actions.

done-approved = { $name } can now publish posts.
done-not-approved = { $name } can no longer publish posts. Published posts stay online; scheduled posts won’t be published.
done-deletion-scheduled = You’re signed out everywhere, and your account will be deleted on { $time }. To keep it, sign in before then and cancel the deletion.
done-deletion-cancelled = Deletion cancelled. Your account stays as it is.
done-no-deletion-scheduled = Your account wasn’t scheduled for deletion.
done-email-change-link-sent = We sent a link to { $email }. Open it to confirm your new email address.
done-email-set = Your email address is now { $email }.
done-email-confirmed = { $email } is confirmed.
done-email-already-confirmed = { $email } is already confirmed.
done-confirmation-link-sent = We sent a confirmation link to { $email }. It’s valid for three days.
done-session-already-ended = That session has already ended.
done-session-ended = Signed out of that session.
sessions-no-others = You have no other sessions.
done-sessions-ended =
    { $count ->
            [one] Signed out of one other session.
           *[other] Signed out of { $count } other sessions.
        }
done-invitation-created = Invitation created. Its link is at the top of the list below and is valid until { $time }.
done-invitation-revoked = Invitation revoked. Its link can no longer be used to create accounts.
done-owner = Welcome, { $name }. You’re now the owner of this site.
done-password-reset = Your password has been changed, and you’re signed out everywhere. Sign in with your new password.
done-password-reset-requested = If this account exists and its email address is confirmed, you’ll get an email with a link. The link is valid for one hour.
done-profile = Profile saved.
done-registered =
    Welcome, { $name }. You’re signed in.{ $mail ->
            [yes] {" "}We’re emailing you a link to confirm your address.
           *[no] {""}
        }
done-welcome-back = Welcome back, { $name }.
done-two-factor-off = Two-factor authentication is off. You now sign in with only your password.
done-signed-out = You’ve signed out.
done-password-changed = Your password has been changed. You’re signed out everywhere else.
done-language = The site is now in { $language }.

## Device names in the list of sessions.

device-on = { $program } on { $system }
device-unknown = Unknown app
device-unknown-on = Unknown app on { $system }

## Account pages.

list-comma = ,{" "}
account-title = Your account
account-security = Security
account-data = Your data
account-email-confirmed = confirmed
account-email-unconfirmed = not confirmed yet
account-confirm-email-hint = Until you confirm this email address, we won’t send other emails to it, and you can’t reset a forgotten password.
account-send-confirmation-link = Send confirmation link
account-no-mail = This site doesn’t send email. If you forget your password, ask the site’s staff to reset it.
account-new-email = New email address
account-new-email-description = We’ll send a confirmation link to the new address. Once you’ve confirmed it, we’ll notify the old address.
account-change-email = Change email address
confirm-title = Confirm your email address
confirm-heading = Is this your email address?
confirm-description = <bdi dir="ltr">{ $email }</bdi> will become the email address of the account <bdi>{ $name }</bdi>. Emails about the account will be sent there.
confirm-button = Confirm email address
delete-account-title = Delete your account
delete-account-scheduled = Your account will be deleted
delete-account-with-posts = Your published posts will be deleted too.
delete-account-posts-stay = Your published posts will stay online, credited to “{ $name }”.
delete-account-cancel-hint = Until your account is deleted, you can cancel the deletion with the button at the top of any page.
delete-account-export = Download all your data
delete-account-description = You’ll be signed out everywhere immediately. For one week, nothing else changes: to keep your account, sign in and cancel the deletion. After one week:
delete-account-name = Your name, email address, password and sign-in history are deleted. Your name becomes available to others.
delete-account-drafts = Your drafts are deleted.
delete-account-ratings = Your ratings still count, so scores don’t change, but nobody can see that they were yours.
delete-account-export-first = You may want to <a href="/users/export/">download all your data</a> first.
delete-account-posts = What should happen to your published posts?
delete-account-keep-posts = Keep my posts, credited to “{ $name }”
delete-account-delete-posts = Delete my posts and the ratings they received
delete-account-button = Delete my account
invitations-title = Invitations
invitations-open = Registration is open to everyone. Use a link to invite a person by email, or to give a person the role of an author.
invitations-email-hint = The link is sent to this address and works once. Leave it empty to copy the link yourself.
invalid-invited-role = Only owners can invite moderators.
invalid-no-mail-server = The site sends no email. Leave the address empty and copy the link.
done-invitation-sent = Invitation sent to { $email }. The link is valid until { $time }.
invitations-closed = Registration is closed, so invitation links don’t work. They’re only used if <code>REGISTRATION</code> is set to <code>invite</code>.
invitations-max-uses-hint = How many people can create an account with the link: 1 to 1,000.
invitations-days-hint = How long the link is valid: 1 to 365 days.
invitations-create = Create invitation
invitations-none = No invitations yet.
invitations-joined = { $uses } of { $max_uses } joined.
invitations-created-by = Created by <bdi>{ $name }</bdi>.
invitations-used-up = Used up
invitations-expired = Expired on { $time }
invitations-valid-until = Valid until { $time }
invitations-accounts-deleted = All accounts created with this link have been deleted.
invitations-others = and others
invitations-revoke = Revoke
sign-in-title = Sign in
sign-in-to-rate =
    { $stars ->
            [one] Sign in to rate “<bdi>{ $title }</bdi>” { $stars } star
           *[other] Sign in to rate “<bdi>{ $title }</bdi>” { $stars } stars
        }
sign-in-two-factor = Two-factor authentication
sign-in-code-hint = The six-digit code from your authenticator app, or a recovery code.
sign-in-codes-lost = Lost your authenticator app and your recovery codes? Contact the site’s staff.
sign-in-start-over = Start over
sign-in-no-account = New here?
username-hint = Shown with your posts. 1 to 30 letters of any alphabet, digits, underscores, hyphens and dots.
email-hint = Only you can see it.
password-hint = At least 8 characters. Use several unrelated words and avoid common passwords.
owner-title = Owner account
owner-heading = Create the owner account
owner-description = This site has no owner yet. If it’s yours, create your account here. Owners can edit and delete all posts and decide who else can.
owner-code-hint = The code is part of the setup link that the server printed, or wrote to a file, when it started. It proves that you control the server.
owner-button = Create owner account
owner-just-browsing = Just browsing? Go to the <a href="/blogs/">posts</a>.
owner-just-browsing-register = Just browsing? <a href="/users/register/">Create an account</a> as a reader, or go to the <a href="/blogs/">posts</a>.
password-change-title = Change your password
password-change-description = When you change your password, you’ll be signed out everywhere else.
password-change-button = Change password
password-reset-choose = Choose a new password
password-reset-title = Forgot your password?
password-reset-description = When you choose a new password, you’ll be signed out everywhere.
password-reset-instructions = If your account’s email address is confirmed, we’ll send a link to it. The link is valid for one hour.
password-reset-button = Send link
password-reset-no-mail = This site doesn’t send email. Ask the site’s staff to reset your password.
profile-title = Your profile
profile-avatar-hint = Cropped to a square. PNG, JPEG, WebP or GIF, up to 10 MiB.
profile-avatar-current = Your current profile picture
profile-avatar-remove = Remove picture
profile-display-name-hint = Optional. Shown instead of your username; up to 50 characters.
profile-about-hint = Shown on your author page. Up to 2,000 characters; Markdown is supported.
profile-link-hint = Your website or another profile (https://…).
profile-language-hint = Used for this site and for emails to you.
profile-language-browser = Browser language
profile-time-zone-site = Same as the site ({ $zone })
profile-save = Save
register-title = Create account
register-invited =
    <bdi>{ $name }</bdi> invites you to <bdi>{ $site }</bdi> as { $role ->
        [author] an author
        [moderator] a moderator
       *[reader] a reader
    }. The invitation is valid until { $time }.
register-signed-in = You’re signed in as <bdi>{ $name }</bdi>. Creating another account will sign you in to that one.
register-already = Already have an account?
claim-title = Claim your account
claim-intro = Your posts from the previous blog are here under the name <bdi>{ $name }</bdi>. To claim this account, enter your email address and choose a password.
second-factor-title = Two-factor authentication
second-factor-codes = Your recovery codes
second-factor-codes-description = Save these codes now: they won’t be shown again. Each one lets you sign in once without your authenticator app. Earlier codes no longer work.
second-factor-on-since = Two-factor authentication has been on since { $day }. You need a code from your authenticator app to sign in.
second-factor-codes-left =
    { $count ->
            [one] You have { $count } recovery code left.
           *[other] You have { $count } recovery codes left.
        }
second-factor-new-codes-hint = You can generate new recovery codes below.
second-factor-new-codes = New recovery codes
second-factor-new-codes-button = Generate new codes
second-factor-code-hint = A code from your authenticator app, or a recovery code.
second-factor-digits-hint = The six-digit code from your authenticator app.
second-factor-scan-qr-code = Scan this QR code with your authenticator app, or enter this key in the app: <code class="secret" dir="ltr">{ $secret }</code>
second-factor-open-app = Open the authenticator app on this device
second-factor-qr-code = QR code for your authenticator app
second-factor-on-button = Turn on two-factor authentication
second-factor-off-button = Turn off two-factor authentication
second-factor-sign-out-hint = If you continue, you’ll be signed out everywhere else.
second-factor-is-off = Two-factor authentication is off. When it’s on, you need a code from an app on your phone in addition to your password. A stolen password is then not enough to sign in.
second-factor-set-up = Set up two-factor authentication
sessions-title = Sessions
sessions-description = Device names are reported by the browser. Last activity is accurate to within five minutes.
sessions-unknown-device = Unknown device
sessions-current = (current session)
sessions-from = Signed in from <bdi dir="ltr">{ $network }</bdi>.
sessions-since = Started on { $since }, last active { $used }
sessions-sign-out = Sign out this session
sessions-sign-out-others = Sign out everywhere else
sessions-unrecognized = See a session that isn’t yours? Sign it out and <a href="/users/password_change/">change your password</a>.
tokens-title = API tokens
tokens-description = With an API token, a program can act for you without your password. Send it in the header <code>Authorization: Bearer ek_…</code>.
tokens-created = New API token: { $name }
tokens-created-description = Copy the token now. It is not shown again.
tokens-none = You have no API tokens.
tokens-scopes = Scopes: { $scopes }
tokens-expires = Expires on { $time }.
tokens-never-expires = Does not expire.
tokens-used = Last used { $used } from <bdi dir="ltr">{ $network }</bdi>.
tokens-unused = Never used.
tokens-revoke = Revoke
tokens-new = New API token
tokens-name-hint = The program that uses the token, for example “backup script”.
tokens-days =
    { $days ->
        [one] { $days } day
       *[other] { $days } days
    }
tokens-never = Never
tokens-create = Create token
done-token-revoked = The API token “{ $name }” has been revoked.
scope-read = Read posts, ratings, drafts and reports. Every token can do this.
scope-rate = Rate posts.
scope-write = Write posts, upload images and report posts.
scope-account = Read and change the account, apart from its password, two-factor authentication and tokens.
scope-admin = Use your staff role and the admin area.
password-change-end-tokens = Also revoke all API tokens
device = { $program }
export-readme =
    This archive contains the data that the site stores about your account. It doesn’t contain your password, of which
    only a hash is stored, or the request counters that protect the site from overload.
    
    account.json – your account, and who invited you
    sessions.json – your sessions, and the IP networks that you signed in from
    posts.json – your posts and drafts, without their text
    posts/ – the text of your posts and drafts, as you wrote it (Markdown)
    revisions.json – earlier versions of your posts and drafts, with their text
    images.json – your images and their alt text
    images/ – the image files, as stored on the site
    ratings.json – your ratings; “waits” is true for ratings that aren’t counted yet
    refused_ratings.json – your recent ratings that a rating limiter blocked
    reports.json – your reports, and decisions about them and about your posts
    limits.json – other limits on your requests, if staff set any
    pauses.json – posts for which your failed rating attempts were counted, and any pauses
    staff.json – your decisions as staff, and the people you invited
    log.json – audit log entries about your actions and about your account
    
    All times are in UTC. Changes made while the archive was being created may be missing.
invitations-what = Links that let people create an account, with their creators and the number of people who joined.
invitations-all = All
invitations-valid = Valid
invitations-expired-or-used-up = Expired or used up
invitations-all-link = Search all invitations or revoke several at once
