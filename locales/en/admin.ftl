admin-title = Admin
admin-what = For those who run this site. Others find nothing here.
admin-invitations = Links by which people may register, and who came by them.
log-title = Who did what
log-what = What staff decide, what people change about their accounts, and what the site does by itself. No passwords, texts or mails.
log-any-act = Anything
log-filter = Show
log-all = Show everything
log-nobody = The site, or somebody who is gone
log-post = post { $id }

## What was done

act-days-void = left days out of a score
act-days-restore = took days into a score again
act-post-change = changed somebody’s post
act-post-delete = deleted somebody’s post
act-post-unpublish = unpublished somebody’s post
act-author-approve = let somebody publish
act-author-disapprove = no longer lets somebody publish
act-invitation-make = made an invitation
act-invitation-end = ended an invitation
act-staff-make = made an account of the staff
act-password-change = changed a password
act-password-reset = set a new password by mail
act-email-change = changed an e-mail address
act-second-factor-on = turned on the second factor
act-second-factor-off = turned off the second factor
act-second-factor-codes = made new recovery codes
act-sessions-end = signed out elsewhere
act-deletion-ask = asked for an account to be deleted
act-deletion-cancel = kept an account after all
act-account-erase = deleted an account when its week was over
role-moderator = moderator
role-admin = admin
role-owner = owner
act-gate-choose = chose a limiter for ratings
act-gate-undo = took the choice of a limiter back
admin-limiter = Limiter
admin-limiter-what = What stands before every new rating, so that no crowd moves a score at once.
gate-in-force = In force: { $limiter }
gate-of-settings = The settings say so (RATING_LIMITER), and nobody has chosen otherwise.
gate-chosen = It was chosen here, in place of the settings, which say { $limiter }:
gate-change = Choose another
gate-change-post = Choose another for post { $post }
gate-undo = Take this choice back
gate-undo-post = Take the choice for post { $post } back
gate-undone = took the choice before it back
gate-parameters = Parameters
gate-parameter = Parameter
gate-value = Value
gate-what = What it does
gate-posts = Posts with a limiter of their own
gate-posts-what = What is chosen for a post counts there in place of that of the site.
gate-posts-none = No post has one.
gate-of-post = Number of a post, as in its address
gate-choices = The latest choices
gate-choose = Choose a limiter
gate-choose-site = For the whole site, but for posts that have one of their own. In force now: { $limiter }.
gate-choose-post = For the post <a href="{ $path }">{ $title }</a> alone. In force now: { $limiter }.
gate-kinds = Limiters
gate-default = The default
limiter-of-settings = The limiter of the settings again, with their parameters.
limiter-of-site = The limiter of the site again.
gate-sure = The limiter applies at once to every new rating, on every instance of the site. It starts with empty states: nothing that limiters have learned about posts is kept. Queued ratings stay queued until it admits them. You can undo the choice with one click.
gate-reason-hint = For others of the staff, in the log. At most 300 characters.
second-look-hint = You are asked once more as this matters to everybody. Then not again for 15 minutes.
gate-put-in-force = Put it in force
gate-without-looking = Go on without looking
done-gate-chosen = In force for the site now: { $limiter }.
done-gate-chosen-post = In force for post { $post } now: { $limiter }.
done-gate-undone = The choice is taken back. In force for the site now: { $limiter }.
done-gate-undone-post = The choice is taken back. In force for post { $post } now: { $limiter }.
replay-link = What others would have done
replay-title = What each limiter would have done
replay-what =
    With the ratings that came to this site in the last { $days ->
            [one] day
           *[other] { $days } days
        }, counted or refused.
replay-what-post =
    With the ratings that came to “{ $title }” in the last { $days ->
            [one] day
           *[other] { $days } days
        }, counted or refused.
replay-crowd = Ratings on days that moderators left out, and those in unusual hours that pulled to one side, look like a crowd’s; all others look honest. Limiters have learned from 90 days before. Ratings that were refused before this was kept are missing.
replay-begins = Reading the ratings …
replay-progress =
    { $read } of { $posts ->
            [one] one post
           *[other] { $posts } posts
        }
