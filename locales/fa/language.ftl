language-name = فارسی

## Relative times within the last week

time-just-now = همین حالا
time-minutes-ago = { $count } دقیقه پیش
time-hours-ago = { $count } ساعت پیش
time-days-ago = { $count } روز پیش
