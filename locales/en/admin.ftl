admin-title = Admin
admin-group-moderation = Moderation
admin-group-people = People
admin-menu = Admin menu
admin-dashboard = Dashboard
admin-description = Manage posts, people and ratings.
log-title = Audit log
log-what = Staff decisions, account changes and automatic actions. Passwords and the text of posts and emails are never recorded.
log-all-actions = All actions
log-filter = Filter
log-clear-filters = Clear filters
log-unknown-actor = System or deleted account
log-post = Post { $id }

## Actions in the audit log

act-days-exclude = Excluded days from a score
act-days-restore = Restored excluded days to a score
act-post-change = Edited another user’s post
act-post-delete = Deleted another user’s post
act-revision-delete = Deleted an earlier version of another user’s post
act-user-delete-drafts = Deleted the drafts of a blocked user
act-post-unpublish = Unpublished another user’s post
act-author-approve = Allowed a user to publish
act-author-disapprove = Revoked a user’s permission to publish
act-invitation-make = Created an invitation
act-invitation-end = Revoked an invitation
act-staff-make = Created a staff account
act-password-change = Changed a password
act-password-reset = Reset a password by email
act-email-change = Changed an email address
act-second-factor-on = Turned on two-factor authentication
act-second-factor-off = Turned off two-factor authentication
act-second-factor-codes = Generated new recovery codes
act-sessions-end = Ended sessions
act-token-create = Created an API token
act-token-revoke = Revoked an API token
act-deletion-ask = Requested account deletion
act-deletion-cancel = Cancelled account deletion
act-account-erase = Deleted an account after its one-week grace period
role-reader = reader
role-author = author
role-moderator = moderator
role-admin = admin
role-owner = owner
act-limiter-choose = Changed the rating limiter
act-limiter-undo = Undid a rating limiter change
admin-limiter = Rating limiter
limiter-purpose = A rating limiter bounds how fast each post can receive ratings. It slows sudden bursts, so that the queue and the database keep up and the site stays responsive.
limiter-protection =
    { $steady ->
        [yes] It isn’t what keeps a brigade from moving the score: the steady score does that, even if the limiter admits every rating of the brigade.
       *[no] It isn’t what keeps a brigade from moving the score: only the steady score does that, and this site shows the average instead.
    }
limiter-recommendation = We recommend “{ $limiter }”: in a comparison with 300,000 real ratings, it blocked no honest ones. The limiters that stop more of a sudden brigade also block honest ratings, a brigade that takes a week gets most of its ratings past all of them, and the steady score hardly moves with any limiter. If you expect a brigade in the first hours of a post, choose “{ $guard }” for that post.
limiter-recommended = Recommended
limiter-active = Active limiter: { $limiter }
limiter-from-settings = Using the default from RATING_LIMITER.
limiter-overridden = This override replaces the default from RATING_LIMITER ({ $limiter }):
limiter-change = Change limiter
limiter-change-post = Change limiter for post { $post }
limiter-undo = Use the limiter from RATING_LIMITER
limiter-undo-post = Use the site’s limiter for post { $post }
limiter-parameter = Parameter
limiter-parameter-value = Value
limiter-parameter-description = Effect
limiter-posts = Posts with their own limiter
limiter-posts-description = A limiter set for a post replaces the site’s limiter for that post.
limiter-posts-none = No posts have their own limiter.
limiter-recent-changes = Recent changes
limiter-choose = Choose a limiter
limiter-choose-site = Applies to the whole site, except posts with their own limiter. Currently active: { $limiter }.
limiter-choose-post = Applies only to <a href="{ $path }">{ $title }</a>. Currently active: { $limiter }.
limiter-list = Limiters
limiter-post-title = Title contains
limiter-find-post = Find post
limiter-advanced = Advanced: parameters of { $limiter }
limiter-advanced-hint = To activate changed parameters, select “Compare limiters” first: the form below the comparison then contains them.
limiter-default = Default
limiter-same-as-settings = Default limiter and parameters from the server settings
limiter-same-as-site = Same limiter as the rest of the site
limiter-confirm-description = The limiter takes effect immediately for all new ratings, on every instance. What limiters have learned about posts is discarded. To go back, activate the previous limiter again.
admin-reason-hint = Visible to staff in the audit log. Up to 300 characters.
confirm-password-hint = Confirm your password to continue. You won’t be asked again for 15 minutes.
limiter-activate = Activate limiter
done-limiter-chosen = Limiter changed. Now active for the site: { $limiter }.
done-limiter-chosen-post = Limiter changed. Now active for post { $post }: { $limiter }.
done-limiter-undone = Change undone. Now active for the site: { $limiter }.
done-limiter-undone-post = Change undone. Now active for post { $post }: { $limiter }.
replay-title = Compare limiters
replay-description =
    Based on all ratings of the last { $days ->
            [one] day
           *[other] { $days } days
        } on this site, including blocked ones (one per user, post and hour).
