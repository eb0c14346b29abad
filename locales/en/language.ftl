# Name of this language, in the language itself.
language-name = English
# BCP 47 tag for number and date formats, for languages with several regional formats.
language-formats = en-GB

## Relative times within the last week

time-just-now = just now
time-minutes-ago =
    { $count ->
            [one] { $count } minute ago
           *[other] { $count } minutes ago
        }
time-hours-ago =
    { $count ->
            [one] { $count } hour ago
           *[other] { $count } hours ago
        }
time-days-ago =
    { $count ->
            [one] { $count } day ago
           *[other] { $count } days ago
        }
