
## The score of a post.

ratings =
    { $count ->
            [one] { $count } rating
           *[other] { $count } ratings
        }
stars =
    { $count ->
            [one] { $count } star
           *[other] { $count } stars
        }
score-no-ratings = No ratings yet
score-not-enough = Not enough ratings yet · { $count } of { $enough }
score-aloud =
    { $count ->
            [one] { $score } out of 5, { $count } rating
           *[other] { $score } out of 5, { $count } ratings
        }
score-shown =
    { $count ->
            [one] { $score } ★ · { $count } rating
           *[other] { $score } ★ · { $count } ratings
        }
score-none-of =
    { $count ->
            [one] No score · { $count } rating
           *[other] No score · { $count } ratings
        }
your-rating-is = Your rating: { $stars } ★
apart-left-out =
    { $count ->
            [one] { $count } rating does
           *[other] { $count } ratings do
        } not count in this score: more came than usual.
apart-held-back =
    { $count ->
            [one] { $count } rating is held back, because it differs from the others. It will
           *[other] { $count } ratings are held back, because they differ from the others. They will
        } count if such ratings continue.
apart-excluded =
    Staff excluded { $ratings ->
            [one] { $ratings } rating of { $last }
           *[other] { $ratings } ratings until { $last }
        }: “{ $why }”{ $others ->
            [yes] , and for other reasons.
           *[no] .
        }
apart-average = The average of all ratings is { $average } ★.
score-not-protected = New post: until it has 40 ratings, its score is not protected from brigades.
apart-see-days = How the score is computed
unusual-since = Unusual rating activity since { $time }.
unusual-refused =
    { $count ->
            [one] { $count } rating since then came too fast and is not in the score.
           *[other] { $count } ratings since then came too fast and are not in the score.
        }
unusual-not-moved = The score did not move.
unusual-moved = The score moved from { $before } to { $now } ★.
unusual-see = See for yourself

## Rating a post.

ratings-heading = Ratings
your-rating = Your rating
rate-this-post = Rate this post
rate-sign-in = Sign in to rate. The star that you choose stays chosen.
rate-own-post = This post is your own; others rate it.
rate-how-many = How many stars?
rate-button = Rate
rate-change = Change my rating
rate-one-more-step = One more step.
rate-press-change = You gave { $before } ★ before. Press “{ $button }” to make that { $stars } ★.
rate-press =
    You chose { $stars } ★. Press “{ $button }” to give { $stars ->
            [one] it
           *[other] them
        }.
rating-given =
    { $stars ->
            [one] You gave { $stars } star. You can change it.
           *[other] You gave { $stars } stars. You can change it.
        }
rating-can-be-sent-in = It can be sent in <span>{ $wait }</span>.
rating-send-for-me = Send it for me
rating-kept = This post is getting unusually many ratings at the moment. Your rating of { $stars } ★ is kept here.
rating-change-kept = A rating can be changed a few times, and then once in ten minutes. Your change to { $stars } ★ is kept here.
done-rated =
    { $stars ->
            [one] Your rating of { $stars } star is counted. You can change it.
           *[other] Your rating of { $stars } stars is counted. You can change it.
        }
done-rating-changed =
    { $stars ->
            [one] Your rating is now { $stars } star.
           *[other] Your rating is now { $stars } stars.
        }
invalid-stars = Choose 1 to 5 stars.
distribution-caption = How often each number of stars was given
mine-title = Your ratings
mine-none = You have not rated anything yet.
column-post = Post
column-when = When

## Ratings over time.

history-title = Ratings of { $title }
history-heading = Ratings over time
history-of = of <a href="{ $path }"><bdi>{ $title }</bdi></a>
history-none = There are no ratings yet.
figure-shown = Shown { $score } ★
figure-not-enough = Not enough ratings yet for a score
figure-average = Average of all { $score } ★
figure-with-refused = With { $count } who were refused { $score } ★
story-more-periods =
    { $count ->
            [one] There is { $count } more such period in the table below.
           *[other] There are { $count } more such periods in the table below.
        }
story-refused-on-day =
    The gate refused { $count ->
            [one] one try to rate
           *[other] { $count } tries to rate
        }{ $all ->
            [yes] {" "}on { $day }
           *[no] , most of them on { $day }
        }. The score knows nothing of them.
story-refused-in-hour =
    The gate refused { $count ->
            [one] one try to rate
           *[other] { $count } tries to rate
        }{ $all ->
            [yes] {" "}in the hour from { $hour }
           *[no] , most of them in the hour from { $hour }
        }. The score knows nothing of them.