replay-description-post =
    Based on all ratings of “{ $title }” in the last { $days ->
            [one] day
           *[other] { $days } days
        }, including blocked ones (one per user, post and hour).
replay-brigade-description = A rating counts as brigading if moderators excluded its day from the score, or if it arrived in an hour of unusual activity and differs from the score by at least one star, in the same direction as the ratings blocked in that hour. All other ratings count as honest. Before the comparison, each limiter learns from the ratings of the preceding 90 days. Ratings that were blocked before this site started to record blocked ratings are missing.
replay-method = How the ratings are classified
replay-done =
    { $ratings ->
            [one] { $ratings } rating
           *[other] { $ratings } ratings
        } of { $posts ->
            [one] { $posts } post
           *[other] { $posts } posts
        }; likely brigading: { $crowd }
replay-verdict = The active limiter, { $limiter }, blocked { $refused } of the honest ratings and admitted { $admitted } of the brigade ratings.
replay-better = { $limiter } would have made fewer errors: it would have blocked { $refused } of the honest ratings and admitted { $admitted } of the brigade ratings. A post’s score would have changed by at most { $moved } ★; with the active limiter it was { $now } ★.
replay-none-better = No other limiter would have made fewer errors.
replay-plot-caption = Limiters near the bottom left make few errors. The blue point is the active limiter. Above 0%, the scales are logarithmic.
replay-plot-label = Plot of the errors of each limiter. The numbers are in the table below.
replay-truncated = Only the newest of { $posts } posts with ratings in this period are included, because comparing all of them would take too long. To include every post, run `evenkeel replay --database`.
replay-empty = There are no ratings in this period, so there’s nothing to compare.
replay-honest-refused = Honest ratings blocked
replay-brigade-admitted = Brigade ratings admitted
replay-point =
    { $limiter }
    Honest ratings blocked: { $refused }
    Brigade ratings admitted: { $admitted }
replay-average-change = Largest change in average
replay-steady-change = Largest change in score
replay-change-description = The changes say how far the brigade would have moved the average and the score of any post at most, at any time.
replay-active = currently active
replay-selected = your selection
replay-from-settings = Limiters without a label have the parameters from the server settings.
replay-days = Days to compare
replay-days-hint = From 1 to 90. Ratings from these days are replayed through each limiter.
replay-compare = Compare limiters
users-title = Accounts
users-what = Block accounts, sign users out and manage staff roles.
users-all = All
users-blocked = Blocked
users-staff = Staff
users-pending-deletion = Scheduled for deletion
users-blocked-until = Blocked until { $time }
users-blocked-indefinitely = Blocked indefinitely
users-deletion-at = Scheduled for deletion on { $time }
users-posts =
    { $count ->
            [one] { $count } post
           *[other] { $count } posts
        }
users-email-unconfirmed = Email not confirmed
action-block = Block
action-block-what = Blocked users can read, export their data and delete their account, but can’t post or rate. Existing posts and ratings stay. They see the reason and end date by email and on every page.
action-block-done =
    { $count ->
            [one] { $name } is now blocked.
           *[other] { $count } accounts blocked.
        }
action-unblock = Unblock
action-unblock-what = Unblocked users can post and rate again right away, and are notified by email.
action-unblock-done =
    { $count ->
            [one] { $name } is no longer blocked.
           *[other] { $count } accounts unblocked.
        }
action-delete-drafts = Delete drafts
action-delete-drafts-what = All drafts of these blocked users are deleted, except posts that staff took down. This can’t be undone.
action-delete-drafts-done =
    { $count ->
            [one] Drafts of { $name } deleted.
           *[other] Drafts of { $count } users deleted.
        }
