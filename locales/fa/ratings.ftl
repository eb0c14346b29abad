
## Score of a post.

stars = { $count } ستاره
score-no-ratings = هنوز امتیازی ندارد
score-few = · هنوز امتیازهای کمی
score-label = { $score } از ۵، { $count } امتیاز
score-shown = { $score } ★ · { $count } امتیاز
score-missing = بدون نمره · { $count } امتیاز
score-status-protected = نمره محافظت‌شده است
score-status-new = محافظت از نمره از { $enough } امتیاز آغاز می‌شود
score-status-counted =
    { $protected ->
            [yes] نمره محافظت‌شده است
           *[no] محافظت از نمره از { $enough } امتیاز آغاز می‌شود
        }: { $counted } امتیاز از { $count } امتیاز به حساب می‌آید
score-all-count = هر { $count } امتیاز در نمره به حساب می‌آید. موج ناگهانی امتیازهای متفاوت آن را چندان تغییر نمی‌دهد.
score-limited = { $count } امتیاز به حساب نمی‌آید، چون در آن زمان بیش از حد معمول امتیاز رسید.
score-surge = { $count } امتیاز به حساب نمی‌آید، چون امتیازهای بسیار زیادی رسید که با امتیازهای قبلی فرق دارند.
your-rating-is = امتیاز شما: { $stars } ★
score-held-back = { $count } امتیاز فعلاً در انتظار است، چون با بقیه فرق دارد. اگر امتیازهای مشابه همچنان برسد، به حساب می‌آید.
score-excluded = تیم سایت { $count } امتیاز را از نمره کنار گذاشته است.
score-excluded-reason = دلیل کنار گذاشتن آخرین روز ({ $last }): «{ $why }».
score-average = میانگین همهٔ امتیازها { $average } ★ است.
score-not-protected = تا وقتی نوشته { $enough } امتیاز نگرفته، نمره‌اش در برابر امتیازدهی سازمان‌یافته محافظت نمی‌شود.
score-breakdown-link = دیدن جزئیات نمره
unusual-since = امتیازدهی غیرعادی از { $time }.
unusual-refused = از آن زمان { $count } تلاش برای امتیازدهی رد شده که در نمره اثری ندارد.
unusual-unchanged = نمره تغییری نکرده است.
unusual-changed = نمره از { $before } به { $now } ★ رسیده است.

## Rating form of a post.

ratings-heading = امتیازها
your-rating = امتیاز شما
rate-this-post = به این نوشته امتیاز بدهید
rate-sign-in = برای امتیاز دادن وارد شوید. انتخابتان را به خاطر می‌سپاریم.
rate-own-post = نمی‌توانید به نوشتهٔ خودتان امتیاز بدهید.
rate-how-many = چند ستاره؟
rate-button = ثبت امتیاز
rate-change = تغییر امتیاز من
rate-withdraw = حذف امتیاز من
rate-one-more-step = یک قدم مانده است.
rate-change-hint = به این نوشته { $before } ★ داده‌اید. برای تغییر آن به { $stars } ★ «{ $button }» را بزنید.
rate-submit-hint = برای ثبت امتیاز { $stars } ★ «{ $button }» را بزنید.
rating-current = به این نوشته { $stars } ستاره داده‌اید.
own-rating-counts = امتیازتان کامل در نمره به حساب می‌آید.
own-rating-share =
    { $none ->
            [yes] امتیازتان در نمره به حساب نمی‌آید
           *[no] فقط { $percent } از امتیازتان در نمره به حساب می‌آید
        }