replay-failed = This could not be worked out to the end. Load the page again.
replay-done =
    { $ratings ->
            [one] One rating
           *[other] { $ratings } ratings
        } of { $posts ->
            [one] one post
           *[other] { $posts } posts
        }, of which { $crowd } look like a crowd’s.
replay-cut = These are the newest of { $posts } posts with ratings of that time: all of them would take too long. `evenkeel replay --database` takes them all.
replay-nothing = Nobody has rated in this time, so there is nothing to compare.
replay-chart = Shares of honest ratings refused and of the crowd admitted, for each limiter; the numbers are in the table
replay-honest-refused = Honest, refused
replay-crowd-admitted = Crowd, admitted
replay-average-moved = Average moved
replay-steady-moved = Steady score moved
replay-in-force = in force
replay-wanted = asked about
replay-other = as set
replay-choose = Choose what you asked about
replay-days = Days to look back
replay-days-hint = From 1 to 90. You see what each limiter would have done in that time with the ratings that came.
replay-see = See what it would have done
users-title = Accounts
users-what = Who is here; blocking, signing out, and who is staff.
users-all = All
users-blocked = Blocked
users-staff = Staff
users-leaving = To be deleted
users-blocked-until = blocked until { $time }
users-blocked-for-good = blocked without an end
users-leaves = will be deleted on { $time }
users-since = here since { $time }
users-seen = last here { $ago }
users-posts =
    { $count ->
            [one] one post
           *[other] { $count } posts
        }
users-unconfirmed = not confirmed
users-block = Block
users-block-what = Who is blocked can read, take their data along and leave, but writes and rates nothing; ratings of theirs that wait are dropped. What they have written and rated stays. They are told by mail, and on every page, why and until when.
users-unblock = Unblock
users-unblock-what = They can write and rate again at once. They are told by mail.
users-sign-out = Sign out
users-sign-out-what = All their sessions end. Their passwords stay: they can sign in again.
users-role = Change role
users-role-what = Moderators decide about posts, ratings and readers; admins also about how the site runs; owners also about who is staff.
users-role-label = Role
users-no-role = none: no staff
users-will-be =
    { $count ->
            [one] This will be done to one account
           *[other] This will be done to { $count } accounts
        }
users-will-be-nobody = This will be done to nobody
users-passed-own = passed over: it is yours
users-passed-staff = passed over: staff whose role is as high as yours
users-passed-already = passed over: it is so already
users-nobody-left = Pick other accounts in the list.
users-days = For how many days
users-days-hint = From 1 to 3650. Empty: without an end.
users-block-reason-hint = Those who are blocked read this. At most 300 characters.
done-users-one =
    { $act ->
            [block] { $name } is blocked.
            [unblock] { $name } is not blocked any more.
            [sign_out] { $name } is signed out everywhere.
            [reset_password] { $name } has no password any more; a mail is on its way.
           *[other] The role of { $name } is changed.
        }
done-users =
    { $act ->
            [block] { $count } accounts are blocked.
            [unblock] { $count } accounts are not blocked any more.
            [sign_out] { $count } accounts are signed out everywhere.
            [reset_password] { $count } accounts have no password any more; mails are on their way.
           *[other] The roles of { $count } accounts are changed.
        }
act-user-block = blocked an account
act-user-unblock = unblocked an account
act-user-role = changed somebody’s role
users-passed-unknown = passed over: there is no such account
act-report-decide = decided about a reported post
act-appeal-decide = decided about an appeal
list-none = There is nothing of this kind.
list-with-picked = With those picked
cases-title = Reports
cases-what = Posts that readers have reported. However many report one, it is one case. What waits is listed from the oldest.
cases-waiting = Waiting
cases-decided = Decided
cases-all = All
cases-open = waits to be decided
cases-appealed = somebody has appealed
cases-reports =
    { $count ->
            [one] One report
           *[other] { $count } reports
        }