action-reset-warning = Reset warning level
action-reset-warning-what = The warning level of these users becomes 0, so the normal request limits apply to them again.
action-reset-warning-done =
    { $count ->
            [one] { $name } has the normal request limits again.
           *[other] { $count } warning levels reset.
        }
action-sign-out = Sign out everywhere
action-sign-out-what = Ends all sessions of the selected users, who can sign in again with their current passwords.
action-sign-out-done =
    { $count ->
            [one] { $name } has been signed out everywhere.
           *[other] { $count } accounts signed out everywhere.
        }
action-role = Change role
action-role-what = Moderators manage posts, ratings and users. Admins can also manage the site, and owners can also assign roles.
action-role-done =
    { $count ->
            [one] The role of { $name } has been changed.
           *[other] { $count } roles changed.
        }
users-role-label = Role
users-no-role = none (not staff)
users-skipped-own = skipped: your own account
users-skipped-staff = skipped: staff with the same role as you or a higher one
users-skipped-unchanged = skipped: no change needed
users-days = Duration in days
users-days-hint = From 1 to 3650. Leave empty to block indefinitely.
users-block-reason-hint = Shown to the blocked users. Up to 300 characters.
act-user-block = Blocked an account
act-user-unblock = Unblocked an account
act-user-warning = Reset a user’s warning level
act-user-role = Changed a user’s role
users-skipped-unknown = skipped: no such account
users-skipped-not-blocked = skipped: not blocked
pauses-skipped-grace = skipped: unpaused less than 14 days ago
cases-skipped-involved = skipped: you wrote or reported this post, or its author has the same role as you or a higher one
cases-skipped-changed = skipped: changed after the first report, so decide it on its own page
act-report-decide = Resolved a report
act-appeal-decide = Resolved an appeal
list-no-results = No results
list-selected-actions = Actions for selected
cases-title = Reports
cases-what = Posts reported by users. Reports of the same post form one case; pending cases are listed oldest first. Sort by reports to list the cases of reliable reporters first.
cases-pending = Pending
cases-resolved = Resolved
cases-all = All
cases-open = Pending
cases-appealed = Appeal pending
cases-reports =
    { $count ->
            [one] { $count } report
           *[other] { $count } reports
        }
admin-case-title = Reported post
admin-case-view-post = View post
admin-case-draft = This post is now a draft that only its author can see.
admin-case-guest = Guest or deleted account
admin-case-by = Decided by { $name }.
admin-case-decide = Your decision
admin-case-appeal = Decision on the appeal
admin-case-new-decision = New decision
admin-case-description = The author and everyone who reported the post will see your decision and the reason. The side that the decision goes against can appeal once.
admin-case-keep = Keep the post up
admin-case-reason-hint = Shown to the author and the reporters. Name the passage and the rule or law it breaks, or explain why it’s allowed. Up to 3,000 characters.
admin-case-submit = Submit decision
admin-case-earlier = Earlier decisions about posts by this author
case-not-yours-author = You wrote this post, so another staff member has to decide.
case-not-yours-reporter = You reported this post, so another staff member has to decide.
case-not-yours-decision = This appeal is against your own decision, so another staff member has to decide.
case-not-yours-rank = The author has the same role as you or a higher one, so another user with a higher role has to decide.
case-view = View case
done-taken-down =
    “{ $title }” has been taken down. { $mail ->
            [yes] Both sides are notified by email, and can see the reason in their accounts.
           *[no] Both sides can see the reason in their accounts.
        }
done-report-dismissed =
    Report dismissed: “{ $title }” stays up. { $mail ->
            [yes] Both sides are notified by email, and can see the reason in their accounts.
           *[no] Both sides can see the reason in their accounts.
        }