own-rating-limited = { $counts }، چون این نوشته بیش از حد معمول امتیاز گرفته است.
own-rating-surge = { $counts }، چون این نوشته امتیازهای بسیار زیادی گرفته که با امتیازهای قبلی فرق دارند.
own-rating-held-back = { $counts } و فعلاً در انتظار است، چون آخرین امتیازها با امتیازهای قبلی فرق دارند. اگر امتیازهای مشابه همچنان برسد، کامل به حساب می‌آید.
own-rating-excluded = { $counts }، چون تیم سایت امتیازهای { $day } را کنار گذاشته است.
own-rating-can-change = مقداری که به حساب می‌آید ممکن است تا پایان { $day } تغییر کند.
own-rating-average = در میانگین کامل به حساب می‌آید.
rating-try-again-in = پس از <span>{ $wait }</span> دوباره تلاش کنید.
rating-submit-automatically = ارسال خودکار { $stars } ★
rating-not-submitted = امتیاز { $stars } ★ شما هنوز ثبت نشده است.
rating-still = امتیازتان همچنان { $stars } ★ است.
rating-change-not-saved = تغییر به { $stars } ★ ذخیره نشده است: پس از چند تغییر، هر ده دقیقه فقط یک بار می‌توان امتیاز را تغییر داد.
done-rated = سپاس! به این نوشته { $stars } ستاره دادید.
done-rating-changed = امتیازتان را به { $stars } ستاره تغییر دادید.
done-rating-withdrawn = امتیاز { $stars } ستارهٔ خود را حذف کردید.
done-rating-removed = امتیاز شما حذف شد.
invalid-other-post = این فیلد را نفرستید یا نوشتهٔ موجود در نشانی را وارد کنید: { $id }.
invalid-stars = از ۱ تا ۵ ستاره انتخاب کنید.
distribution-caption = همهٔ امتیازها به تفکیک تعداد ستاره
mine-title = امتیازهای شما
mine-none = هنوز به هیچ نوشته‌ای امتیاز نداده‌اید.
column-post = نوشته
column-date = تاریخ

## Rating history of a post.

history-title = امتیازهای { $title }
history-heading = روند امتیازها
history-of = نوشته: <a href="{ $path }"><bdi>{ $title }</bdi></a>
history-none = هنوز امتیازی ندارد.
history-range = بازهٔ زمانی
history-range-all = همه
history-range-days = { $days } روز
history-none-in-range = در این بازه امتیازی نیست.
figure-score = نمره
figure-average = میانگین
figure-refused = تلاش‌های ردشده
figure-average-with-refused = میانگین با امتیازهای ردشده
history-refused-on-day =
    محدودکننده { $count } تلاش برای امتیازدهی را { $all ->
            [yes] در { $day } رد کرد
           *[no] رد کرد که بیشترینشان در { $day } بود
        }. تلاش‌های ردشده در نمره اثری ندارد.
history-refused-in-hour =
    محدودکننده { $count } تلاش برای امتیازدهی را { $all ->
            [yes] در ساعتی که از { $hour } آغاز شد رد کرد
           *[no] رد کرد که بیشترینشان در ساعتی بود که از { $hour } آغاز شد
        }. تلاش‌های ردشده در نمره اثری ندارد.
history-usual-days = { $count } امتیاز در { $days } روز؛ حداکثر { $most } امتیاز در یک روز.
history-usual-hours = { $count } امتیاز؛ حداکثر { $most } امتیاز در یک ساعت.
history-nothing-unusual = فعالیت غیرعادی دیده نمی‌شود.
history-surge = { $count } امتیاز از { $ratings } امتیاز ({ $days }) به حساب نمی‌آید: بیش از حد معمول امتیاز رسید و میانگین آن ({ $average } ★) از نمرهٔ قبلی دور است.
history-held-back = { $count } امتیاز از { $ratings } امتیاز ({ $days }) فعلاً در انتظار است، چون میانگین آن ({ $average } ★) از نمرهٔ قبلی دور است.
history-excluded = تیم سایت { $ratings } امتیاز ({ $days }، میانگین { $average } ★) را از نمره کنار گذاشته است.
history-excluded-reason = تیم سایت { $ratings } امتیاز ({ $days }، میانگین { $average } ★) را از نمره کنار گذاشته است. دلیل: «{ $because }».
period-day = { $day }
period-hour = { $time }
period-words =
    { $when }
    امتیازها: { $new } تازه، { $changed } تغییرکرده، { $refused } ردشده.
    { $steady } { $average } { $blocked }
