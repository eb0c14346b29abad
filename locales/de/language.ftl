language-name = Deutsch

## Relative times within the last week

time-just-now = gerade eben
time-minutes-ago =
    { $count ->
            [one] vor { $count } Minute
           *[other] vor { $count } Minuten
        }
time-hours-ago =
    { $count ->
            [one] vor { $count } Stunde
           *[other] vor { $count } Stunden
        }
time-days-ago =
    { $count ->
            [one] vor { $count } Tag
           *[other] vor { $count } Tagen
        }