posts-title = Posts
posts-what = Published posts, posts that wait for a review, and posts that staff unpublished or took down. Other drafts aren’t listed.
posts-published = Published
posts-pages = Pages
posts-page = Page
posts-taken-down = Taken down
posts-view-report = View report
posts-view-decision = View decision
ratings-title = Individual ratings
ratings-what = Enter a post to see its ratings (newest accounts first), or a user to see that user’s ratings (latest first).
tags-title = Tags
tags-what = Tags used in the latest 5,000 posts, with the number of posts for each.
signed-in-title = Sessions
signed-in-what = Signed-in users with their devices and networks. Device names are reported by the browsers.
api-tokens-title = API tokens
api-tokens-what = Tokens with which programs act for users. Sign a user out to revoke their tokens.
pauses-title = Rating pauses
pauses-what = Users who can’t rate a post because thousands of their attempts failed, or because staff paused them. They can also lift the pause themselves with a link.
pauses-active = Paused
pauses-failing = Failing, not paused
mails-title = Outbox
mails-what = Emails waiting to be sent. Sent emails aren’t kept, and the text of emails isn’t shown.
mails-all = All
mails-failed = Delivery failed
mails-will-retry = Delivery failed, will retry
states-title = Limiter state
states-what = Current usage of the limits on sign-in attempts, reports, exports, requests and ratings. Accounts are shown by ID or by a hash.
warnings-title = Flagged links
warnings-what = Published posts with URLs on a threat list. Pages don’t link to these URLs directly.

## Bulk actions of lists

action-keep-posts = Keep posts
action-keep-posts-what = The reports are dismissed and the posts stay up. The reporters get the reason by email and can appeal.
action-keep-posts-done =
    { $count ->
            [one] { $count } post kept.
           *[other] { $count } posts kept.
        }
action-take-down-posts = Take down posts
action-take-down-posts-what = The posts are taken down because they break this site’s rules. Authors and reporters get the reason by email, and authors can appeal.
action-take-down-posts-done =
    { $count ->
            [one] { $count } post taken down.
           *[other] { $count } posts taken down.
        }
action-decide-reason-hint = Shown to the author and the reporters. Name the passage and the rule it breaks, or explain why the posts are allowed. Up to 300 characters.
action-unpublish = Unpublish
action-unpublish-what = These posts become drafts and keep their ratings. Their authors can publish them again. To prevent that, take a post down through its report instead.
action-unpublish-done =
    { $count ->
            [one] { $count } post unpublished.
           *[other] { $count } posts unpublished.
        }
action-publish = Publish
action-publish-what = These posts become public. Posts that were public before keep their URLs and ratings.
action-publish-done =
    { $count ->
            [one] { $count } post published.
           *[other] { $count } posts published.
        }
action-return-posts = Return to author
action-return-posts-what = These posts stay drafts. Their authors get an email with your reason, and can submit them again.
action-return-posts-done =
    { $count ->
            [one] { $count } post returned.
           *[other] { $count } posts returned.
        }
action-end-sessions = End sessions
action-end-sessions-what = These sessions end immediately. Anyone who knows the password can sign in again.
action-end-sessions-done =
    { $count ->
            [one] { $count } session ended.
           *[other] { $count } sessions ended.
        }
action-pause = Pause
action-pause-what = These users can’t rate these posts until they lift the pause with the link that they are shown, or until staff lift it.
action-pause-done =
    { $count ->
            [one] { $count } user paused for a post.
           *[other] { $count } pairs of user and post paused.
        }
action-lift-pauses = Lift pauses
action-lift-pauses-what = Users who can’t rate a post because thousands of their attempts failed, or because staff paused them. They can also lift the pause themselves with a link.
action-lift-pauses-done =
    { $count ->
            [one] { $count } pause lifted.
           *[other] { $count } pauses lifted.
        }
action-send-mails = Send now
action-send-mails-what = Delivery is attempted now instead of at the scheduled time.
action-send-mails-done =
    { $count ->
            [one] Sending { $count } email now.
           *[other] Sending { $count } emails now.
        }
action-drop-mails = Delete without sending
action-drop-mails-what = These emails are deleted and never sent. This can’t be undone.
action-drop-mails-done =
    { $count ->
            [one] { $count } email deleted.
           *[other] { $count } emails deleted.
        }
action-forget-states = Reset limits
action-forget-states-what = Usage recorded for these keys is deleted, so they get their full limits back. The deleted state is kept in the audit log.
action-forget-states-done =
    { $count ->
            [one] Limits reset for { $count } key.
           *[other] Limits reset for { $count } keys.
        }
