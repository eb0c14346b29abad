admin-title = مدیریت
admin-what = برای کسانی که این سایت را می‌گردانند. دیگران اینجا چیزی نمی‌یابند.
admin-invitations = پیوندهایی که با آن‌ها می‌شود ثبت‌نام کرد، و کسانی که با آن‌ها آمده‌اند.
log-title = چه کسی چه کرد
log-what = تصمیم‌های دست‌اندرکاران، تغییرهایی که هر کس در حسابش می‌دهد، و کارهایی که سایت خودش انجام می‌دهد. گذرواژه، متن و ایمیل در آن نیست.
log-any-act = هر کاری
log-filter = نمایش
log-all = نمایش همه
log-nobody = سایت، یا کسی که دیگر اینجا نیست
log-post = نوشتهٔ { $id }

## What was done

act-days-void = کنار گذاشتن روزهایی از نمره
act-days-restore = برگرداندن روزهایی به نمره
act-post-change = ویرایش نوشتهٔ دیگری
act-post-delete = حذف نوشتهٔ دیگری
act-post-unpublish = لغو انتشار نوشتهٔ دیگری
act-author-approve = دادن اجازهٔ انتشار
act-author-disapprove = گرفتن اجازهٔ انتشار
act-invitation-make = ساختن دعوت
act-invitation-end = پایان دادن به دعوت
act-staff-make = ساختن حساب دست‌اندرکار
act-password-change = تغییر گذرواژه
act-password-reset = گذرواژهٔ تازه از راه ایمیل
act-email-change = تغییر نشانی ایمیل
act-second-factor-on = روشن کردن تأیید دومرحله‌ای
act-second-factor-off = خاموش کردن تأیید دومرحله‌ای
act-second-factor-codes = ساختن کدهای بازیابی تازه
act-sessions-end = خروج از جاهای دیگر
act-deletion-ask = درخواست حذف حساب
act-deletion-cancel = نگه داشتن حساب پس از درخواست حذف
act-account-erase = حذف حساب پس از یک هفته
role-moderator = ناظر
role-admin = مدیر
role-owner = مالک
act-gate-choose = انتخاب محدودکننده‌ای برای امتیازها
act-gate-undo = پس گرفتن انتخاب محدودکننده
admin-limiter = محدودکننده
admin-limiter-what = آنچه پیش از هر امتیاز تازه می‌ایستد تا هیچ جمعیتی نمره را یکباره جابه‌جا نکند.
gate-in-force = برقرار: { $limiter }
gate-of-settings = تنظیمات چنین می‌گوید (RATING_LIMITER) و کسی چیز دیگری برنگزیده است.
gate-chosen = اینجا برگزیده شده، به جای تنظیمات که { $limiter } می‌گوید:
gate-change = انتخاب دیگر
gate-change-post = انتخاب دیگر برای نوشتهٔ { $post }
gate-undo = پس گرفتن این انتخاب
gate-undo-post = پس گرفتن انتخاب برای نوشتهٔ { $post }
gate-undone = انتخاب پیشین را پس گرفت
gate-parameters = پارامترها
gate-parameter = پارامتر
gate-value = مقدار
gate-what = چه می‌کند
gate-posts = نوشته‌هایی با محدودکنندهٔ خود
gate-posts-what = آنچه برای نوشته‌ای برگزیده شود آنجا به جای محدودکنندهٔ سایت برقرار است.
gate-posts-none = هیچ نوشته‌ای ندارد.
gate-of-post = شمارهٔ نوشته، همان که در نشانی‌اش است
gate-choices = آخرین انتخاب‌ها
gate-choose = انتخاب محدودکننده
gate-choose-site = برای همهٔ سایت، جز نوشته‌هایی که از خود دارند. اکنون برقرار: { $limiter }.
gate-choose-post = فقط برای نوشتهٔ <a href="{ $path }">{ $title }</a>. اکنون برقرار: { $limiter }.
gate-kinds = محدودکننده‌ها
gate-default = پیش‌فرض
limiter-of-settings = دوباره محدودکنندهٔ تنظیمات، با پارامترهای آن.
limiter-of-site = دوباره محدودکنندهٔ سایت.
gate-sure = این محدودکننده بی‌درنگ برای هر امتیاز تازه در همهٔ نمونه‌های سایت به کار می‌رود. بدون حالت ذخیره‌شده آغاز می‌کند: آنچه محدودکننده‌ها دربارهٔ نوشته‌ها آموخته‌اند نگه داشته نمی‌شود. امتیازهای در صف تا پذیرفته شدن منتظر می‌مانند. این انتخاب با یک کلیک برمی‌گردد.
gate-reason-hint = برای دیگر دست‌اندرکاران، در گزارش کارها. دست‌بالا ۳۰۰ نویسه.
second-look-hint = چون این کار به همه مربوط است دوباره پرسیده می‌شود. پس از آن تا ۱۵ دقیقه نه.
gate-put-in-force = برقرار کن
gate-without-looking = ادامه بدون دیدن
done-gate-chosen = اکنون برای سایت برقرار است: { $limiter }.
done-gate-chosen-post = اکنون برای نوشتهٔ { $post } برقرار است: { $limiter }.
done-gate-undone = انتخاب پس گرفته شد. اکنون برای سایت برقرار است: { $limiter }.
done-gate-undone-post = انتخاب پس گرفته شد. اکنون برای نوشتهٔ { $post } برقرار است: { $limiter }.
replay-link = دیگران چه می‌کردند
replay-title = هر محدودکننده چه می‌کرد
replay-what = با امتیازهایی که در { $days } روز گذشته به این سایت آمدند، شمرده یا ردشده.
replay-what-post = با امتیازهایی که در { $days } روز گذشته به «{ $title }» آمدند، شمرده یا ردشده.
replay-crowd = امتیازهای روزهایی که ناظران کنار گذاشته‌اند، و آنهایی که در ساعت‌های نامعمول به یک سو کشیده‌اند، به جمعیت می‌مانند؛ بقیه صادقانه به نظر می‌رسند. محدودکننده‌ها از ۹۰ روز پیش از آن آموخته‌اند. آنچه پیش از نگهداری رد شده در آن نیست.
replay-begins = خواندن امتیازها …
replay-progress = { $read } از { $posts } نوشته
replay-failed = حساب به پایان نرسید. صفحه را دوباره بار کنید.
replay-done = { $ratings } امتیاز از { $posts } نوشته، که { $crowd } تای آن به جمعیت می‌ماند.
replay-cut = اینها تازه‌ترین‌های { $posts } نوشته با امتیازهای آن زمان‌اند: همه بسیار طول می‌کشید. `evenkeel replay --database` همه را می‌گیرد.
replay-nothing = در این مدت کسی امتیاز نداده، پس چیزی برای سنجیدن نیست.
replay-chart = سهم امتیازهای صادقانهٔ ردشده و جمعیت پذیرفته‌شده برای هر محدودکننده؛ عددها در جدول است
replay-honest-refused = صادقانه، ردشده
replay-crowd-admitted = جمعیت، پذیرفته‌شده
replay-average-moved = جابه‌جایی میانگین
replay-steady-moved = جابه‌جایی نمرهٔ پایدار
replay-in-force = برقرار
replay-wanted = پرسیده‌شده
replay-other = طبق تنظیمات
replay-choose = انتخاب آنچه پرسیدید
replay-days = چند روز پیش
replay-days-hint = از ۱ تا ۹۰. می‌بینید هر محدودکننده در آن مدت با امتیازهایی که آمدند چه می‌کرد.
replay-see = ببینید چه می‌کرد
users-title = حساب‌ها
users-what = چه کسانی اینجا هستند؛ مسدود کردن، خارج کردن، و دست‌اندرکاران.
users-all = همه
users-blocked = مسدودها
users-staff = دست‌اندرکاران
users-leaving = در راه حذف
users-blocked-until = مسدود تا { $time }
users-blocked-for-good = بی‌پایان مسدود
users-leaves = در { $time } حذف می‌شود
users-since = از { $time } اینجاست
users-seen = آخرین بار { $ago }
users-posts = { $count } نوشته
users-unconfirmed = تأییدنشده
users-block = مسدود کردن
users-block-what = مسدود می‌تواند بخواند، داده‌هایش را ببرد و برود، اما نه بنویسد و نه امتیاز بدهد؛ امتیازهای در صفش کنار می‌رود. آنچه نوشته و امتیاز داده می‌ماند. دلیل و پایان آن با ایمیل و در هر صفحه گفته می‌شود.
users-unblock = رفع مسدودی
users-unblock-what = بی‌درنگ باز می‌توانند بنویسند و امتیاز بدهند. با ایمیل باخبر می‌شوند.
users-sign-out = خارج کردن
users-sign-out-what = همهٔ نشست‌هایشان پایان می‌یابد. گذرواژه‌ها می‌ماند: می‌توانند دوباره وارد شوند.
users-role = تغییر نقش
users-role-what = ناظران دربارهٔ نوشته‌ها، امتیازها و خوانندگان تصمیم می‌گیرند؛ مدیران دربارهٔ کار سایت هم؛ مالکان دربارهٔ دست‌اندرکاران هم.
users-role-label = نقش
users-no-role = هیچ: دست‌اندرکار نباشد
users-will-be =
    { $count ->
            [one] با یک حساب می‌شود
           *[other] با { $count } حساب می‌شود
        }
