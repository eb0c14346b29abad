
## What is wrong with an account's fields.

invalid-current-password = This is not your current password.
invalid-approval-unused = Only where PUBLISHING is approved do staff decide this.
invalid-approval-staff = Staff may always publish.
invalid-posts = Choose whether they stay (keep) or are deleted (delete).
invalid-whole-number = Use a whole number from 1 to { $most }.
invalid-email = Enter an e-mail address such as name@example.com.
invalid-name-taken = This name is taken. Please choose another.
invalid-claim-name = Your posts are here under the name { $name }, which cannot be changed.
invalid-name-looks-taken = Somebody has a name that looks like this. Please choose another.
invalid-username = Use 1 to 30 letters, digits, underscores, hyphens and dots.
invalid-accents = Use letters without several accents on top of each other.
invalid-scripts = Use letters of one script.
invalid-name-reserved = This name is reserved. Please choose another.
invalid-display-name = Use 1 to 50 characters.
invalid-no-letter = Use at least one letter or digit.
invalid-former = This is what is shown for those who are gone. Choose another.
invalid-role = This says what somebody may do here, and is no name. Choose another.
invalid-display-name-taken = Somebody has a username that looks like this. Choose another.
invalid-owner-code = This is not the code that the site has printed.
invalid-password-short = Use at least 8 characters.
invalid-password-long = Use at most 256 characters.
invalid-password-easy = This password is too easy to guess. Try a few words that do not belong together.
invalid-password-name = Leave your username and your e-mail address out of your password.
invalid-username-or-email = Send either a username or an e-mail address.
invalid-website = Use an address that begins with https:// or http:// and has no user’s name in it, at most 500 bytes long.
invalid-avatar = Send a file, or use the address of a picture of yours here (/images/…).
invalid-no-such-image = You have no such picture here.
invalid-code-needed = Your second factor is on: type a code of your app, or one of your recovery codes.
invalid-code = This is not the code of this moment, or it was used before. Check it, or wait for the next one.
invalid-factor-on = Your second factor is on already.
invalid-factor-off = Your second factor is not on.
invalid-changed-meanwhile = This was changed a moment ago.

## What nobody may call themselves: what is shown for those who are gone, and what somebody may do here, between commas.

former-author = a former author
reserved-roles = admin, administrator, moderator, staff, owner

## What an act has done.

done-approved = { $name } may publish now.
done-not-approved = { $name } may not publish any more. What they have published stays; nothing is scheduled.
done-deletion-asked = You are signed out everywhere, and your account will be deleted on { $time }. Sign in before that to keep it.
done-account-kept = Your account stays, with all that is in it.
done-account-not-kept = Your account was not to be deleted.
done-email-link = A mail to { $email } has a link. When you use it, that is your address.
done-email-set = Your e-mail address is { $email }.
done-email-confirmed = { $email } is confirmed.
done-email-confirmed-already = { $email } is confirmed already.
done-email-link-again = A mail to { $email } is on its way. Use its link within three days.
done-session-over = That session has ended already.
done-session-ended = You are signed out there.
sessions-no-other = You are signed in nowhere else.
done-sessions-ended =
    { $count ->
            [one] You are signed out in one other place.
           *[other] You are signed out in { $count } other places.
        }
done-invitation-made = The link is the first below. It is good until { $time }.
done-invitation-ended = Nobody can register by that link any more.
done-owner = Welcome, { $name }. This site is yours.
done-password-reset = Your password is changed, and you are signed out everywhere. Sign in with the new one.
done-reset-asked = If there is such an account, and its e-mail address is confirmed, a mail is on its way. Its link is good for an hour.
done-profile = Your profile is saved.
done-registered =
    Welcome, { $name }. You are signed in.{ $mail ->
            [yes] {" "}A mail to you has a link to confirm your address.
           *[no] {""}
        }
done-welcome-back = Welcome back, { $name }.
done-factor-off = Your second factor is off: your password alone lets you in.
done-signed-out = You are signed out.
done-password-changed = Your password is changed. You are signed out everywhere else.
done-language = This site speaks { $language } to you now.

## Devices, as they say of themselves.

device-on = { $program } on { $system }
device-program = a program
device-program-on = a program on { $system }

