
## The score of a post.

ratings = { $count } امتیاز
stars = { $count } ستاره
score-no-ratings = هنوز امتیازی ندارد
score-not-enough = هنوز امتیازها کافی نیست · { $count } از { $enough }
score-aloud = { $score } از ۵، { $count } امتیاز
score-shown = { $score } ★ · { $count } امتیاز
score-none-of = بدون نمره · { $count } امتیاز
your-rating-is = امتیاز شما: { $stars } ★
apart-odd =
    { $days ->
            [one] در { $last }
           *[other] در { $days } روز تا { $last }
        }، { $ratings } امتیاز یک‌باره رسید که با امتیازهای پیشین همخوان نبود.
apart-voided =
    ناظری { $ratings } امتیاز { $days ->
            [one] در { $last }
           *[other] در { $days } روز تا { $last }
        } را کنار گذاشته است: «{ $why }»{ $others ->
            [yes] {" "}و به دلیل‌های دیگر.
           *[no] .
        }
apart-weighed = در این نمره هر روز وزن محدودی دارد و در روزهای شلوغ تنها کسانی شمرده می‌شوند که پیش‌تر به نوشته‌های دیگری امتیاز داده بودند. میانگین همه { $average } ★ است.
apart-counted = در میانگین { $average } ★ به حساب می‌آید، نه در این نمره.
apart-see-days = دیدن روزها
unusual-since = امتیازدهی غیرعادی از { $time }.
unusual-refused = از آن پس { $count } امتیاز با سرعت بیش از حد رسید و در نمره نیست.
unusual-not-moved = نمره تکان نخورد.
unusual-moved = نمره از { $before } به { $now } ★ رسید.
unusual-see = خودتان ببینید

## Rating a post.

ratings-heading = امتیازها
your-rating = امتیاز شما
rate-this-post = به این نوشته امتیاز بدهید
rate-sign-in = برای امتیاز دادن وارد شوید. ستاره‌ای که انتخاب می‌کنید می‌ماند.
rate-own-post = این نوشتهٔ خودتان است؛ دیگران به آن امتیاز می‌دهند.
rate-how-many = چند ستاره؟
rate-button = ثبت امتیاز
rate-change = تغییر امتیازم
rate-one-more-step = یک گام دیگر.
rate-press-change = پیش‌تر { $before } ★ داده بودید. برای اینکه { $stars } ★ شود «{ $button }» را بزنید.
rate-press = { $stars } ★ انتخاب کردید. برای ثبتش «{ $button }» را بزنید.
rating-given = { $stars } ستاره داده‌اید. می‌توانید تغییرش دهید.
rating-waits = { $stars } ★ شما در صف شمارش است، شمارهٔ { $number }. این نوشته هم‌اکنون امتیازهای زیادی می‌گیرد. لازم نیست اینجا بمانید.
rating-take-back = پس گرفتن
rating-can-be-sent-in = پس از <span>{ $wait }</span> می‌توان آن را فرستاد.
rating-send-for-me = خودکار فرستاده شود
rating-kept = این نوشته هم‌اکنون بیش از حد معمول امتیاز می‌گیرد. امتیاز { $stars } ★ شما همین‌جا می‌ماند.
rating-change-kept = هر امتیاز را چند بار پشت سر هم می‌توان تغییر داد و پس از آن هر ده دقیقه یک بار. تغییر شما به { $stars } ★ همین‌جا می‌ماند.
done-rated = امتیاز { $stars } ستارهٔ شما شمرده شد. می‌توانید تغییرش دهید.
done-rating-changed = امتیازتان اکنون { $stars } ستاره است.
done-rating-waits = امتیاز { $stars } ستارهٔ شما در صف است: این نوشته هم‌اکنون امتیازهای زیادی می‌گیرد. شمارهٔ { $number } در صف است و پس از حدود { $wait } شمرده می‌شود.
done-taken-back = امتیازتان پس گرفته شد. شمرده نشده بود.
invalid-stars = از ۱ تا ۵ ستاره انتخاب کنید.
distribution-caption = هر تعداد ستاره چند بار داده شده
mine-title = امتیازهایی که داده‌اید
mine-none = هنوز به چیزی امتیاز نداده‌اید.
column-post = نوشته
column-when = زمان