cases-since = since { $time }
admin-case-title = A reported post
admin-case-read = Read the post
admin-case-hidden = The post is a draft now; only its author sees it.
admin-case-guest = a guest, or somebody who is gone
admin-case-by = Decided by { $name }.
admin-case-decide = Decide
admin-case-appeal = Decide the appeal
admin-case-anew = Decide again
admin-case-what = The author and those who reported it are told what you decide and why. The side that it goes against may appeal once.
admin-case-keep = Keep it
admin-case-reason-hint = For both sides: which passage, and what it is against or why it is not. At most 3,000 characters.
admin-case-send = Decide and tell both
admin-case-earlier = Decided before about posts of this author
case-not-yours-author = You wrote this post: somebody else decides.
case-not-yours-reporter = You reported this post: somebody else decides.
case-not-yours-judge = You made the decision that somebody appeals against: somebody else decides now.
case-again = Look at the case again
done-taken-down =
    “{ $title }” is taken down. { $mail ->
            [yes] Both sides get a mail, and see why with their accounts.
           *[no] Both sides see why with their accounts.
        }
done-kept =
    “{ $title }” stays. { $mail ->
            [yes] Both sides get a mail, and see why with their accounts.
           *[no] Both sides see why with their accounts.
        }
posts-title = Posts
posts-what = What everybody sees, and what staff took down. Drafts are their authors’ own.
posts-published = Published
posts-taken-down = Taken down
posts-is-reported = somebody has reported it
posts-was-taken-down = why it was taken down
posts-at = { $time }
posts-ratings =
    { $count ->
            [one] one rating
           *[other] { $count } ratings
        }, score { $score }
ratings-title = Who gave what
ratings-what = The ratings of one post, those of the newest accounts first; or of one reader, the latest first. Choose one of them.
ratings-at = given { $time }
ratings-changed = changed { $time }
ratings-account-since = account since { $time }
tags-title = Tags
tags-what = Those of the latest 5,000 posts, and how many of these have each.
tags-posts =
    { $count ->
            [one] one post
           *[other] { $count } posts
        }
signed-in-title = Sessions
signed-in-what = Who is signed in, with what and from where. Devices are named as they say of themselves.
signed-in-since = since { $time }
pauses-title = Paused readers
pauses-what = Readers who cannot rate a post for now, as thousands of their attempts failed. They lift it themselves with a link, too.
pauses-since = since { $time }
mails-title = Mails that wait
mails-what = What is still to be sent. What is sent is not kept, and nobody reads the texts here.
mails-all = All
mails-failed = Tried and failed
mails-has-failed = could not be sent yet
mails-since = waits since { $time }
mails-next = next try { $time }
mails-until = of use until { $time }
states-title = What limiters remember
states-what = How far attempts to sign in, reports, exports and requests are used up, by key. Accounts stand there by a number or a fingerprint. What is remembered of posts is with the posts.
states-used = used { $time }
states-until = forgotten by itself { $time }
warnings-title = Suspected links
warnings-what = Published posts with addresses that a list of suspected ones names. Pages do not link to these.
warnings-count =
    { $count ->
            [one] one address
           *[other] { $count } addresses
        }

## What is done to rows of lists

action-unpublish = Unpublish
action-unpublish-what = These posts become drafts, with their ratings kept. Their authors can publish them again. (To keep one down, decide about a report of it.)
action-unpublish-done =
    { $count ->
            [one] One post is a draft now.
           *[other] { $count } posts are drafts now.
        }
action-publish = Publish again
action-publish-what = These posts are seen by everybody again, at their old addresses and with their ratings.
action-publish-done =
    { $count ->
            [one] One post is published again.
           *[other] { $count } posts are published again.
        }
action-end-sessions = Sign out
action-end-sessions-what = These sessions end at once. Whoever knows the password can sign in again.
action-end-sessions-done =
    { $count ->
            [one] One session is ended.
           *[other] { $count } sessions are ended.
        }
action-lift-pauses = Let them rate again
action-lift-pauses-what = These readers can rate these posts again. Who goes on failing thousands of times is paused again.
action-lift-pauses-done =
    { $count ->
            [one] One pause is lifted.
           *[other] { $count } pauses are lifted.
        }
action-send-mails = Try now
action-send-mails-what = These mails are tried at once, and not only when their time comes.
action-send-mails-done =
    { $count ->
            [one] One mail is tried now.
           *[other] { $count } mails are tried now.
        }
action-drop-mails = Do not send
action-drop-mails-what = These mails are deleted and never sent. Nothing brings them back.
action-drop-mails-done =
    { $count ->
            [one] One mail is deleted.
           *[other] { $count } mails are deleted.
        }