## Pages of accounts.

list-comma = ,{" "}
account-title = Your account
account-back = Back to your account
account-email-confirmed = confirmed
account-email-unconfirmed = not confirmed yet
account-until-confirmed = Until it is confirmed, no mail is sent there, and a forgotten password cannot be replaced.
account-send-link = Send the link to confirm it
account-no-mail = This site sends no mail. A forgotten password can only be replaced by those who run it.
account-second-factor = <a href="/users/second_factor/">Second factor</a>, a code of an app at sign-in
account-export = <a href="/users/export/">Download all your data</a> (a ZIP archive with JSON and Markdown)
account-other-email = Another e-mail address
account-other-email-how = We send a link to it. It is yours when you use that, and the address of before is told.
account-change-email = Change the address
confirm-title = Confirm your e-mail address
confirm-heading = Is this your address?
confirm-what = <bdi dir="ltr">{ $email }</bdi> is to be the address of the account <bdi>{ $name }</bdi>. Mail about the account will be sent there.
confirm-button = Confirm the address
delete-account-title = Delete your account
delete-account-asked = Your account will be deleted
delete-account-with-posts = Your published posts will be deleted with it.
delete-account-posts-stay = Your published posts will stay, by “{ $name }”.
delete-account-until-then = Until then you can keep it, with all that is in it: the button stands on top of every page.
delete-account-export = Download all your data
delete-account-what = You are signed out everywhere at once. For a week nothing else changes, and you can come back: sign in and choose to keep the account. After that:
delete-account-name = Your name, your e-mail address, your password and where you signed in are gone. Your name is free for others.
delete-account-drafts = Your drafts are gone.
delete-account-ratings = Your ratings stay counted, so that scores stay what they are, but nobody can tell any more that they were yours.
delete-account-export-first = You may want to <a href="/users/export/">download all your data</a> first.
delete-account-posts = What becomes of your published posts?
delete-account-keep-posts = They stay, by “{ $name }”
delete-account-delete-posts = They are deleted, with the ratings that others gave them
delete-account-button = Delete my account
invitations-title = Invitations
invitations-open = Registration is open to everybody, so these links are of no use now. They are where <code>REGISTRATION</code> is <code>invite</code>.
invitations-closed = Registration is closed, so these links are of no use now. They are where <code>REGISTRATION</code> is <code>invite</code>.
invitations-people-hint = How many may register by the link: 1 to 1,000.
invitations-days-hint = For how long: 1 to 365.
invitations-make = Make a link
invitations-none = There are none yet.
invitations-came = { $came } of { $people } came.
invitations-made-by = Made by <bdi>{ $name }</bdi>,
invitations-used-up = used up
invitations-over = over since { $time }
invitations-good-until = good until { $time }
invitations-gone = They are gone.
invitations-others = and others
invitations-end = End it
sign-in-title = Sign in
sign-in-to-rate =
    { $stars ->
            [one] Sign in to give { $stars } star to “<bdi>{ $title }</bdi>”
           *[other] Sign in to give { $stars } stars to “<bdi>{ $title }</bdi>”
        }