story-quiet-days =
    { $count ->
            [one] { $count } rating came
           *[other] { $count } ratings came
        } { $days ->
            [one] in { $days } day
           *[other] in { $days } days
        }, and no more than { $most } in one day.
story-quiet-hours =
    { $count ->
            [one] { $count } rating came
           *[other] { $count } ratings came
        }, and no more than { $most } in one hour.
story-nothing-unusual = Nothing is unusual about them.
story-full-periods =
    { $count ->
            [one] In one period, more ratings came than usual, so that each of them weighs less.
           *[other] In { $count } periods, more ratings came than usual, so that each of them weighs less.
        }
story-surge =
    { $ratings ->
            [one] { $ratings } rating of { $days } does
           *[other] { $ratings } ratings of { $days } do
        } not count in the score: more came than usual, and their average of { $average } ★ is far from the score before.
story-held-back =
    { $ratings ->
            [one] { $ratings } rating of { $days } is
           *[other] { $ratings } ratings of { $days } are
        } held back: their average of { $average } ★ is far from the score before. They will count if such ratings continue.
story-excluded =
    Staff excluded { $ratings ->
            [one] the { $ratings } rating
           *[other] the { $ratings } ratings
        } of { $days } ({ $average } ★).
story-excluded-because =
    Staff excluded { $ratings ->
            [one] the { $ratings } rating
           *[other] the { $ratings } ratings
        } of { $days } ({ $average } ★): “{ $because }”.
period-day = { $day }
period-hour = { $time }
period-words = { $when }: { $new } new, { $changed } changed, { $refused } refused; { $steady } { $average }
period-steady = steady score { $score } ★,
period-average = average { $score } ★
nothing = {""}
steady-score = Steady score
chart-aloud =
    The steady score and the average above, and below them how many ratings came each { $period ->
            [day] day
           *[other] hour
        }. The table has the numbers.
chart-score = Score, from 1 to 5 stars
chart-arrivals =
    { $refused ->
            [yes] Ratings and refused tries
           *[no] Ratings
        } each { $period ->
            [day] day
           *[other] hour
        }
chart-average =
    Average of all{ $refused ->
            [yes] , had the gate refused nobody
           *[no] {""}
        }
chart-new = New
chart-changed = Changed
chart-refused = Refused, as they came too fast
chart-left-out = Not in the score
chart-cut = A bar with a gap is longer than shown; its number stands above it, and its colours have their shares.
chart-utc = Times are UTC.
numbers = The numbers
as-csv = As CSV
all-as-json = All as JSON
column-day = Day
column-hour = Hour
column-refused = Refused
column-ratings-then = Ratings then
column-average-then = Average then
days-heading = How the score is computed
days-what = The score is the weighted average of these periods: the sum of average times weight, divided by the sum of the weights. A period weighs at most 1.5 times what is usual, except while a new post has less than 40 ratings. “Held back” ratings differ from the others and count if such ratings continue; “left out” ratings do not count. The latest period can still change.
column-days-utc = Days (UTC)
column-average = Average
column-weight = Weight
column-held-back = Held back
column-left-out = Left out
column-why = Why
score-period-surge = more than usual, and far from the score before
score-period-held-back = far from the score before: counts if such ratings continue
score-period-excluded = excluded by staff
score-period-limited = more than usual: each weighs less
score-period-days =
    { $one ->
            [yes] { $from }
           *[no] { $from } to { $until }
        }
invalid-of = Choose `days` or `periods`.
invalid-format = Choose `csv` or `json`, or leave it out.

## What moderators decide.

moderations-heading = What moderators decided
moderations-earlier = Earlier decisions
moderation-void-day =
    { $author ->
            [yes] The author, who is a moderator,
           *[no] A moderator
        } left out { $from }, with { $ratings ->
            [one] { $ratings } rating
           *[other] { $ratings } ratings
        }. The score was { $before } and became { $after }.
moderation-void-days =
    { $author ->
            [yes] The author, who is a moderator,
           *[no] A moderator
        } left out { $from } to { $to }, with { $ratings ->
            [one] { $ratings } rating
           *[other] { $ratings } ratings
        }. The score was { $before } and became { $after }.
moderation-restore-day =
    { $author ->
            [yes] The author, who is a moderator,
           *[no] A moderator
        } took in again { $from }, with { $ratings ->
            [one] { $ratings } rating
           *[other] { $ratings } ratings
        }. The score was { $before } and became { $after }.
moderation-restore-days =
    { $author ->
            [yes] The author, who is a moderator,
           *[no] A moderator
        } took in again { $from } to { $to }, with { $ratings ->
            [one] { $ratings } rating
           *[other] { $ratings } ratings
        }. The score was { $before } and became { $after }.