action-reset-limiter = Reset rating limiter
action-reset-limiter-what = Deletes the rating limiter’s state for these posts. Ratings are admitted again immediately, and the limiter starts learning from scratch. Ratings and scores don’t change. The deleted state is kept in the audit log.
action-reset-limiter-done =
    { $count ->
            [one] Rating limiter reset for { $count } post.
           *[other] Rating limiter reset for { $count } posts.
        }
invalid-no-rows-left = Nothing changed. The selected items no longer exist or were already in this state.
action-affected =
    { $count ->
            [one] Applies to { $count } item
           *[other] Applies to { $count } items
        }
action-skipped =
    { $count ->
            [one] { $count } selected item will be skipped: it no longer exists, needs no change, or you don’t have permission to change it.
           *[other] { $count } selected items will be skipped: they no longer exist, need no change, or you don’t have permission to change them.
        }
act-post-publish = Published another user’s post
act-post-return = Returned a submitted post to its author
act-pause-set = Paused a user’s ratings of a post
act-limit-set = Set a custom limit for a user or network
act-limit-end = Ended the custom limit of a user or network
act-pause-lift = Lifted a user’s rating pause
act-mail-send = Sent a queued email early
act-mail-drop = Deleted a queued email
act-limiter-forget = Reset a limiter

## Dashboard

dashboard-pending = Needs attention
dashboard-all-clear = All clear: nothing to review.
dashboard-reports =
    { $count ->
            [one] { $count } reported post to review
           *[other] { $count } reported posts to review
        }
dashboard-submitted-posts =
    { $count ->
            [one] { $count } submitted post to review
           *[other] { $count } submitted posts to review
        }
first-steps-title = First steps
first-steps-hide = Hide this list
first-step-done = Done:
first-step-skip = Skip
first-step-name = Name your blog
first-step-name-hint = Name, description, logo, color and menu are on the settings page.
first-step-people = Decide who may register and publish
first-step-people-hint = By default, everyone can register, publish and rate.
first-step-post = Write the first post
first-step-post-hint = A post needs a title and a text; you can save it as a draft.
first-step-invite = Invite a co-author
first-step-invite-hint = Invite people by link or email, as readers, authors or moderators.
first-step-mail = Set up email
first-step-mail-hint = Without email, users cannot reset their passwords. Set SMTP_URL on the server.
first-step-limiter = Look at the rating limiter
first-step-limiter-hint = It slows down bursts of ratings. The default suits most blogs.
dashboard-failed-emails =
    { $count ->
            [one] { $count } email with failed delivery
           *[other] { $count } emails with failed delivery
        }
dashboard-flagged-links =
    { $count ->
            [one] { $count } post with flagged links
           *[other] { $count } posts with flagged links
        }
dashboard-pauses =
    { $count ->
            [one] { $count } rating pause
           *[other] { $count } rating pauses
        }
dashboard-refused-ratings =
    { $count ->
            [one] { $count } rating attempt blocked in the last 24 hours.
           *[other] { $count } rating attempts blocked in the last 24 hours.
        }
dashboard-last-day = Last 24 hours
dashboard-visits-by-hour = Visits per hour
dashboard-ratings-by-hour = Ratings and changes per hour
dashboard-blocked-by-hour = Blocked rating attempts per hour
dashboard-hour =
    { $time }
    Visits: { $visits }, ratings: { $ratings }, blocked attempts: { $refused }
dashboard-times = Times are in { $zone }. The last hour is not over yet.
dashboard-visits-description = An account or network that views posts or lists of posts counts as one visit per hour. Staff and the other pages aren’t counted. Each instance counts separately. Updated every ten seconds.
column-hour-of-day = Hour
column-visits = Visits
column-page-views = Page views
column-rate-limited = Rate limited
column-errors = Errors
dashboard-system = System
dashboard-version = Version
dashboard-database = Database
dashboard-free-disk-space = Free disk space
action-reset-password = Force password reset
action-reset-password-what = The passwords of the selected users stop working, and all their sessions end. Each user gets an email with a link to choose a new password.
action-reset-password-done =
    { $count ->
            [one] The password of { $name } has been reset. An email with instructions is on its way.
           *[other] { $count } passwords reset. Emails with instructions are on their way.
        }
users-skipped-unreachable = skipped: can’t be reached by email
act-password-take = Forced a password reset
cases-guests =
    { $count ->
            [one] { $count } from a guest
           *[other] { $count } from guests
        }