users-will-be-nobody = با هیچ حسابی نمی‌شود
users-passed-own = کنار گذاشته شد: از خود شماست
users-passed-staff = کنار گذاشته شد: دست‌اندرکاری با نقشی هم‌تراز شما
users-passed-already = کنار گذاشته شد: همین‌گونه است
users-nobody-left = حساب‌های دیگری از فهرست برگزینید.
users-days = برای چند روز
users-days-hint = از ۱ تا ۳۶۵۰. خالی: بی‌پایان.
users-block-reason-hint = مسدودشدگان این را می‌خوانند. دست‌بالا ۳۰۰ نویسه.
done-users-one =
    { $act ->
            [block] { $name } مسدود شد.
            [unblock] { $name } دیگر مسدود نیست.
            [sign_out] { $name } همه‌جا خارج شد.
            [reset_password] گذرواژهٔ { $name } دیگر کار نمی‌کند؛ ایمیلی در راه است.
           *[other] نقش { $name } تغییر کرد.
        }
done-users =
    { $act ->
            [block] { $count } حساب مسدود شد.
            [unblock] { $count } حساب دیگر مسدود نیست.
            [sign_out] { $count } حساب همه‌جا خارج شد.
            [reset_password] گذرواژهٔ { $count } حساب دیگر کار نمی‌کند؛ ایمیل‌ها در راه‌اند.
           *[other] نقش { $count } حساب تغییر کرد.
        }