## Ratings over time.

history-title = امتیازهای { $title }
history-heading = امتیازها در گذر زمان
history-of = <a href="{ $path }"><bdi>{ $title }</bdi></a>
history-none = هنوز امتیازی نیست.
figure-shown = نمرهٔ نمایش‌داده‌شده { $score } ★
figure-not-enough = امتیازها هنوز برای نمره کافی نیست
figure-average = میانگین همه { $score } ★
figure-with-refused = با { $count } نفری که رد شدند { $score } ★
story-more-days = در { $count } روز دیگر هم چنین بود: روزها را در پایین ببینید.
story-refused-on-day =
    دروازه { $count } تلاش برای امتیاز دادن را رد کرد{ $all ->
            [yes] ، در { $day }
           *[no] ، بیشترشان در { $day }
        }. این‌ها در نمره اثری ندارد.
story-refused-in-hour =
    دروازه { $count } تلاش برای امتیاز دادن را رد کرد{ $all ->
            [yes] ، ظرف یک ساعت از { $hour }
           *[no] ، بیشترشان ظرف یک ساعت از { $hour }
        }. این‌ها در نمره اثری ندارد.
story-quiet-days = { $count } امتیاز در { $days } روز رسید، و در هیچ روزی بیش از { $most } تا نبود.
story-quiet-hours = { $count } امتیاز رسید، و در هیچ ساعتی بیش از { $most } تا نبود.
story-nothing-unusual = چیزی غیرعادی در آن‌ها نیست.
story-full-days =
    { $count ->
            [one] در یک روز آن‌قدر امتیاز رسید که وزن هر یک کمتر شد.
           *[other] در { $count } روز آن‌قدر امتیاز رسید که وزن هر یک کمتر شد.
        }
story-odd = در { $day } یک‌باره { $ratings } امتیاز رسید که با امتیازهای پیشین همخوان نبود ({ $average } ★): از نمره کنار گذاشته شده است.
story-voided = ناظری { $day } را با { $ratings } امتیاز ({ $average } ★) کنار گذاشته است.
story-voided-because = ناظری { $day } را با { $ratings } امتیاز ({ $average } ★) کنار گذاشته است: «{ $because }».
story-busy = در { $day }، { $ratings } امتیاز رسید، بسیار بیش از معمول: در نمره تنها کسانی شمرده می‌شوند که پیش‌تر به نوشته‌های دیگری امتیاز داده بودند.
period-day = { $day }
period-hour = { $time }
period-words = { $when }: { $new } تازه، { $changed } تغییرکرده، { $refused } ردشده؛ { $steady } { $average }
period-steady = نمرهٔ پایدار { $score } ★،
period-average = میانگین { $score } ★
nothing = {""}
steady-score = نمرهٔ پایدار
chart-aloud =
    در بالا نمرهٔ پایدار و میانگین، و در پایین شمار امتیازهای هر { $period ->
            [day] روز
           *[other] ساعت
        }. عددها در جدول است.
chart-score = نمره، از ۱ تا ۵ ستاره
chart-arrivals =
    { $refused ->
            [yes] امتیازها و تلاش‌های ردشده
           *[no] امتیازها
        } در هر { $period ->
            [day] روز
           *[other] ساعت
        }
chart-average =
    میانگین همه{ $refused ->
            [yes] ، اگر دروازه کسی را رد نمی‌کرد
           *[no] {""}
        }