score-none = none
score-stars = { $score } ★
preview-day =
    { $from }: { $ratings ->
            [one] { $ratings } rating
           *[other] { $ratings } ratings
        } { $void ->
            [yes] would be left out.
           *[no] would be taken in again.
        }
preview-days =
    { $from } to { $to } ({ $days ->
            [one] { $days } day with ratings
           *[other] { $days } days with ratings
        }): { $ratings ->
            [one] { $ratings } rating
           *[other] { $ratings } ratings
        } { $void ->
            [yes] would be left out.
           *[no] would be taken in again.
        }
age-under-a-day = under a day
age-under-a-week = 1 to 6 days
age-under-a-month = 7 to 29 days
age-under-a-year = 30 to 364 days
age-older = a year or more
invalid-nothing-to-void = No rating of these days counts that is not left out already.
invalid-nothing-to-restore = No moderator has left out ratings of these days.
invalid-day-not-over = A day has to be over: the last one is { $day } (UTC).
invalid-day = Write the day like 2026-11-21.
invalid-no-reason = Say why: others will ask.
invalid-to = This has to be the same day as `from`, or a later one.
invalid-too-many-days = Choose at most 366 days.
void-link = Leave days out
void-heading = Leave days out of a score
restore-link = Take days in again
void-button =
    { $count ->
            [one] Leave out { $count } rating
           *[other] Leave out { $count } ratings
        }
restore-button =
    { $count ->
            [one] Take in { $count } rating
           *[other] Take in { $count } ratings
        }
moderate-what = Ratings of these days stay in the average. Everybody can read what you decide and why, and it can be taken back.
moderate-from-hint = Days are of UTC, and have to be over.
moderate-to-hint = Leave it empty for one day.
moderate-see = See what it would do
moderate-would = What it would do
moderate-score = { $before } → { $after }
moderate-ages = Ages of the accounts
moderate-age = Age of the account
moderate-reason-hint = Readers see this beside the score. At most 300 characters.
moderate-cancel = Change nothing

## Paused ratings.

paused-title = Paused ratings
paused-none = None of your ratings is paused.
paused-what =
    Your account has tried to rate { $count ->
            [one] this post
           *[other] these posts
        } very often, in a way that cannot succeed. Probably a program keeps trying. Until the pause is lifted, further attempts are refused. Everything else goes on.
paused-since = since { $day }
paused-latest = These are the latest of { $count }.
paused-mend = Mend the program first: it would be paused again, though not within two weeks.
unpause-title = Lift a pause
unpause-one = Lift the pause
unpause-button =
    { $count ->
            [one] Lift the pause
           *[other] Lift all { $count } pauses
        }
unpause-heading =
    { $count ->
            [one] Lift this pause?
           *[other] Lift { $count } pauses?
        }
unpause-what =
    <bdi>{ $name }</bdi> has tried to rate <q dir="auto">{ $title }</q>{ $count ->
            [one] {""}
           *[other] {" "}and other posts
        } very often, in a way that cannot succeed. Probably a program keeps trying.
done-unpaused =
    { $count ->
            [one] The pause is lifted. You can rate the post again.
           *[other] { $count } pauses are lifted. You can rate these posts again.
        }
done-unpaused-some =
    { $count ->
            [one] The pause is lifted, and there may be more: use the link once more.
           *[other] { $count } pauses are lifted, and there may be more: use the link once more.
        }
unpublished-post = An unpublished post

## How fast one may go.

classes-title = How fast you may go
classes-what = Requests are counted for each reader, so that nobody takes the site from the others. Who is too fast is warned, then has to wait, and is let in again after a pause. This is where you stand.
classes-none = There are no limits here at the moment.
classes-counted = What is counted
classes-programs = Programs get all figures here as JSON, and changes as they happen from <code>/rate/classes/events/</code>.
class-browse = Reading
class-write = Writing posts
class-rate = Rating
class-account = Signing in, and your account
class-wait = You have to wait { $wait }.
class-close = You are close to the limit.
class-none-left = The next request may have to wait.
class-left =
    { $count ->
            [one] { $count } more request at once is fine.
           *[other] { $count } more requests at once are fine.
        }
class-warning =
    You are { $class ->
            [write] writing
            [rate] rating
            [account] sending this form
           *[other] reading
        } very fast. Slow down, or you will have to wait for about { $wait }.
class-limited =
    You were { $class ->
            [write] writing
            [rate] rating
            [account] sending this form
           *[other] reading
        } too fast, and can go on in { $wait }.
invalid-class = Choose `browse`, `write`, `rate` or `account`.