act-user-block = مسدود کردن حساب
act-user-unblock = رفع مسدودی حساب
act-user-role = تغییر نقش کسی
users-passed-unknown = کنار گذاشته شد: چنین حسابی نیست
act-report-decide = تصمیم دربارهٔ نوشته‌ای که گزارش شده بود
act-appeal-decide = تصمیم دربارهٔ یک اعتراض
list-none = چیزی از این دست نیست.
list-with-picked = با انتخاب‌شده‌ها
cases-title = گزارش‌های خوانندگان
cases-what = نوشته‌هایی که خوانندگان گزارش کرده‌اند. هر چند نفر هم نوشته‌ای را گزارش کنند، یک پرونده است. آنچه در انتظار است از قدیمی‌ترین آغاز می‌شود.
cases-waiting = در انتظار
cases-decided = تصمیم‌گرفته
cases-all = همه
cases-open = در انتظار تصمیم
cases-appealed = کسی اعتراض کرده است
cases-reports = { $count } گزارش
cases-since = از { $time }
admin-case-title = نوشته‌ای که گزارش شده است
admin-case-read = خواندن نوشته
admin-case-hidden = نوشته اکنون پیش‌نویس است؛ تنها نویسنده‌اش آن را می‌بیند.
admin-case-guest = یک مهمان، یا کسی که دیگر اینجا نیست
admin-case-by = تصمیم‌گیرنده: { $name }.
admin-case-decide = تصمیم
admin-case-appeal = تصمیم دربارهٔ اعتراض
admin-case-anew = تصمیم دوباره
admin-case-what = به نویسنده و به کسانی که آن را گزارش کرده‌اند گفته می‌شود چه تصمیمی گرفته‌اید و چرا. آن سو که تصمیم به زیانش است می‌تواند یک بار اعتراض کند.
admin-case-keep = بماند
admin-case-reason-hint = برای هر دو سو: کدام بخش، و خلاف چه چیزی است یا چرا نیست. دست‌بالا ۳٬۰۰۰ نویسه.
admin-case-send = تصمیم بگیر و به هر دو بگو
admin-case-earlier = تصمیم‌های پیشین دربارهٔ نوشته‌های این نویسنده
case-not-yours-author = این نوشته را شما نوشته‌اید: کس دیگری تصمیم می‌گیرد.
case-not-yours-reporter = این نوشته را شما گزارش کرده‌اید: کس دیگری تصمیم می‌گیرد.
case-not-yours-judge = تصمیمی که به آن اعتراض شده از شما بود: اکنون کس دیگری تصمیم می‌گیرد.
case-again = دیدن دوبارهٔ پرونده
done-taken-down =
    «{ $title }» برداشته شد. { $mail ->
            [yes] هر دو سو ایمیلی می‌گیرند و دلیل را در بخش حسابشان می‌بینند.
           *[no] هر دو سو دلیل را در بخش حسابشان می‌بینند.
        }
