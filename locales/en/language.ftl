# What this language calls itself.
language-name = English
# Where it is written in several ways: how its numbers and dates are, as BCP 47 has it.
language-formats = en-GB

## How long ago something was, of the last week

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