admin-case-reported-text = Text when first reported
admin-case-current-text = Current text
admin-case-description-final = The author and everyone who reported the post will see your decision and the reason. The decision is final, unless the author hasn’t been heard yet: in that case, the author can still appeal.
posts-unpublished = Unpublished by staff
posts-submitted = Waiting for review
action-affected-none = Doesn’t apply to any of these items
action-unpublish-reason-hint = Shown to the author, and to staff in the audit log. Up to 300 characters.
log-kept = kept
log-taken-down = taken down
log-gone = deleted before a decision
log-law = breaks the law
log-rules = breaks site rules
action-end-invitations = Revoke invitations
action-end-invitations-what = Nobody can create an account with these links any more. Accounts already created with them stay.
action-end-invitations-done =
    { $count ->
            [one] { $count } invitation revoked.
           *[other] { $count } invitations revoked.
        }

## Custom limits

limits-title = Request limits
limits-what = Other limits for one user or one network, such as an office whose users share an address, or a bot that behaves well.
limits-target-hint = A username, an IP address, or a network such as 203.0.113.0/24.
limits-allowance-hint = Multiplier for the normal limits, such as 10 or 0.5, or “exempt” for no limit.
limits-days-hint = Number of days until the limit returns to normal. Leave this empty to keep it until you end it.
limits-sign-in = sign-ins, registrations, reports and email requests of a network
limits-failed-ratings = failed rating attempts before a user is paused
limits-add = Set limit
limits-list = Current custom limits
limits-none = All users and networks have the normal limits.
limits-times = { $factor } times the normal limit
limits-exempt = no limit
limits-over = ended { $time }
limits-no-end = until staff end it
limits-end = End
done-custom-limit-set = The limit of { $target } has been set.
done-custom-limit-ended = The normal limit applies again.

## Tables, pages of users and the dashboard.

column-select = Select
column-flagged-urls = Flagged URLs
column-joined = Joined
column-created = Created
column-key = Key
column-state = State
column-last-used = Last used
column-expires = Expires
column-recipient = Recipient
column-queued = Queued
column-next-attempt = Next attempt
mails-handed-over = Being sent
mails-waiting = Queued
column-changed-or-published = Published or changed
column-score = Score
column-rated = Rated
column-changed = Changed
column-account-created = Account created
column-device = Device
column-signed-in = Signed in
column-last-active = Last active
column-paused = Paused
column-failures = Failed attempts
column-affected = User or post
column-details = Details
column-time = Time
column-source = Network and request
column-opened = Opened
column-registered = Registered
column-text-size = Total post size
column-warning-level = Warning level
column-ratings-and-changes = Ratings and changes
user-actions = Actions for this account
user-see-all = See all
dashboard-unchanged = Same as the day before
dashboard-almost-unchanged = About as many as the day before
dashboard-none-before = None the day before
dashboard-more = { $percent } more than the day before
dashboard-fewer = { $percent } less than the day before
dashboard-latest = Latest: { $time }.
dashboard-review = Review
dashboard-exclude-day = Exclude day
dashboard-exclude-later = The day can be excluded once it is over (UTC).
act-webhook-create = Created a webhook
act-webhook-change = Changed a webhook
act-webhook-delete = Deleted a webhook
act-webhook-send = Sent a webhook event again
action-send-webhooks = Send again
action-send-webhooks-what = These events are sent to their webhooks again. Receivers can recognize repeated events by their ID.
action-send-webhooks-done =
    { $count ->
        [one] Sending { $count } event.
       *[other] Sending { $count } events.
    }