done-kept =
    «{ $title }» می‌ماند. { $mail ->
            [yes] هر دو سو ایمیلی می‌گیرند و دلیل را در بخش حسابشان می‌بینند.
           *[no] هر دو سو دلیل را در بخش حسابشان می‌بینند.
        }
posts-title = نوشته‌ها
posts-what = آنچه همه می‌بینند، و آنچه دست‌اندرکاران برداشته‌اند. پیش‌نویس‌ها از آنِ نویسندگانشان است.
posts-published = منتشرشده
posts-taken-down = برداشته‌شده
posts-is-reported = کسی آن را گزارش کرده است
posts-was-taken-down = چرا برداشته شد
posts-at = { $time }
posts-ratings = { $count } امتیاز، نمره { $score }
ratings-title = چه کسی چه امتیازی داد
ratings-what = امتیازهای یک نوشته، از تازه‌ترین حساب‌ها؛ یا امتیازهای یک خواننده، از تازه‌ترین آن‌ها. یکی را انتخاب کنید.
ratings-at = زمان امتیاز { $time }
ratings-changed = تغییر { $time }
ratings-account-since = حساب از { $time }
tags-title = برچسب‌ها
tags-what = برچسب‌های ۵٬۰۰۰ نوشتهٔ آخر، و این که هر کدام در چند نوشته هست.
tags-posts = { $count } نوشته
signed-in-title = نشست‌ها
signed-in-what = چه کسی وارد شده، با چه و از کجا. نام دستگاه‌ها همان است که خودشان می‌گویند.
signed-in-since = از { $time }
pauses-title = خوانندگان متوقف‌شده
pauses-what = خوانندگانی که فعلاً نمی‌توانند به نوشته‌ای امتیاز بدهند، چون هزاران تلاششان ناموفق بوده است. با یک پیوند خودشان هم می‌توانند آن را بردارند.
pauses-since = از { $time }
mails-title = ایمیل‌های در انتظار
mails-what = آنچه هنوز فرستاده نشده است. آنچه فرستاده شده نگه داشته نمی‌شود، و کسی اینجا متن‌ها را نمی‌خواند.
mails-all = همه
mails-failed = تلاش‌های ناموفق
mails-has-failed = هنوز نشده است فرستاده شود
mails-since = در انتظار از { $time }
mails-next = تلاش بعدی { $time }
mails-until = سودمند تا { $time }
states-title = آنچه محدودکننده‌ها به یاد دارند
states-what = این که تلاش‌های ورود، گزارش‌ها، بارگیری‌ها و درخواست‌ها تا چه اندازه مصرف شده‌اند، به ترتیب کلید. حساب‌ها با شماره یا اثر انگشت در آن هستند. آنچه از نوشته‌ها به یاد مانده با خود نوشته‌هاست.
states-used = استفاده { $time }
states-until = خودبه‌خود فراموش می‌شود { $time }
warnings-title = پیوندهای مشکوک
warnings-what = نوشته‌های منتشرشده با نشانی‌هایی که در فهرست مشکوک‌ها هستند. صفحه‌ها به آن‌ها پیوند نمی‌دهند.
warnings-count = { $count } نشانی

