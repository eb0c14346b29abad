
## Score of a post.

stars =
    { $count ->
            [one] { $count } star
           *[other] { $count } stars
        }
score-no-ratings = No ratings yet
score-few = · few ratings yet
score-label =
    { $count ->
            [one] { $score } out of 5, { $count } rating
           *[other] { $score } out of 5, { $count } ratings
        }
score-shown =
    { $count ->
            [one] { $score } ★ · { $count } rating
           *[other] { $score } ★ · { $count } ratings
        }
score-missing =
    { $count ->
            [one] No score · { $count } rating
           *[other] No score · { $count } ratings
        }
score-status-protected = Score protected
score-status-new = Score protection starts at { $enough } ratings
score-status-counted =
    { $protected ->
            [yes] Score protected
           *[no] Score protection starts at { $enough } ratings
        }: { $counted } of { $count } ratings count
score-all-count = All { $count } ratings count in the score. A sudden wave of ratings that differ from them would hardly change it.
score-limited =
    { $count ->
            [one] { $count } rating doesn’t count because more arrived than usual at that time.
           *[other] { $count } ratings don’t count because more arrived than usual at that time.
        }
score-surge =
    { $count ->
            [one] { $count } rating doesn’t count because unusually many arrived that differ from the earlier ones.
           *[other] { $count } ratings don’t count because unusually many arrived that differ from the earlier ones.
        }
your-rating-is = Your rating: { $stars } ★
score-held-back =
    { $count ->
            [one] { $count } rating is held back because it differs from the others. It will
           *[other] { $count } ratings are held back because they differ from the others. They will
        } count if similar ratings keep coming in.
score-excluded =
    { $count ->
            [one] { $count } rating is excluded from the score by staff.
           *[other] { $count } ratings are excluded from the score by staff.
        }
score-excluded-reason = Reason given for the latest excluded day, { $last }: “{ $why }”.
score-average = The average of all ratings is { $average } ★.
score-not-protected = The score isn’t protected from manipulation until the post has { $enough } ratings.
score-breakdown-link = See the score breakdown
unusual-since = Unusual rating activity since { $time }.
unusual-refused =
    { $count ->
            [one] { $count } rating attempt has been blocked since then and doesn’t affect the score.
           *[other] { $count } rating attempts have been blocked since then and don’t affect the score.
        }
unusual-unchanged = The score hasn’t changed.
unusual-changed = The score changed from { $before } to { $now } ★.

## Rating form of a post.

ratings-heading = Ratings
your-rating = Your rating
rate-this-post = Rate this post
rate-sign-in = Sign in to rate. We’ll remember your choice.
rate-own-post = You can’t rate your own post.
rate-how-many = How many stars?
rate-button = Rate
rate-change = Change my rating
rate-withdraw = Remove my rating
rate-one-more-step = One more step.
rate-change-hint = You rated this post { $before } ★. Select “{ $button }” to change it to { $stars } ★.
rate-submit-hint = Select “{ $button }” to submit your { $stars } ★ rating.
rating-current =
    { $stars ->
            [one] You rated this post { $stars } star.
           *[other] You rated this post { $stars } stars.
        }
own-rating-counts = Your rating counts in full in the score.
own-rating-share =
    { $none ->
            [yes] Your rating doesn’t count in the score
           *[no] Only { $percent } of your rating counts in the score
        }
own-rating-limited = { $counts } because this post got more ratings than usual.
own-rating-surge = { $counts } because this post got unusually many ratings that differ from the earlier ones.
own-rating-held-back = { $counts } for now: it is held back because the latest ratings differ from the earlier ones. It will count in full if similar ratings keep coming in.
own-rating-excluded = { $counts } because staff excluded the ratings from { $day }.
own-rating-can-change = How much of your rating counts can still change until the end of { $day }.
own-rating-average = In the average, your rating counts in full.
rating-try-again-in = Try again in <span>{ $wait }</span>.
rating-submit-automatically = Submit { $stars } ★ automatically
rating-not-submitted = Your { $stars } ★ rating hasn’t been submitted yet.
rating-still = Your rating is still { $stars } ★.
rating-change-not-saved = The change to { $stars } ★ hasn’t been saved: after a few changes, you can change a rating only once every ten minutes.
done-rated =
    { $stars ->
            [one] Thanks! You rated this post { $stars } star.
           *[other] Thanks! You rated this post { $stars } stars.
        }
