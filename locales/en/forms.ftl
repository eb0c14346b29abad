
## What is wrong with a field, and what is allowed in it.

invalid-missing = This field is required.
invalid-no-string = This has to be a string.
invalid-no-file-field = This is no field for a file.
invalid-null = This may not contain the null character.
invalid-unknown-field = There is no such field here.
invalid-choose-file = Choose a file.
invalid-no-file = Send this as a file, with a form of the type multipart/form-data.
invalid-file-too-large = Use at most { $most } MiB; this file has { $size }.
invalid-id = This has to be the id of something: a whole number, 1 or more.
invalid-zone = Use a time zone such as Europe/Berlin, Asia/Tehran or UTC.
invalid-language = Choose one of these: { $languages }.
invalid-too-many-characters = Use at most { $most } characters; these are { $count }.
invalid-boolean = Choose true or false.

## Why a request cannot be read.

malformed-request = The request could not be read.
malformed-body = The body could not be read.
malformed-broke-off = The body broke off.
malformed-not-utf8 = The body is not UTF-8.
malformed-parts = The body is no form whose parts can be read.
malformed-json = The body is not a JSON object with each field once.
malformed-twice = A field or parameter is there twice.
malformed-too-many = There are too many fields or parameters.
malformed-parameter-twice = A parameter is there twice.
malformed-null = A parameter contains a null character.
malformed-percent = A percent-encoded part is not UTF-8.
malformed-cursor = This cursor was not made by this list.

## Labels of fields: on top of the field, and in the list of what is wrong. Named after the fields.

label-username = Username
label-email = E-mail
label-username-or-email = Username or e-mail
label-password = Password
label-current-password = Current password
label-old-password = Current password
label-new-password = New password
label-code = Code
label-title = Title
label-content = Text
label-tags = Tags
label-publish-at = Publish later
label-slug = Address
label-excerpt = Excerpt
label-cover = Picture of the post
label-status = Status
label-version = Version
label-image = Picture
label-avatar = Picture
label-alt = What it shows
label-spot = Place
label-display-name = Display name
label-about = About
label-link = Link
label-language = Language
label-time-zone = Time zone
label-people = People
label-days = Days
label-posts = Published posts
label-from = First day
label-to = Last day
label-reason = Why
label-rating = Stars

## Stands before the title of a page whose form was not accepted.

title-with-error = Error: { $title }

## What is shown as it is.

verbatim = { $text }

## Units.

seconds =
    { $count ->
            [one] { $count } second
           *[other] { $count } seconds
        }
minutes =
    { $count ->
            [one] { $count } minute
           *[other] { $count } minutes
        }
hours =
    { $count ->
            [one] { $count } hour
           *[other] { $count } hours
        }
kilobytes = { $size } kB
megabytes = { $size } MB
gigabytes = { $size } GB
percent = { $percent } %
label-act = What
label-actor = Who
label-user = Whose account
label-post = Number of the post
label-invitation = Invitation
label-ratings = Ratings
label-score-before = Score before
label-score-after = Score after
label-sessions = Sessions
label-command = Command
invalid-too-many-gates = At most { $most } posts can have a limiter of their own. Take the one of another post back first.
label-limiter = Limiter
label-before = Before
label-after = After
label-params-before = Parameters before
label-params-after = Parameters after
invalid-no-users = Pick at least one account.
invalid-too-many-users = At most { $most } accounts at once, not { $count }.
invalid-block-days = A whole number of days from 1 to { $most }, or nothing.
invalid-staff-role = The roles are moderator, admin and owner; none takes them away.
label-users = Accounts
label-role = Role
label-until = Until
invalid-look-twice = Type your password: it is asked again before this.
label-category = What is wrong
label-explanation = What and why
label-appeal = Why it should be decided otherwise
label-ruling = Decision
label-case = Case
label-ground = Taken down for
label-name = Name begins with
label-words = Words in it
label-author = Author
label-tag = Tag
label-key = Key begins with
label-mail = Mail
label-made-by = Made by