chart-new = تازه
chart-changed = تغییرکرده
chart-refused = ردشده، چون بیش از حد تند رسید
chart-left-out = روزی که از نمره کنار گذاشته شده
chart-cut = میله‌ای که شکاف دارد بلندتر از آن است که نمایش داده شده؛ عددش بالای آن است و نسبت رنگ‌هایش درست است.
chart-utc = زمان‌ها به وقت UTC است.
numbers = عددها
as-csv = به‌صورت CSV
all-as-json = همه به‌صورت JSON
column-day = روز
column-hour = ساعت
column-refused = ردشده
column-ratings-then = شمار امتیازها تا آن زمان
column-average-then = میانگین تا آن زمان
days-heading = روزهای نمره
days-what = در نمرهٔ پایدار، هر روز حداکثر ۱٫۵ برابر وزن معمول روزها یا به اندازهٔ دو امتیاز وزن دارد. آخرین روز همان‌طور که هست به حساب می‌آید. جمع وزن‌دار همهٔ ستاره‌ها تقسیم بر جمع همهٔ وزن‌ها، نمره است.
column-day-utc = روز (UTC)
column-average = میانگین
column-weight = وزن
column-left-out = کنارگذاشته
column-why = دلیل
day-odd = زیاد، و ناهمخوان با قبل
day-busy-known = زیاد: تنها کسانی شمرده می‌شوند که پیش‌تر امتیاز داده بودند
day-voided = ناظری کنار گذاشته
day-busy = زیاد: هر کدام وزن کمتری دارد
invalid-of = `days` یا `periods` را انتخاب کنید.
invalid-format = `csv` یا `json` را انتخاب کنید، یا اصلاً ننویسید.

## What moderators decide.

moderations-heading = تصمیم‌های ناظران
moderations-earlier = تصمیم‌های پیشین
moderation-void-day =
    { $author ->
            [yes] نویسنده، که خود ناظر است،
           *[no] ناظری
        } { $from } را با { $ratings } امتیاز کنار گذاشت. نمره { $before } بود و { $after } شد.
moderation-void-days =
    { $author ->
            [yes] نویسنده، که خود ناظر است،
           *[no] ناظری
        } { $from } تا { $to } را با { $ratings } امتیاز کنار گذاشت. نمره { $before } بود و { $after } شد.
moderation-restore-day =
    { $author ->
            [yes] نویسنده، که خود ناظر است،
           *[no] ناظری
        } { $from } را با { $ratings } امتیاز دوباره به حساب آورد. نمره { $before } بود و { $after } شد.
moderation-restore-days =
    { $author ->
            [yes] نویسنده، که خود ناظر است،
           *[no] ناظری
        } { $from } تا { $to } را با { $ratings } امتیاز دوباره به حساب آورد. نمره { $before } بود و { $after } شد.
score-none = بدون نمره
score-stars = { $score } ★
preview-day =
    { $from }: { $ratings } امتیاز { $void ->
            [yes] کنار گذاشته می‌شود.
           *[no] دوباره به حساب می‌آید.
        }
preview-days =
    { $from } تا { $to } ({ $days } روزِ دارای امتیاز): { $ratings } امتیاز { $void ->
            [yes] کنار گذاشته می‌شود.
           *[no] دوباره به حساب می‌آید.
        }
age-under-a-day = کمتر از یک روز
age-under-a-week = ۱ تا ۶ روز
age-under-a-month = ۷ تا ۲۹ روز
age-under-a-year = ۳۰ تا ۳۶۴ روز
age-older = یک سال یا بیشتر
invalid-nothing-to-void = در این روزها امتیازی نیست که پیش‌تر کنار گذاشته نشده باشد.
invalid-nothing-to-restore = هیچ ناظری امتیازهای این روزها را کنار نگذاشته است.
invalid-day-not-over = روز باید تمام شده باشد: آخرین روز ممکن { $day } (UTC) است.
invalid-day = روز را مانند 2026-11-21 بنویسید.
invalid-no-reason = دلیلش را بگویید: دیگران خواهند پرسید.
invalid-to = این باید همان روزِ `from` یا روزی پس از آن باشد.
invalid-too-many-days = حداکثر ۳۶۶ روز انتخاب کنید.
void-link = کنار گذاشتن روزها
void-heading = کنار گذاشتن روزها از نمره
restore-link = دوباره به حساب آوردن روزها
void-button = کنار گذاشتن { $count } امتیاز
restore-button = به حساب آوردن { $count } امتیاز
moderate-what = امتیازهای این روزها در میانگین می‌ماند. همه می‌توانند تصمیم شما و دلیلش را بخوانند، و می‌توان آن را پس گرفت.
moderate-from-hint = روزها به وقت UTC حساب می‌شود و باید تمام شده باشد.
moderate-to-hint = برای یک روز خالی بگذارید.
moderate-see = دیدن نتیجه
moderate-would = نتیجه‌اش
moderate-score = { $before } ← { $after }
moderate-ages = عمر حساب‌ها
moderate-age = عمر حساب
moderate-reason-hint = خوانندگان این را کنار نمره می‌بینند. حداکثر ۳۰۰ نویسه.
moderate-cancel = انصراف