done-rating-changed =
    { $stars ->
            [one] You changed your rating to { $stars } star.
           *[other] You changed your rating to { $stars } stars.
        }
done-rating-withdrawn = You removed your { $stars } ★ rating.
done-rating-removed = Your rating has been removed.
invalid-other-post = Leave this field out, or enter the post in the URL: { $id }.
invalid-stars = Choose 1 to 5 stars.
distribution-caption = All ratings by number of stars
mine-title = Your ratings
mine-none = You haven’t rated any posts yet.
column-post = Post
column-date = Date

## Rating history of a post.

history-title = Ratings for { $title }
history-heading = Ratings over time
history-of = Post: <a href="{ $path }"><bdi>{ $title }</bdi></a>
history-none = No ratings yet.
history-range = Time range
history-range-all = All
history-range-days =
    { $days ->
            [one] { $days } day
           *[other] { $days } days
        }
history-none-in-range = No ratings in this time.
figure-score = Score
figure-average = Average
figure-refused = Blocked attempts
figure-average-with-refused = Average with blocked ratings
history-refused-on-day =
    The rating limiter blocked { $count ->
            [one] one rating attempt
           *[other] { $count } rating attempts
        }{ $all ->
            [yes] {" "}on { $day }
           *[no] , with a peak on { $day }
        }. Blocked attempts don’t affect the score.
history-refused-in-hour =
    The rating limiter blocked { $count ->
            [one] one rating attempt
           *[other] { $count } rating attempts
        }{ $all ->
            [yes] {" "}in the hour starting { $hour }
           *[no] , with a peak in the hour starting { $hour }
        }. Blocked attempts don’t affect the score.
history-usual-days =
    { $count ->
            [one] { $count } rating arrived
           *[other] { $count } ratings arrived
        } over { $days ->
            [one] { $days } day
           *[other] { $days } days
        }, with at most { $most } in one day.
history-usual-hours =
    { $count ->
            [one] { $count } rating arrived
           *[other] { $count } ratings arrived
        }, with at most { $most } in one hour.
history-nothing-unusual = No unusual activity.
history-surge = { $count } of { $ratings } ratings from { $days } don’t count: more arrived than usual, and their average of { $average } ★ is far from the previous score.
history-held-back = { $count } of { $ratings } ratings from { $days } are held back because their average of { $average } ★ is far from the previous score.
history-excluded =
    Staff excluded { $ratings ->
            [one] the { $ratings } rating
           *[other] the { $ratings } ratings
        } from { $days } (average { $average } ★).
history-excluded-reason =
    Staff excluded { $ratings ->
            [one] the { $ratings } rating
           *[other] the { $ratings } ratings
        } from { $days } (average { $average } ★). Reason: “{ $because }”.
period-day = { $day }
period-hour = { $time }
period-words =
    { $when }
    Ratings: { $new } new, { $changed } changed, { $refused } blocked.
    { $steady } { $average } { $blocked }
period-steady = Score: { $score } ★.
period-average = Average: { $score } ★.
period-blocked = With blocked ratings: { $score } ★.
nothing = {""}
chart-label = Line chart of the score and the average. The data is in the table below.
chart-score = Score (1 to 5 stars)
chart-steady = Score
chart-counted =
    Ratings per { $period ->
            [day] day
           *[other] hour
        }
chart-blocked =
    Blocked rating attempts per { $period ->
            [day] day
           *[other] hour
        }
chart-average =
    { $refused ->
            [yes] Average with blocked ratings
           *[no] Average of all ratings
        }
