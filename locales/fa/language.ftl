language-name = فارسی

## How long ago something was, of the last week

time-just-now = همین حالا
time-minutes-ago = { $count } دقیقه پیش
time-hours-ago = { $count } ساعت پیش
time-days-ago = { $count } روز پیش