period-steady = نمره: { $score } ★.
period-average = میانگین: { $score } ★.
period-blocked = با امتیازهای ردشده: { $score } ★.
nothing = {""}
chart-label = نمودار خطی نمره و میانگین. داده‌ها در جدول زیر آمده‌اند.
chart-score = نمره (۱ تا ۵ ستاره)
chart-steady = نمره
chart-counted =
    امتیازها در هر { $period ->
            [day] روز
           *[other] ساعت
        }
chart-blocked =
    تلاش‌های ردشده در هر { $period ->
            [day] روز
           *[other] ساعت
        }
chart-average =
    { $refused ->
            [yes] میانگین با امتیازهای ردشده
           *[no] میانگین همهٔ امتیازها
        }
chart-new = امتیازهای تازه
chart-changed = امتیازهای تغییرکرده
chart-refused = ردشده از سوی محدودکننده
chart-without-weight = بیشتر در انتظار، به حساب نیامده یا کنار گذاشته‌شده
chart-utc = زمان‌ها به وقت UTC است.
chart-open =
    { $period ->
            [day] آخرین روز هنوز تمام نشده است.
           *[other] آخرین ساعت هنوز تمام نشده است.
        }
legend-title = معنی این واژه‌ها
legend-refused = محدودکننده تلاش را رد کرد، چون امتیازهای بسیار زیادی یک‌باره رسید. این امتیاز ذخیره نشده است.
legend-held-back = این امتیاز با بقیه فرق دارد. ذخیره شده و در میانگین به حساب می‌آید. اگر امتیازهای مشابه همچنان برسد، در نمره هم به حساب می‌آید.
legend-not-counted = بیش از حد معمول امتیاز رسید. این امتیاز ذخیره شده و در میانگین به حساب می‌آید، اما در نمره نه.
legend-excluded = تیم سایت روز این امتیاز را با دلیلی که همه می‌بینند از نمره کنار گذاشته است. این امتیاز در میانگین به حساب می‌آید.
numbers = جدول داده‌ها
as-csv = بارگیری CSV
all-as-json = همهٔ داده‌ها به‌صورت JSON
column-day = روز
column-hour = ساعت
column-refused = ردشده
column-total-ratings = مجموع امتیازها
days-heading = جزئیات نمره
days-description = نمره میانگین وزنی این دوره‌هاست: مجموع میانگین × وزن، تقسیم بر مجموع وزن‌ها. وزن هر دوره حداکثر ۱٫۵ برابر معمول است، مگر تا وقتی که نوشتهٔ تازه کمتر از ۴۰ امتیاز دارد. آخرین دوره هنوز ممکن است تغییر کند.
column-days-utc = روزها (UTC)
column-average = میانگین
column-weight = وزن
column-held-back = در انتظار
column-not-counted = به حساب نیامده
column-excluded = کنار گذاشته‌شده
column-reason = دلیل
row-total = جمع
score-period-surge = بیش از حد معمول، با میانگینی دور از نمرهٔ قبلی
score-period-held-back = میانگین دور از نمرهٔ قبلی؛ اگر امتیازهای مشابه همچنان برسد به حساب می‌آید
score-period-excluded = تیم سایت از نمره کنار گذاشته است
score-period-limited = بیش از حد معمول؛ هر امتیاز وزن کمتری دارد
score-period-whole = کامل به حساب می‌آید
score-period-days =
    { $one ->
            [yes] { $from }
           *[no] { $from } تا { $until }
        }
invalid-of = `days` یا `periods` را انتخاب کنید.
invalid-format = `csv` یا `json` را انتخاب کنید، یا این پارامتر را حذف کنید.

## Excluding days from the score.