webhooks-title = Webhooks
webhooks-what = A webhook sends events of this site to another server, for example to a chat. Failed deliveries are retried for three days.
webhooks-none = There are no webhooks yet.
webhooks-new = Add a webhook
webhooks-create = Add webhook
webhooks-url-hint = The URL that receives the events, such as https://example.com/hook
webhooks-waiting = Queued events
webhooks-latest = Last successful delivery
webhooks-never = Never
webhooks-enabled = Enabled
webhooks-disabled = Disabled
webhooks-failing = Deliveries are failing
webhooks-disabled-failing = Disabled because deliveries failed
webhooks-gone = Disabled because the receiver responded with 410 Gone
webhook-title = Webhook
webhook-disabled-what = No events are sent. Check the receiver, then enable the webhook below.
webhook-secret-what = The receiver uses this secret to verify that requests come from this site, as described in <a href="https://www.standardwebhooks.com/">Standard Webhooks</a>. If the secret has leaked, add a new webhook and delete this one.
webhook-test = Send a test event
webhook-settings = Settings
webhook-save = Save
webhook-delete = Delete webhook
webhook-delete-what = Events that haven’t been delivered yet are discarded. This can’t be undone.
webhook-event-post-published = A post was published.
webhook-event-rating-surge-began = A post began to get unusually many ratings, and some were blocked.
webhook-event-rating-surge-ended = A post no longer gets unusually many ratings.
webhook-event-report-filed = A post was reported.
webhook-event-test = An admin tested the webhook.
deliveries-title = Webhook deliveries
deliveries-what = Events sent to webhooks in the last 30 days, and queued events.
deliveries-delivered = Delivered
deliveries-failed = Failed
deliveries-will-retry = Will retry
deliveries-waiting = Queued
done-webhook-created = Webhook added. Copy its secret to the receiver, then send a test event.
done-webhook-changed = Webhook saved.
done-webhook-tested = A test event will be sent in a few seconds. Reload this page to see the result.
done-webhook-deleted = Webhook deleted.
dashboard-failing-webhooks =
    { $count ->
        [one] { $count } webhook is failing
       *[other] { $count } webhooks are failing
    }
deliveries-now = Now
settings-title = Settings
settings-what = Settings of the site. Changes take effect at once.
settings-site = Site
settings-language = Language and time
settings-people = Readers and authors
settings-ratings = Ratings
settings-save = Save settings
settings-from-environment = Set by the environment variable <code>{ $variable }</code> of the server. Remove the variable to change the setting here.
settings-description-hint = One or two sentences for the front page, search engines and feeds.
settings-footer-hint = Text at the bottom of every page, such as a link to a legal notice. You can use Markdown.
settings-menu-hint = Links at the top of every page. One link per line, at most 8: the text, a space, and a path or URL. For example, “Birds /blogs/?tag=birds” links to the posts with a tag.
settings-logo-hint = Shown beside the name at the top of every page, 28 pixels high. PNG, JPEG or WebP.
settings-logo-current = Current logo
settings-icon-hint = Shown in browser tabs and on home screens. A square image of at least 240 pixels.
settings-icon-current = Current icon
settings-footer-menu-hint = Links at the bottom of every page, written like the menu at the top.
settings-menu-lines = Lines for pages and tags:
settings-menu-choices = Add a page or a tag to the menu
settings-new-page = Create a page, such as a legal notice
invalid-menu-entry = Write a text, a space, and a path or URL, such as “About /blogs/3/about/”, in place of “{ $line }”. The text can have up to 40 characters.
invalid-menu-length = A menu can have up to { $most } links.
settings-accent-hint = Color of links and buttons on light pages, such as #0b5573. Dark pages get a lighter shade if needed.
settings-accent-picker = Choose the accent color
settings-accent-too-light = Links in this color would be hard to read on a light page. Choose a darker color.
settings-preview-link = A link
settings-language-hint = For visitors whose browser prefers none of the languages of the site, and for emails to users who chose none.
settings-time-zone-hint = Times are shown in this zone unless a user chooses another.
settings-registration-open = Everybody
settings-registration-invite = People with an invitation
settings-registration-closed = Nobody
settings-publishing-hint = Others can write drafts.
settings-publishing-everybody = Every user
settings-publishing-reviewed = Authors and staff; posts of others wait for a review
settings-publishing-approved = Approved authors and staff
settings-publishing-staff = Staff
settings-account-age-hint = In hours. Empty: a new account can rate at once.
settings-confirmed-email-hint = Slows down brigades: each rating then needs a mailbox.
settings-not-required = Not required
settings-required = Required
settings-score-hint = The steady score hardly changes when many accounts rate a post together to move its score.
settings-score-steady = Steady score
settings-score-average = Average of all ratings
done-settings = Settings saved.
done-settings-unchanged = Nothing has changed.
act-setting-change = Changed a setting of the site