action-forget-states = Begin anew
action-forget-states-what = What is remembered of these keys is forgotten: they may do all at once again what they had used up. What was remembered stays in the log.
action-forget-states-done =
    { $count ->
            [one] One key begins anew.
           *[other] { $count } keys begin anew.
        }
action-reset-limiter = Reset rating limiter
action-reset-limiter-what = Deletes what the rating limiter has stored for these posts. Ratings are admitted again at once, and the limiter starts to learn from zero. Ratings and scores stay. The deleted state is kept in the audit log.
action-reset-limiter-done =
    { $count ->
            [one] The rating limiter of one post was reset.
           *[other] The rating limiters of { $count } posts were reset.
        }
action-done-none = Nothing was done: what was picked is gone, or it was so already.
action-rows =
    { $count ->
            [one] It will be done to one
           *[other] It will be done to { $count }
        }
action-passed-over =
    { $count ->
            [one] One that was picked is passed over: it is gone, it is so already, or it is not for you to change.
           *[other] { $count } that were picked are passed over: they are gone, they are so already, or they are not for you to change.
        }
act-post-publish = published somebody’s post again
act-pause-lift = let a reader rate a post again
act-mail-send = had a mail tried at once
act-mail-drop = deleted a mail that waited
act-limiter-forget = had a limiter begin anew

## The front page

glance-waits = What waits for somebody
glance-nothing = Nothing, and no post has a crowd.
glance-reports =
    { $count ->
            [one] One reported post is to be decided
           *[other] { $count } reported posts are to be decided
        }
glance-mails =
    { $count ->
            [one] One mail could not be sent yet
           *[other] { $count } mails could not be sent yet
        }
glance-links =
    { $count ->
            [one] One post has suspected links
           *[other] { $count } posts have suspected links
        }
glance-pauses =
    { $count ->
            [one] One reader is paused
           *[other] { $count } readers are paused
        }
glance-crowd =
    { $count ->
            [one] One rating was refused within an hour:
           *[other] { $count } ratings were refused within an hour:
        }
glance-hours = The last 24 hours
glance-visitors =
    { $count ->
            [one] one visit
           *[other] { $count } visits
        }
glance-pages =
    { $count ->
            [one] one page
           *[other] { $count } pages
        }
glance-ratings =
    { $count ->
            [one] one rating
           *[other] { $count } ratings
        }
glance-refused = { $count } refused
glance-limited = { $count } told to wait
glance-failures =
    { $count ->
            [one] one failure
           *[other] { $count } failures
        }
glance-visitors-by-hour = Visits by hour
glance-ratings-by-hour = Ratings by hour
glance-aloud = Bars by hour; the numbers are in the table below.
glance-key-ratings = counted
glance-how = An account or a network that looks at pages is one visit in each hour; each instance of the program counts for itself. Written every ten seconds.
column-hour-here = Hour
column-visitors = Visits
column-pages = Pages
column-limited = Told to wait
column-failures = Failures
glance-machine = The program
glance-version = Version
glance-database = Database
glance-disk = Free on the disk
glance-places = Everything here
users-reset-password = End the password
users-reset-password-what = The password is none any more, they are signed out everywhere, and a mail lets them choose another one.
users-passed-unreachable = passed over: no mail reaches them
act-password-take = ended somebody’s password
cases-guests =
    { $count ->
            [one] one by a guest
           *[other] { $count } by guests
        }
admin-case-reported-text = What it said when it was reported first
admin-case-present-text = What it says now
admin-case-what-final = The author and those who reported it are told what you decide and why. There is no other appeal after that, but by an author who has not been heard.
posts-unpublished = Unpublished by staff
action-rows-none = It will be done to none
action-unpublish-reason-hint = For the author, and for others of the staff in the log. At most 300 characters.
log-kept = kept
log-taken-down = taken down
log-gone = deleted before
log-law = the law
log-rules = what this site allows
action-end-invitations = End them
action-end-invitations-what = Nobody can register by these links any more. Whoever has come by them stays.
action-end-invitations-done =
    { $count ->
            [one] One invitation has ended.
           *[other] { $count } invitations have ended.
        }