sign-in-one-more-step = One more step
sign-in-code-hint = The six digits that your authenticator app shows now, or one of your recovery codes.
sign-in-lost-both = Lost both? Those who run this site can help you.
sign-in-begin-again = Begin again
sign-in-new-here = New here?
username-hint = 1 to 30 letters, digits, _, - and . of any script. Shown beside what you write.
email-hint = Shown to nobody but you.
password-hint = At least 8 characters, and not one that many people use. A few unrelated words are best.
owner-title = The owner’s account
owner-heading = Whose site is this?
owner-what = Nobody runs it yet. If it is yours, make your account here. It may change and delete all posts, and decide who else may.
owner-code-hint = The site printed a link with it when it was started. It shows that you are who started it.
owner-button = Make my account
owner-only-looking = Only looking? Go to the <a href="/blogs/">posts</a>.
owner-only-looking-register = Only looking? <a href="/users/register/">Register</a> as a reader, or go to the <a href="/blogs/">posts</a>.
password-change-title = Change your password
password-change-what = You will be signed out everywhere else.
password-change-button = Change password
password-reset-choose = Choose a new password
password-reset-title = Forgotten your password?
password-reset-what = You will be signed out everywhere.
password-reset-how = We send a link to the e-mail address of your account, if you have confirmed it. The link is good for an hour.
password-reset-button = Send the link
password-reset-no-mail = This site sends no mail, so it cannot send you a link. Those who run it can give you a new password.
profile-title = Your profile
profile-avatar-hint = Of you. The square in its middle is shown, small. PNG, JPEG, WebP or GIF, up to 10 MiB.
profile-avatar-now = Your picture now
profile-avatar-remove = Remove it
profile-display-name-hint = Stands beside what you write, in place of your username. Up to 50 characters; empty for none.
profile-about-hint = For your page, in Markdown. Up to 2,000 characters.
profile-link-hint = Where else you are: https://…
profile-language-hint = The pages of this site and its mails to you are in it.
profile-language-any = As my browser asks
profile-time-zone-hint = Such as Europe/Berlin: times are shown to you in it. Empty for that of the site, { $zone }.
profile-save = Save
register-title = Register
register-signed-in = You are signed in as <bdi>{ $name }</bdi>. This makes another account, and signs you in to it.
register-already = Already registered?
claim-title = Claim your account
claim-intro = The posts that you wrote on the previous blog are here, under the name <bdi>{ $name }</bdi>. Enter your email address and choose a password, and the account is yours.
second-factor-title = Second factor
second-factor-codes = Your recovery codes
second-factor-codes-what = Write them down or print them now: they are not shown again. Each lets you in once if you have lost your app. If you had others before, they are of no use any more.
second-factor-on-since = It is on since { $day }: signing in needs a code of your authenticator app.
second-factor-codes-left =
    { $count ->
            [one] You have { $count } recovery code.
           *[other] You have { $count } recovery codes.
        }
second-factor-make-new = Make new ones.
second-factor-new-codes = New recovery codes
second-factor-new-codes-button = Make new codes
second-factor-code-hint = A code of your app, or one of your recovery codes.
second-factor-digits-hint = The six digits that the app shows now.
second-factor-read-picture = Have your authenticator app read this picture, or type this into it: <code class="secret" dir="ltr">{ $secret }</code>
second-factor-open-app = Open the app on this device
second-factor-picture = QR code for your authenticator app
second-factor-on-button = Turn it on
second-factor-off-button = Turn it off
second-factor-signs-out = This signs you out everywhere else.
second-factor-is-off = It is off: your password alone lets you in. With a second factor, signing in needs a code of an app on your phone, too, so that whoever learns your password still cannot.
second-factor-set-up = Set it up
sessions-title = Where you are signed in
sessions-what = Devices are named as they say of themselves. The last use may be five minutes off.
sessions-unknown-device = Unknown device
sessions-this-one = (this one)
sessions-from = From <bdi dir="ltr">{ $network }</bdi>.
sessions-since = Since { $since }, last used { $used }
sessions-end = Sign out there
sessions-end-others = Sign out everywhere else
sessions-unknown = Do you not know one of them? <a href="/users/password_change/">Change your password</a>, too.
device = { $program }
export-readme =
    This is what the site keeps of your account. Not in it: your password, of which only a hash is kept, and counts of your
    latest requests, by which the site is kept from being flooded.
    
    account.json – your account, and by whose invitation you came
    sessions.json – where you are signed in, and the networks that you have signed in from
    posts.json – your posts and drafts, without their texts
    posts/ – their texts, as you wrote them (Markdown)
    images.json – your pictures, and what you said that they show
    images/ – the pictures themselves, as the site keeps them
    ratings.json – the ratings that you gave; “waits” is true for those that are not counted yet
    refused_ratings.json – ratings of yours of late that a limiter did not admit
    reports.json – what you reported, and what was decided about that and about your posts
    pauses.json – posts that you tried to rate so often that it was counted
    staff.json – what you decided as staff, and whom you invited
    log.json – what was done by you, as staff or to your account, and what was done to it
    
    Times are in UTC. What you changed while this was written may be in it or not.
invitations-what = Links by which people may register: who made each, and how many came by it.
invitations-all = all
invitations-usable = good for now
invitations-ended = over or used up
invitations-all-link = All invitations, to search and to end several at once