## What is done to rows of lists

action-unpublish = برداشتن از انتشار
action-unpublish-what = این نوشته‌ها پیش‌نویس می‌شوند و امتیازهایشان می‌ماند. نویسندگانشان می‌توانند دوباره منتشرشان کنند. (برای این که نوشته‌ای برداشته بماند، دربارهٔ گزارشی از آن تصمیم بگیرید.)
action-unpublish-done = { $count } نوشته اکنون پیش‌نویس است.
action-publish = انتشار دوباره
action-publish-what = این نوشته‌ها را دوباره همه می‌بینند، با نشانی‌های پیشین و امتیازهایشان.
action-publish-done = { $count } نوشته دوباره منتشر شد.
action-end-sessions = خارج کردن
action-end-sessions-what = این نشست‌ها بی‌درنگ پایان می‌یابند. هر که گذرواژه را بداند می‌تواند دوباره وارد شود.
action-end-sessions-done = { $count } نشست پایان یافت.
action-lift-pauses = اجازهٔ امتیاز دوباره
action-lift-pauses-what = این خوانندگان دوباره می‌توانند به این نوشته‌ها امتیاز بدهند. کسی که باز هزاران بار ناموفق باشد دوباره متوقف می‌شود.
action-lift-pauses-done = { $count } توقف برداشته شد.
action-send-mails = اکنون تلاش کن
action-send-mails-what = فرستادن این ایمیل‌ها بی‌درنگ آزموده می‌شود، نه تنها در زمان خودشان.
action-send-mails-done = فرستادن { $count } ایمیل اکنون آزموده می‌شود.
action-drop-mails = نفرست
action-drop-mails-what = این ایمیل‌ها حذف می‌شوند و هرگز فرستاده نمی‌شوند. هیچ چیز آن‌ها را برنمی‌گرداند.
action-drop-mails-done = { $count } ایمیل حذف شد.
action-forget-states = از نو
action-forget-states-what = آنچه از این کلیدها به یاد مانده فراموش می‌شود: هر چه را مصرف کرده بودند دوباره یکجا می‌توانند انجام دهند. آنچه به یاد بود در گزارش کارها می‌ماند.
action-forget-states-done = { $count } کلید از نو آغاز می‌کند.
action-reset-limiter = بازنشانی محدودکنندهٔ امتیاز
action-reset-limiter-what = آنچه محدودکنندهٔ امتیاز برای این نوشته‌ها ذخیره کرده حذف می‌شود. امتیازها بی‌درنگ دوباره پذیرفته می‌شوند و محدودکننده یادگیری را از صفر آغاز می‌کند. امتیازها و نمره‌ها می‌مانند. حالت حذف‌شده در گزارش کارها می‌ماند.
action-reset-limiter-done = محدودکنندهٔ امتیاز { $count } نوشته بازنشانی شد.
action-done-none = کاری انجام نشد: آنچه انتخاب شده بود دیگر نیست، یا پیش‌تر همین‌طور بود.
action-rows = روی { $count } مورد انجام می‌شود
action-passed-over = { $count } مورد انتخاب‌شده کنار گذاشته می‌شود: دیگر نیست، پیش‌تر همین‌طور بوده، یا تغییر آن با شما نیست.
act-post-publish = انتشار دوبارهٔ نوشتهٔ کسی
act-pause-lift = اجازهٔ امتیاز دوباره به یک خواننده
act-mail-send = آزمودن فوری فرستادن یک ایمیل
act-mail-drop = حذف ایمیلی در انتظار
act-limiter-forget = از نو آغاز کردن یک محدودکننده