moderations-heading = تصمیم‌های ناظران
moderations-earlier = تصمیم‌های قبلی
moderation-exclude-day =
    { $author ->
            [yes] نویسنده، که خود ناظر است،
           *[no] یکی از ناظران
        } { $from } را از نمره کنار گذاشت ({ $ratings } امتیاز). نمرهٔ قبل: { $before }، بعد: { $after }.
moderation-exclude-days =
    { $author ->
            [yes] نویسنده، که خود ناظر است،
           *[no] یکی از ناظران
        } روزهای { $from } تا { $to } را از نمره کنار گذاشت ({ $ratings } امتیاز). نمرهٔ قبل: { $before }، بعد: { $after }.
moderation-restore-day =
    { $author ->
            [yes] نویسنده، که خود ناظر است،
           *[no] یکی از ناظران
        } { $from } را دوباره در نمره به حساب آورد ({ $ratings } امتیاز). نمرهٔ قبل: { $before }، بعد: { $after }.
moderation-restore-days =
    { $author ->
            [yes] نویسنده، که خود ناظر است،
           *[no] یکی از ناظران
        } روزهای { $from } تا { $to } را دوباره در نمره به حساب آورد ({ $ratings } امتیاز). نمرهٔ قبل: { $before }، بعد: { $after }.
score-none = بدون نمره
score-stars = { $score } ★
preview-day =
    { $from }: { $ratings } امتیاز { $exclude ->
            [yes] کنار گذاشته می‌شود.
           *[no] دوباره به حساب می‌آید.
        }
preview-days =
    { $from } تا { $to } ({ $days } روزِ دارای امتیاز): { $ratings } امتیاز { $exclude ->
            [yes] کنار گذاشته می‌شود.
           *[no] دوباره به حساب می‌آید.
        }
age-under-a-day = کمتر از یک روز
age-under-a-week = ۱ تا ۶ روز
age-under-a-month = ۷ تا ۲۹ روز
age-under-a-year = ۳۰ تا ۳۶۴ روز
age-older = یک سال یا بیشتر
invalid-nothing-to-exclude = در این روزها امتیازی برای کنار گذاشتن نمانده است.
invalid-nothing-to-restore = در این روزها هیچ امتیازی کنار گذاشته نشده است.
invalid-day-not-over = فقط روزهای گذشته را می‌توان انتخاب کرد: { $day } (UTC) یا پیش از آن.
invalid-day = تاریخ را به شکل YYYY-MM-DD بنویسید، مانند 2026-11-21.
invalid-no-reason = دلیل را وارد کنید.
invalid-to = آخرین روز نمی‌تواند پیش از اولین روز باشد.
invalid-too-many-days = حداکثر ۳۶۶ روز انتخاب کنید.
exclude-link = کنار گذاشتن روزها
exclude-heading = کنار گذاشتن روزها از نمره
restore-link = به حساب آوردن دوبارهٔ روزها
exclude-button = کنار گذاشتن { $count } امتیاز
restore-button = به حساب آوردن دوبارهٔ { $count } امتیاز
moderate-description = امتیازهای این روزها در میانگین می‌ماند. تصمیم شما و دلیلش را همه می‌بینند، و تصمیم را می‌توان برگرداند.
moderate-from-hint = فقط روزهای گذشته را می‌توان انتخاب کرد (UTC).
moderate-to-hint = برای انتخاب یک روز خالی بگذارید.
moderate-preview-button = پیش‌نمایش تغییرات
moderate-preview-heading = پیش‌نمایش
moderate-score = نمره: { $before } ← { $after }
moderate-ages = عمر حساب‌ها
moderate-age = عمر حساب
moderate-reason-hint = کنار نمره به همه نمایش داده می‌شود. حداکثر ۳۰۰ نویسه.
moderate-cancel = انصراف

## Paused ratings of a user.