chart-new = New ratings
chart-changed = Changed ratings
chart-refused = Blocked by the rating limiter
chart-without-weight = Mostly held back, not counted or excluded
chart-utc = Times are in UTC.
chart-open =
    { $period ->
            [day] The last day is not over yet.
           *[other] The last hour is not over yet.
        }
legend-title = What the words mean
legend-refused = The rating limiter blocked the attempt because too many ratings arrived at once. The rating isn’t saved.
legend-held-back = The rating differs from the others. It’s saved and counts in the average. It will count in the score if similar ratings keep coming in.
legend-not-counted = More ratings arrived than usual. The rating is saved and counts in the average, but not in the score.
legend-excluded = Staff excluded the day of the rating from the score and gave a public reason. The rating counts in the average.
numbers = Data table
as-csv = Download CSV
all-as-json = All data as JSON
column-day = Day
column-hour = Hour
column-refused = Blocked
column-total-ratings = Total ratings
days-heading = Score breakdown
days-description = The score is the weighted average of these periods: the sum of average × weight, divided by the sum of the weights. A period weighs at most 1.5 times what is usual, except while a new post has fewer than 40 ratings. The latest period can still change.
column-days-utc = Days (UTC)
column-average = Average
column-weight = Weight
column-held-back = Held back
column-not-counted = Not counted
column-excluded = Excluded
column-reason = Reason
row-total = Total
score-period-surge = More ratings than usual, with an average far from the previous score
score-period-held-back = Average far from the previous score; will count if similar ratings keep coming in
score-period-excluded = Excluded by staff
score-period-limited = More ratings than usual; each has less weight
score-period-whole = Counts in full
score-period-days =
    { $one ->
            [yes] { $from }
           *[no] { $from } to { $until }
        }
invalid-of = Choose `days` or `periods`.
invalid-format = Choose `csv` or `json`, or omit the parameter.

## Excluding days from the score.

moderations-heading = Moderator decisions
moderations-earlier = Earlier decisions
moderation-exclude-day =
    { $author ->
            [yes] The author, who is a moderator,
           *[no] A moderator
        } excluded { $from } from the score ({ $ratings ->
            [one] { $ratings } rating
           *[other] { $ratings } ratings
        }). Score before: { $before }, after: { $after }.
moderation-exclude-days =
    { $author ->
            [yes] The author, who is a moderator,
           *[no] A moderator
        } excluded { $from } to { $to } from the score ({ $ratings ->
            [one] { $ratings } rating
           *[other] { $ratings } ratings
        }). Score before: { $before }, after: { $after }.
moderation-restore-day =
    { $author ->
            [yes] The author, who is a moderator,
           *[no] A moderator
        } included { $from } in the score again ({ $ratings ->
            [one] { $ratings } rating
           *[other] { $ratings } ratings
        }). Score before: { $before }, after: { $after }.
moderation-restore-days =
    { $author ->
            [yes] The author, who is a moderator,
           *[no] A moderator
        } included { $from } to { $to } in the score again ({ $ratings ->
            [one] { $ratings } rating
           *[other] { $ratings } ratings
        }). Score before: { $before }, after: { $after }.
score-none = none
score-stars = { $score } ★
preview-day =
    { $from }: { $ratings ->
            [one] { $ratings } rating
           *[other] { $ratings } ratings
        } { $exclude ->
            [yes] would be excluded.
           *[no] would be included again.
        }
preview-days =
    { $from } to { $to } ({ $days ->
            [one] { $days } day with ratings
           *[other] { $days } days with ratings
        }): { $ratings ->
            [one] { $ratings } rating
           *[other] { $ratings } ratings
        } { $exclude ->
            [yes] would be excluded.
           *[no] would be included again.
        }
