
## Validation errors of fields.

invalid-missing = This field is required.
invalid-not-a-string = This must be a string.
invalid-file-not-accepted = This field doesn’t accept files.
invalid-null-character = Null characters aren’t allowed.
invalid-unknown-field = Unknown field. Check its name.
invalid-choose-file = Choose a file.
choose-file-again = Choose the file again.
invalid-not-a-file = Upload this as a file, using multipart/form-data.
invalid-file-too-large = This file is too large ({ $size } MiB). The maximum is { $most } MiB.
invalid-id = Enter an ID: a whole number, 1 or greater.
invalid-zone = Enter a time zone, such as Europe/Berlin, Asia/Tehran or UTC.
invalid-language = Choose one of these languages: { $languages }.
invalid-too-many-characters = Use at most { $most } characters. You entered { $count }.
invalid-boolean = Choose true or false.

## Errors of malformed requests.

malformed-request = The request could not be read.
malformed-body = The request body could not be read.
malformed-if-match = The header If-Match can’t be read. Send the value of the header ETag, in quotation marks.
malformed-incomplete = The request body is incomplete. Try again.
malformed-not-utf8 = The request body isn’t valid UTF-8.
malformed-multipart = The request body isn’t valid multipart/form-data.
malformed-json = The request body must be a JSON object without duplicate fields.
malformed-duplicate-field = The request contains the same field or parameter twice.
malformed-too-many = The request has too many fields or parameters.
malformed-duplicate-parameter = The URL contains the same parameter twice.
malformed-null = A URL parameter contains a null character.
malformed-percent = A percent-encoded URL parameter isn’t valid UTF-8.
malformed-cursor = This page link doesn’t belong to this list. Go back to the first page.

## Field labels, shown above the field, in error summaries and in the audit log. The key is label- and the name of the field.

label-username = Username
label-email = Email
label-username-or-email = Username or email
label-password = Password
label-current-password = Current password
label-old-password = Current password
label-new-password = New password
label-code = Code
label-title = Title
label-content = Text
label-tags = Tags
label-publish-at = Publish later
label-slug = URL slug
label-is-page = Kind
label-accepts-ratings = Ratings
label-excerpt = Excerpt
label-cover = Cover image
label-status = Status
label-version = Version
label-image = Image
label-avatar = Profile picture
label-alt = Alt text
label-spot = Placement
label-display-name = Display name
label-about = About you
label-link = Link
label-language = Language
label-time-zone = Time zone
label-max-uses = Number of people
label-target = User or network
label-limit = Limit
label-allowance = Factor
label-network = Network
label-expires = Ends
label-days = Days
label-posts = Published posts
label-from = First day
label-to = Last day
label-reason = Reason
label-rating = Rating

## Title of a page whose form was rejected.

title-with-error = Error: { $title }

## Text that is not translated.

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
days =
    { $count ->
            [one] { $count } day
           *[other] { $count } days
        }
kilobytes = { $size } kB
megabytes = { $size } MB
gigabytes = { $size } GB
percent = { $percent }%
label-act = Action
label-actor = Performed by
label-user = User
label-post = Post ID
label-invitation = Invitation
label-ratings = Ratings
label-score-before = Score before the change
label-score-after = Score after the change
label-sessions = Sessions
label-command = Command
invalid-too-many-overrides = At most { $most } posts can have a limiter override. Remove another override first.
label-limiter = Limiter
label-before = Before the change
label-after = After the change
label-params-before = Parameters before the change
label-params-after = Parameters after the change
invalid-staff-role = Choose moderator, admin or owner, or none to remove the role.
label-users = Accounts
label-role = Role
label-until = Blocked until
invalid-password-needed = Enter your password to confirm this action.
label-category = Reason for your report
label-explanation = Details
label-appeal = Reason for your appeal
label-ruling = Decision
label-case = Case
label-ground = Grounds for takedown
label-name-starts = Name starts with
label-name = Name
label-words = Contains text
label-author = Author
label-tag = Tag
label-key = Key starts with
label-mail = Email type
label-made-by = Created by
label-token = Token
label-scopes = Scopes
label-expires-in-days = Expires after
label-end-tokens = Revoke API tokens
label-tokens = API tokens
malformed-idempotency-key = The header Idempotency-Key must have 1 to 255 visible ASCII characters without quotes.
label-event = Event
label-events = Events
label-url = URL
label-webhook = Webhook
label-attempts = Attempts
label-error = Error
label-secret = Secret
label-enabled = Enabled
label-is-enabled = State
copy = Copy
copied = Copied.
invalid-webhook-url = Enter an absolute URL that begins with https:// and has no username, password or fragment.
invalid-webhook-http = The URL must begin with https://.
invalid-webhook-address = This URL has a private IP address. Use a public host, or add its network to WEBHOOK_PRIVATE_NETWORKS.
invalid-webhook-events = Choose at least one of these events: { $names }.
invalid-webhook-no-events = Choose at least one event.
invalid-too-many-webhooks = There can be at most { $most } webhooks. Delete one first.
label-site-name = Name of the site
label-site-description = Description
label-site-footer = Footer
label-site-menu = Menu
label-site-logo = Logo
label-site-icon = Icon
label-footer-menu = Footer menu
label-accent-color = Accent color
label-site-language = Language
label-site-time-zone = Time zone
label-registration = Who may register
label-publishing = Who may publish posts
label-min-account-age-hours = Minimum age of accounts that may rate
label-confirmed-email = Confirmed email address for rating
label-score-shown = Score that pages show
label-setting = Setting
invalid-color = Enter a color as # and six digits from 0 to f, such as #0b5573.
invalid-contrast = Links in this color would be hard to read on a light page. Choose a darker color, such as { $color }.
invalid-from-environment = The environment variable { $variable } of the server sets this value, so it can’t be changed here.
invalid-no-mail = The site sends no mail, so no email address can be confirmed. Set SMTP_URL on the server first.