## The front page

glance-waits = آنچه در انتظار کسی است
glance-nothing = هیچ چیز، و هیچ نوشته‌ای با هجوم روبه‌رو نیست.
glance-reports = دربارهٔ { $count } نوشتهٔ گزارش‌شده باید تصمیم گرفت
glance-mails = { $count } ایمیل هنوز فرستاده نشده است
glance-links = { $count } نوشته پیوند مشکوک دارد
glance-pauses = { $count } خواننده متوقف است
glance-crowd = در یک ساعت گذشته { $count } امتیاز رد شد:
glance-hours = ۲۴ ساعت گذشته
glance-visitors = { $count } بازدید
glance-pages = { $count } صفحه
glance-ratings = { $count } امتیاز
glance-refused = { $count } ردشده
glance-limited = { $count } بار «کمی صبر کنید»
glance-failures = { $count } خطا
glance-visitors-by-hour = بازدیدها در هر ساعت
glance-ratings-by-hour = امتیازها در هر ساعت
glance-aloud = ستون‌های ساعتی؛ عددها در جدول زیر آمده‌اند.
glance-key-ratings = شمرده‌شده
glance-how = حساب یا شبکه‌ای که صفحه‌ها را می‌بیند در هر ساعت یک بازدید است؛ هر نمونهٔ برنامه برای خودش می‌شمارد. هر ده ثانیه نوشته می‌شود.
column-hour-here = ساعت
column-visitors = بازدیدها
column-pages = صفحه‌ها
column-limited = «کمی صبر کنید»
column-failures = خطاها
glance-machine = برنامه
glance-version = نسخه
glance-database = پایگاه داده
glance-disk = فضای آزاد دیسک
glance-places = همه چیز اینجا
users-reset-password = از کار انداختن گذرواژه
users-reset-password-what = گذرواژه دیگر کار نمی‌کند، همه جا خارج می‌شوند، و با ایمیلی می‌توانند گذرواژهٔ دیگری انتخاب کنند.
users-passed-unreachable = کنار گذاشته می‌شود: ایمیلی به او نمی‌رسد
act-password-take = از کار انداختن گذرواژهٔ کسی
cases-guests = { $count } از مهمانان
admin-case-reported-text = آنچه هنگام نخستین گزارش می‌گفت
admin-case-present-text = آنچه اکنون می‌گوید
admin-case-what-final = به نویسنده و به کسانی که آن را گزارش کرده‌اند گفته می‌شود چه تصمیمی گرفته‌اید و چرا. پس از آن فقط نویسنده‌ای که هنوز شنیده نشده می‌تواند اعتراض کند.
posts-unpublished = برداشته از انتشار به دست دست‌اندرکاران
action-rows-none = روی هیچ موردی انجام نمی‌شود
action-unpublish-reason-hint = برای نویسنده، و برای دیگر دست‌اندرکاران در گزارش کارها. دست‌بالا ۳۰۰ نویسه.
log-kept = ماند
log-taken-down = برداشته شد
log-gone = پیش از آن حذف شد
log-law = قانون
log-rules = قاعده‌های این سایت
action-end-invitations = پایان دادن
action-end-invitations-what = دیگر کسی با این پیوندها نمی‌تواند ثبت‌نام کند. کسانی که با آن‌ها آمده‌اند می‌مانند.
action-end-invitations-done = { $count } دعوت پایان یافت.