## Paused ratings.

paused-title = امتیازهای متوقف‌شده
paused-none = هیچ‌یک از امتیازهایتان متوقف نیست.
paused-what =
    حساب شما بارها تلاش کرده است، به شکلی که شدنی نیست، به { $count ->
            [one] این نوشته
           *[other] این نوشته‌ها
        } امتیاز بدهد. احتمالاً برنامه‌ای مدام تلاش می‌کند. تا توقف رفع نشود، تلاش‌های دیگر رد می‌شود. بقیهٔ کارها مثل همیشه است.
paused-since = از { $day }
paused-latest = از { $count } مورد، این‌ها تازه‌ترین‌هاست.
paused-mend = اول برنامه را درست کنید، وگرنه دوباره متوقف می‌شود؛ البته نه زودتر از دو هفته.
unpause-title = رفع توقف
unpause-one = رفع توقف
unpause-button =
    { $count ->
            [one] رفع توقف
           *[other] رفع هر { $count } توقف
        }
unpause-heading =
    { $count ->
            [one] این توقف رفع شود؟
           *[other] { $count } توقف رفع شود؟
        }
unpause-what =
    <bdi>{ $name }</bdi> بارها تلاش کرده است، به شکلی که شدنی نیست، به <q dir="auto">{ $title }</q>{ $count ->
            [one] {""}
           *[other] {" "}و نوشته‌های دیگر
        } امتیاز بدهد. احتمالاً برنامه‌ای مدام تلاش می‌کند.
done-unpaused =
    { $count ->
            [one] توقف رفع شد. دوباره می‌توانید به نوشته امتیاز بدهید.
           *[other] { $count } توقف رفع شد. دوباره می‌توانید به این نوشته‌ها امتیاز بدهید.
        }
done-unpaused-some = { $count } توقف رفع شد و شاید باز هم باشد: یک بار دیگر از پیوند استفاده کنید.
unpublished-post = نوشته‌ای منتشرنشده

## How fast one may go.

classes-title = چقدر تند می‌توانید بروید
classes-what = درخواست‌های هر خواننده جدا شمرده می‌شود تا کسی سایت را از دیگران نگیرد. هر کس بیش از حد تند برود هشدار می‌گیرد، بعد باید صبر کند و پس از مدتی دوباره می‌تواند ادامه دهد. وضعیت شما این است.
classes-none = فعلاً اینجا محدودیتی نیست.
classes-counted = چه چیزهایی شمرده می‌شود
classes-programs = برنامه‌ها همهٔ رقم‌ها را همین‌جا به‌صورت JSON می‌گیرند، و تغییرها را همان دم از <code>/rate/classes/events/</code>.
class-browse = خواندن
class-write = نوشتن
class-rate = امتیاز دادن
class-account = ورود و حساب شما
class-wait = باید { $wait } صبر کنید.
class-close = به مرز محدودیت نزدیک شده‌اید.
class-none-left = شاید برای درخواست بعدی لازم باشد صبر کنید.
class-left = { $count } درخواست دیگر هم پشت سر هم اشکالی ندارد.
class-warning =
    خیلی تند { $class ->
            [write] می‌نویسید
            [rate] امتیاز می‌دهید
            [account] این فرم را می‌فرستید
           *[other] می‌خوانید
        }. آهسته‌تر، وگرنه باید حدود { $wait } صبر کنید.
class-limited =
    بیش از حد تند { $class ->
            [write] می‌نوشتید
            [rate] امتیاز می‌دادید
            [account] این فرم را می‌فرستادید
           *[other] می‌خواندید
        } و پس از { $wait } می‌توانید ادامه دهید.
invalid-class = `browse`، `write`، `rate` یا `account` را انتخاب کنید.