paused-title = امتیازهای متوقف‌شده
paused-none = هیچ‌یک از امتیازهایتان متوقف نشده است.
paused-description =
    { $count ->
            [one] امتیازدهی شما به این نوشته متوقف شده است
           *[other] امتیازدهی شما به این نوشته‌ها متوقف شده است
        }، چون تلاش‌های زیادی ناموفق بوده یا تیم سایت آن را متوقف کرده است. تا وقتی توقف را رفع نکنید، تلاش‌های بعدی رد می‌شود. بقیهٔ کارها مثل همیشه است.
paused-since = متوقف از { $day }
paused-latest = از { $count } توقف، فقط تازه‌ترین‌ها نمایش داده شده است.
paused-fix-first = اگر برنامه‌ای باعث توقف شده است، اول آن برنامه را درست کنید؛ وگرنه امتیازهایتان دوباره متوقف می‌شود، البته نه زودتر از دو هفتهٔ دیگر.
unpause-title = رفع توقف
unpause-link = رفع توقف
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
unpause-description =
    امتیازدهی <bdi>{ $name }</bdi> به <q dir="auto">{ $title }</q>{ $count ->
            [one] {""}
           *[other] {" "}و نوشته‌های دیگر
        } متوقف شده است، چون تلاش‌های زیادی ناموفق بوده یا تیم سایت آن را متوقف کرده است.
done-unpaused =
    { $count ->
            [one] توقف رفع شد. دوباره می‌توانید به این نوشته امتیاز بدهید.
           *[other] { $count } توقف رفع شد. دوباره می‌توانید به این نوشته‌ها امتیاز بدهید.
        }
done-unpaused-partly = { $count } توقف رفع شد. شاید توقف‌های دیگری هم باشد: برای رفع آن‌ها پیوند را دوباره باز کنید.
unpublished-post = نوشتهٔ منتشرنشده

## Rate limits of a client.

classes-title = محدودیت درخواست‌ها
classes-description = تعداد درخواست‌های هر کاربر محدود است تا سایت برای دیگران کند نشود. اگر درخواست‌هایتان بیش از حد باشد، ابتدا هشدار می‌گیرید و سپس باید صبر کنید. وضعیت فعلی شما در این صفحه آمده است.
classes-none = فعلاً محدودیتی وجود ندارد.
classes-counted = درخواست‌هایی که شمرده می‌شود
classes-api-hint = برنامه‌ها می‌توانند این داده‌ها را از همین صفحه به‌صورت JSON بگیرند و تغییرات را زنده از <code>/rate/classes/events/</code> دریافت کنند.
class-browse = خواندن
class-write = نوشتن نوشته
class-rate = امتیاز دادن
class-account = ورود و حساب شما
class-wait = لطفاً { $wait } صبر کنید.
class-close = به سقف مجاز نزدیک شده‌اید.
class-warned = محدودیت‌های درخواست شما سخت‌گیرانه‌تر از معمول است، چون سوءاستفاده از حساب شما تأیید شده است (سطح هشدار { $level }٪). این سطح روزی ۵ واحد کم می‌شود.
class-no-limit = بدون محدودیت
class-none-left = شاید درخواست بعدی‌تان موقتاً پذیرفته نشود.
class-left = اکنون می‌توانید { $count } درخواست دیگر بفرستید.
class-warning =
    { $class ->
            [write] خیلی سریع می‌نویسید
            [rate] خیلی سریع امتیاز می‌دهید
            [account] این فرم را خیلی سریع می‌فرستید
           *[other] صفحه‌ها را خیلی سریع باز می‌کنید
        }. آهسته‌تر، وگرنه باید حدود { $wait } صبر کنید.
class-limited =
    { $class ->
            [write] خیلی سریع می‌نوشتید
            [rate] خیلی سریع امتیاز می‌دادید
            [account] این فرم را خیلی سریع می‌فرستادید
           *[other] صفحه‌ها را خیلی سریع باز می‌کردید
        }. پس از { $wait } می‌توانید ادامه دهید.
invalid-class = `browse`، `write`، `rate` یا `account` را انتخاب کنید.