age-under-a-day = Less than 1 day
age-under-a-week = 1 to 6 days
age-under-a-month = 7 to 29 days
age-under-a-year = 30 to 364 days
age-older = 1 year or more
invalid-nothing-to-exclude = There are no ratings left to exclude on these days.
invalid-nothing-to-restore = There are no excluded ratings on these days.
invalid-day-not-over = Only past days can be selected. Choose { $day } (UTC) or earlier.
invalid-day = Enter the date as YYYY-MM-DD, for example 2026-11-21.
invalid-no-reason = Enter a reason.
invalid-to = The last day can’t be before the first day.
invalid-too-many-days = Choose at most 366 days.
exclude-link = Exclude days
exclude-heading = Exclude days from the score
restore-link = Restore excluded days
exclude-button =
    { $count ->
            [one] Exclude { $count } rating
           *[other] Exclude { $count } ratings
        }
restore-button =
    { $count ->
            [one] Include { $count } rating again
           *[other] Include { $count } ratings again
        }
moderate-description = Ratings from these days stay in the average. Your decision and its reason are public, and the decision can be reverted.
moderate-from-hint = Only past days can be selected (UTC).
moderate-to-hint = Leave empty to select a single day.
moderate-preview-button = Preview changes
moderate-preview-heading = Preview
moderate-score = Score: { $before } → { $after }
moderate-ages = Account ages
moderate-age = Account age
moderate-reason-hint = Shown publicly next to the score. At most 300 characters.
moderate-cancel = Cancel

## Paused ratings of a user.

paused-title = Paused ratings
paused-none = None of your ratings are paused.
paused-description =
    { $count ->
            [one] Your ratings of this post are paused
           *[other] Your ratings of these posts are paused
        }, because many attempts failed in a way that can’t succeed, or because staff paused them. Further attempts are rejected until you lift the pause. The rest of your account isn’t affected.
paused-since = paused since { $day }
paused-latest = Only the latest of { $count } pauses are shown.
paused-fix-first = If a program caused the pause, fix the program first. Otherwise your ratings will be paused again, after two weeks at the earliest.
unpause-title = Lift pause
unpause-link = Lift pause
unpause-button =
    { $count ->
            [one] Lift pause
           *[other] Lift all { $count } pauses
        }
unpause-heading =
    { $count ->
            [one] Lift this pause?
           *[other] Lift { $count } pauses?
        }
unpause-description =
    Ratings of <q dir="auto">{ $title }</q>{ $count ->
            [one] {""}
           *[other] {" "}and other posts
        } by <bdi>{ $name }</bdi> are paused, because many attempts failed in a way that can’t succeed, or because staff paused them.
done-unpaused =
    { $count ->
            [one] Pause lifted. You can rate the post again.
           *[other] { $count } pauses lifted. You can rate these posts again.
        }
done-unpaused-partly =
    { $count ->
            [one] Pause lifted. There may be more: open the link again to lift them.
           *[other] { $count } pauses lifted. There may be more: open the link again to lift them.
        }
unpublished-post = Unpublished post

## Rate limits of a client.

classes-title = Rate limits
classes-description = Requests are limited per user so that nobody slows the site down for others. If you send too many, you’ll get a warning first and then have to wait. This page shows your current status.
classes-none = There are currently no rate limits.
classes-counted = Counted requests
classes-api-hint = Programs can get this data as JSON from this page, with live updates from <code>/rate/classes/events/</code>.
class-browse = Reading
class-write = Writing posts
class-rate = Rating
class-account = Sign-in and account
class-wait = Please wait { $wait }.
class-close = You’re close to the rate limit.
class-warned = Your request limits are stricter than usual, because abuse by your account was confirmed (warning level { $level }%). The level falls by 5 points a day.
class-no-limit = no limit
class-none-left = Your next request may be rate limited.
class-left =
    { $count ->
            [one] You can send { $count } more request right now.
           *[other] You can send { $count } more requests right now.
        }
class-warning =
    You’re { $class ->
            [write] writing
            [rate] rating
            [account] submitting this form
           *[other] loading pages
        } too fast. Slow down, or you’ll have to wait about { $wait }.
class-limited =
    You’ve been { $class ->
            [write] writing
            [rate] rating
            [account] submitting this form
           *[other] loading pages
        } too fast. You can continue in { $wait }.
invalid-class = Choose `browse`, `write`, `rate` or `account`.
