admin-title = مدیریت
admin-group-moderation = نظارت
admin-group-people = افراد
admin-menu = منوی مدیریت
admin-dashboard = پیشخوان
admin-description = نوشته‌ها، کاربران و امتیازها را مدیریت کنید.
log-title = گزارش فعالیت‌ها
log-what = تصمیم‌های تیم سایت، تغییر حساب‌ها و کارهای خودکار. گذرواژه‌ها و متن نوشته‌ها و ایمیل‌ها هرگز ثبت نمی‌شوند.
log-all-actions = همهٔ فعالیت‌ها
log-filter = اعمال فیلتر
log-clear-filters = پاک کردن فیلترها
log-unknown-actor = سامانه یا حساب حذف‌شده
log-post = نوشتهٔ { $id }

## Actions in the audit log

act-days-exclude = کنار گذاشتن روزهایی از نمره
act-days-restore = برگرداندن روزهای کنارگذاشته به نمره
act-post-change = ویرایش نوشتهٔ کاربری دیگر
act-post-delete = حذف نوشتهٔ کاربری دیگر
act-revision-delete = حذف نسخهٔ پیشین نوشتهٔ کاربری دیگر
act-user-delete-drafts = حذف پیش‌نویس‌های کاربر مسدود
act-post-unpublish = لغو انتشار نوشتهٔ کاربری دیگر
act-author-approve = دادن اجازهٔ انتشار به کاربر
act-author-disapprove = پس گرفتن اجازهٔ انتشار از کاربر
act-invitation-make = ساختن دعوت‌نامه
act-invitation-end = لغو دعوت‌نامه
act-staff-make = ساختن حساب برای تیم سایت
act-password-change = تغییر گذرواژه
act-password-reset = بازنشانی گذرواژه با ایمیل
act-email-change = تغییر نشانی ایمیل
act-second-factor-on = روشن کردن تأیید دومرحله‌ای
act-second-factor-off = خاموش کردن تأیید دومرحله‌ای
act-second-factor-codes = ساختن کدهای بازیابی تازه
act-sessions-end = پایان دادن به نشست‌ها
act-token-create = ساختن توکن API
act-token-revoke = لغو توکن API
act-deletion-ask = درخواست حذف حساب
act-deletion-cancel = لغو درخواست حذف حساب
act-account-erase = حذف حساب پس از مهلت یک‌هفته‌ای
role-reader = خواننده
role-author = نویسنده
role-moderator = ناظر
role-admin = مدیر
role-owner = مالک
act-limiter-choose = تغییر محدودکنندهٔ امتیاز
act-limiter-undo = واگرد تغییر محدودکنندهٔ امتیاز
admin-limiter = محدودکنندهٔ امتیاز
limiter-purpose = محدودکننده تعیین می‌کند هر نوشته با چه سرعتی امتیاز بگیرد. موج‌های ناگهانی را کند می‌کند تا صف و پایگاه داده عقب نمانند و سایت پاسخ‌گو بماند.
limiter-protection =
    { $steady ->
        [yes] محدودکننده آن چیزی نیست که نمره را از هجوم حفظ می‌کند: این کار نمرهٔ پایدار است، حتی اگر محدودکننده همهٔ امتیازهای هجوم را بپذیرد.
       *[no] محدودکننده آن چیزی نیست که نمره را از هجوم حفظ می‌کند: این کار فقط از نمرهٔ پایدار برمی‌آید، و این سایت به‌جای آن میانگین را نشان می‌دهد.
    }
limiter-recommendation = پیشنهاد ما «{ $limiter }» است: در مقایسه با ۳۰۰٬۰۰۰ امتیاز واقعی هیچ امتیاز صادقانه‌ای را رد نکرد. محدودکننده‌هایی که از هجوم ناگهانی بیشتر جلوگیری می‌کنند امتیازهای صادقانه را هم رد می‌کنند؛ هجومی که یک هفته طول بکشد بیشتر امتیازهایش را از همهٔ آن‌ها می‌گذراند؛ و نمرهٔ پایدار با هر محدودکننده‌ای تقریباً ثابت می‌ماند. اگر در نخستین ساعت‌های یک نوشته انتظار هجوم دارید، برای همان نوشته «{ $guard }» را برگزینید.
limiter-recommended = پیشنهاد ما
limiter-active = محدودکنندهٔ فعال: { $limiter }
limiter-from-settings = مقدار پیش‌فرض RATING_LIMITER به کار می‌رود.
limiter-overridden = این انتخاب جایگزین مقدار پیش‌فرض RATING_LIMITER ({ $limiter }) است:
limiter-change = تغییر محدودکننده
limiter-change-post = تغییر محدودکنندهٔ نوشتهٔ { $post }
limiter-undo = به‌کار بردن محدودکنندهٔ RATING_LIMITER
limiter-undo-post = به‌کار بردن محدودکنندهٔ سایت برای نوشتهٔ { $post }
limiter-parameter = پارامتر
limiter-parameter-value = مقدار
limiter-parameter-description = اثر
limiter-posts = نوشته‌های دارای محدودکنندهٔ جداگانه
limiter-posts-description = محدودکنندهٔ هر نوشته برای همان نوشته جایگزین محدودکنندهٔ سایت می‌شود.
limiter-posts-none = هیچ نوشته‌ای محدودکنندهٔ جداگانه ندارد.
limiter-recent-changes = آخرین تغییرها
limiter-choose = انتخاب محدودکننده
limiter-choose-site = برای همهٔ سایت، به‌جز نوشته‌هایی که محدودکنندهٔ جداگانه دارند. محدودکنندهٔ فعال: { $limiter }.
limiter-choose-post = فقط برای <a href="{ $path }">{ $title }</a>. محدودکنندهٔ فعال: { $limiter }.
limiter-list = محدودکننده‌ها
limiter-post-title = عنوان شامل
limiter-find-post = یافتن نوشته
limiter-advanced = پیشرفته: پارامترهای { $limiter }
limiter-advanced-hint = برای فعال‌کردن پارامترهای تغییریافته، نخست «مقایسهٔ محدودکننده‌ها» را بزنید: فرمِ زیر مقایسه آن‌ها را خواهد داشت.
limiter-default = پیش‌فرض
limiter-same-as-settings = محدودکننده و پارامترهای پیش‌فرض از تنظیمات سرور
limiter-same-as-site = همان محدودکنندهٔ بقیهٔ سایت
limiter-confirm-description = این محدودکننده بی‌درنگ برای همهٔ امتیازهای تازه و در همهٔ نمونه‌های سایت به کار می‌رود. آنچه محدودکننده‌ها دربارهٔ نوشته‌ها آموخته‌اند کنار گذاشته می‌شود. برای بازگشت، محدودکنندهٔ پیشین را دوباره فعال کنید.
admin-reason-hint = تیم سایت آن را در گزارش فعالیت‌ها می‌بیند. حداکثر ۳۰۰ نویسه.
confirm-password-hint = برای ادامه گذرواژه‌تان را وارد کنید. تا ۱۵ دقیقه دوباره پرسیده نمی‌شود.
limiter-activate = فعال کردن محدودکننده
done-limiter-chosen = محدودکننده تغییر کرد. محدودکنندهٔ فعال سایت: { $limiter }.
done-limiter-chosen-post = محدودکننده تغییر کرد. محدودکنندهٔ فعال نوشتهٔ { $post }: { $limiter }.
done-limiter-undone = تغییر واگرد شد. محدودکنندهٔ فعال سایت: { $limiter }.
done-limiter-undone-post = تغییر واگرد شد. محدودکنندهٔ فعال نوشتهٔ { $post }: { $limiter }.
replay-title = مقایسهٔ محدودکننده‌ها
replay-description = بر پایهٔ همهٔ امتیازهای { $days } روز گذشته در این سایت، از جمله امتیازهای ردشده (یکی برای هر کاربر، نوشته و ساعت).
replay-description-post = بر پایهٔ همهٔ امتیازهای «{ $title }» در { $days } روز گذشته، از جمله امتیازهای ردشده (یکی برای هر کاربر، نوشته و ساعت).
replay-brigade-description = امتیازی سازمان‌یافته به شمار می‌آید که ناظران روزش را از نمره کنار گذاشته باشند، یا در ساعتی با فعالیت غیرعادی داده شده باشد و دست‌کم یک ستاره، در همان جهتِ امتیازهای ردشدهٔ آن ساعت، با نمره تفاوت داشته باشد. بقیهٔ امتیازها صادقانه به شمار می‌آیند. پیش از مقایسه، هر محدودکننده از امتیازهای ۹۰ روز پیش از این دوره یاد می‌گیرد. امتیازهایی که پیش از آغاز ثبت امتیازهای ردشده رد شده‌اند در این مقایسه نیستند.
replay-method = امتیازها چگونه دسته‌بندی می‌شوند
replay-done = { $ratings } امتیاز از { $posts } نوشته؛ احتمالاً سازمان‌یافته: { $crowd }
replay-verdict = محدودکنندهٔ فعال، { $limiter }، { $refused } از امتیازهای صادقانه را رد کرد و { $admitted } از امتیازهای سازمان‌یافته را پذیرفت.
replay-better = { $limiter } خطای کمتری می‌داشت: { $refused } از امتیازهای صادقانه را رد می‌کرد و { $admitted } از امتیازهای سازمان‌یافته را می‌پذیرفت. نمرهٔ یک نوشته حداکثر { $moved } ★ تغییر می‌کرد؛ با محدودکنندهٔ فعال { $now } ★ بود.
replay-none-better = هیچ محدودکنندهٔ دیگری خطای کمتری نمی‌داشت.
replay-plot-caption = محدودکننده‌های نزدیک به پایین چپ خطای کمی دارند. نقطهٔ آبی محدودکنندهٔ فعال است. مقیاس‌ها بالاتر از ۰٪ لگاریتمی است.
replay-plot-label = نمودار خطاهای هر محدودکننده. عددها در جدول زیر آمده‌اند.
replay-truncated = از { $posts } نوشته‌ای که در این دوره امتیاز گرفته‌اند فقط تازه‌ترین‌ها در نظر گرفته شده‌اند، چون مقایسهٔ همه بیش از حد طول می‌کشد. برای مقایسهٔ همهٔ نوشته‌ها `evenkeel replay --database` را اجرا کنید.
replay-empty = در این دوره امتیازی نیست، پس چیزی برای مقایسه وجود ندارد.
replay-honest-refused = امتیازهای صادقانهٔ ردشده
replay-brigade-admitted = امتیازهای سازمان‌یافتهٔ پذیرفته‌شده
replay-point =
    { $limiter }
    امتیازهای صادقانهٔ ردشده: { $refused }
    امتیازهای سازمان‌یافتهٔ پذیرفته‌شده: { $admitted }
replay-average-change = بیشترین تغییر میانگین
replay-steady-change = بیشترین تغییر نمره
replay-change-description = تغییرها نشان می‌دهند امتیازهای سازمان‌یافته میانگین و نمرهٔ یک نوشته را در هر زمانی حداکثر چقدر جابه‌جا می‌کردند.
replay-active = فعال
replay-selected = انتخاب شما
replay-from-settings = محدودکننده‌های بدون برچسب پارامترهای تنظیمات سرور را دارند.
replay-days = دورهٔ مقایسه به روز
replay-days-hint = از ۱ تا ۹۰. امتیازهای این دوره با هر محدودکننده دوباره اجرا می‌شوند.
replay-compare = مقایسهٔ محدودکننده‌ها
users-title = حساب‌ها
users-what = حساب‌ها را مسدود کنید، کاربران را خارج کنید و نقش‌های تیم سایت را مدیریت کنید.
users-all = همه
users-blocked = مسدود
users-staff = تیم سایت
users-pending-deletion = در انتظار حذف
users-blocked-until = مسدود تا { $time }
users-blocked-indefinitely = مسدود برای همیشه
users-deletion-at = زمان حذف: { $time }
users-posts = { $count } نوشته
users-email-unconfirmed = ایمیل تأییدنشده
action-block = مسدود کردن
action-block-what = کاربران مسدود می‌توانند بخوانند، داده‌هایشان را بارگیری و حسابشان را حذف کنند، اما نمی‌توانند بنویسند یا امتیاز بدهند. نوشته‌ها و امتیازهای پیشین می‌مانند. دلیل و زمان پایان را در ایمیل و در هر صفحه می‌بینند.
action-block-done =
    { $count ->
            [one] { $name } مسدود شد.
           *[other] { $count } حساب مسدود شد.
        }
action-unblock = رفع مسدودی
action-unblock-what = کاربران پس از رفع مسدودی بی‌درنگ می‌توانند بنویسند و امتیاز بدهند، و با ایمیل باخبر می‌شوند.
action-unblock-done =
    { $count ->
            [one] { $name } دیگر مسدود نیست.
           *[other] { $count } حساب از مسدودی درآمد.
        }
action-delete-drafts = حذف پیش‌نویس‌ها
action-delete-drafts-what = همهٔ پیش‌نویس‌های این کاربران مسدود حذف می‌شوند، جز نوشته‌هایی که تیم سایت برداشته است. این کار برگشت‌پذیر نیست.
action-delete-drafts-done =
    { $count ->
            [one] پیش‌نویس‌های { $name } حذف شد.
           *[other] پیش‌نویس‌های { $count } کاربر حذف شد.
        }
action-reset-warning = بازنشانی سطح هشدار
action-reset-warning-what = سطح هشدار این کاربران صفر می‌شود و محدودیت‌های عادی درخواست دوباره برایشان برقرار می‌شود.
action-reset-warning-done =
    { $count ->
            [one] محدودیت‌های عادی درخواست دوباره برای { $name } برقرار است.
           *[other] سطح هشدار { $count } کاربر بازنشانی شد.
        }
action-sign-out = خروج از همه‌جا
action-sign-out-what = همهٔ نشست‌های کاربران انتخاب‌شده پایان می‌یابد. آن‌ها با گذرواژهٔ کنونی می‌توانند دوباره وارد شوند.
action-sign-out-done =
    { $count ->
            [one] { $name } از همه‌جا خارج شد.
           *[other] { $count } حساب از همه‌جا خارج شد.
        }
action-role = تغییر نقش
action-role-what = ناظران نوشته‌ها، امتیازها و کاربران را مدیریت می‌کنند. مدیران خود سایت را هم مدیریت می‌کنند، و مالکان نقش‌ها را هم تعیین می‌کنند.
action-role-done =
    { $count ->
            [one] نقش { $name } تغییر کرد.
           *[other] { $count } نقش تغییر کرد.
        }
users-role-label = نقش
users-no-role = هیچ‌کدام (عضو تیم سایت نیست)
users-skipped-own = نادیده گرفته می‌شود: حساب خودتان است
users-skipped-staff = نادیده گرفته می‌شود: عضو تیم سایت با نقشی هم‌سطح شما یا بالاتر
users-skipped-unchanged = نادیده گرفته می‌شود: نیازی به تغییر ندارد
users-days = مدت به روز
users-days-hint = از ۱ تا ۳۶۵۰. برای مسدود کردن همیشگی خالی بگذارید.
users-block-reason-hint = به کاربران مسدود نشان داده می‌شود. حداکثر ۳۰۰ نویسه.
act-user-block = مسدود کردن حساب
act-user-unblock = رفع مسدودی حساب
act-user-warning = بازنشانی سطح هشدار کاربر
act-user-role = تغییر نقش کاربر
users-skipped-unknown = نادیده گرفته می‌شود: چنین حسابی وجود ندارد
users-skipped-not-blocked = نادیده گرفته می‌شود: مسدود نیست
pauses-skipped-grace = نادیده گرفته می‌شود: کمتر از ۱۴ روز پیش توقف برداشته شده است
cases-skipped-involved = نادیده گرفته می‌شود: این نوشته را خودتان نوشته یا گزارش کرده‌اید، یا نقش نویسنده‌اش با شما برابر یا بالاتر است
cases-skipped-changed = نادیده گرفته می‌شود: پس از نخستین گزارش تغییر کرده است؛ در صفحهٔ پرونده تصمیم بگیرید
act-report-decide = تصمیم دربارهٔ گزارش
act-appeal-decide = تصمیم دربارهٔ اعتراض
list-no-results = نتیجه‌ای پیدا نشد
list-selected-actions = کارهای گروهی روی موارد انتخاب‌شده
cases-title = گزارش‌های کاربران
cases-what = نوشته‌هایی که کاربران گزارش کرده‌اند. چند گزارش از یک نوشته یک پرونده می‌شود؛ پرونده‌های در انتظار از قدیمی‌ترین آغاز می‌شوند. در ترتیب بر پایهٔ گزارش‌ها، پرونده‌های گزارش‌دهندگان قابل اعتماد نخست می‌آیند.
cases-pending = در انتظار
cases-resolved = رسیدگی‌شده
cases-all = همه
cases-open = در انتظار رسیدگی
cases-appealed = اعتراض در انتظار رسیدگی
cases-reports = { $count } گزارش
admin-case-title = نوشتهٔ گزارش‌شده
admin-case-view-post = دیدن نوشته
admin-case-draft = این نوشته اکنون پیش‌نویسی است که فقط نویسنده‌اش می‌بیند.
admin-case-guest = مهمان یا حساب حذف‌شده
admin-case-by = تصمیم‌گیرنده: { $name }.
admin-case-decide = تصمیم
admin-case-appeal = تصمیم دربارهٔ اعتراض
admin-case-new-decision = تصمیم تازه
admin-case-description = نویسنده و همهٔ گزارش‌دهندگان تصمیم شما و دلیلش را می‌بینند. طرفی که تصمیم به زیان اوست می‌تواند یک بار اعتراض کند.
admin-case-keep = نگه داشتن نوشته
admin-case-reason-hint = هر دو طرف آن را می‌بینند. بنویسید کدام بخش کدام قانون سایت یا کشور را نقض می‌کند، یا چرا مجاز است. حداکثر ۳٬۰۰۰ نویسه.
admin-case-submit = ثبت تصمیم
admin-case-earlier = تصمیم‌های پیشین دربارهٔ نوشته‌های این نویسنده
case-not-yours-author = این نوشته را خودتان نوشته‌اید، پس عضو دیگری از تیم سایت باید تصمیم بگیرد.
case-not-yours-reporter = این نوشته را خودتان گزارش کرده‌اید، پس عضو دیگری از تیم سایت باید تصمیم بگیرد.
case-not-yours-decision = این اعتراض به تصمیم خودتان است، پس عضو دیگری از تیم سایت باید تصمیم بگیرد.
case-not-yours-rank = نقش نویسنده هم‌سطح شما یا بالاتر است، پس کسی با نقش بالاتر باید تصمیم بگیرد.
case-view = دیدن پرونده
done-taken-down =
    «{ $title }» برداشته شد. { $mail ->
            [yes] هر دو طرف با ایمیل باخبر می‌شوند و دلیل را در حسابشان می‌بینند.
           *[no] هر دو طرف دلیل را در حسابشان می‌بینند.
        }
done-report-dismissed =
    گزارش رد شد: «{ $title }» می‌ماند. { $mail ->
            [yes] هر دو طرف با ایمیل باخبر می‌شوند و دلیل را در حسابشان می‌بینند.
           *[no] هر دو طرف دلیل را در حسابشان می‌بینند.
        }
posts-title = نوشته‌ها
posts-what = نوشته‌های منتشرشده، نوشته‌های در انتظار بررسی، و نوشته‌هایی که تیم سایت انتشارشان را لغو کرده یا برداشته است. پیش‌نویس‌های دیگر در فهرست نیستند.
posts-published = منتشرشده
posts-pages = صفحه‌ها
posts-page = صفحه
posts-taken-down = برداشته‌شده
posts-view-report = دیدن گزارش
posts-view-decision = دیدن تصمیم
ratings-title = تک‌تک امتیازها
ratings-what = نوشته‌ای را وارد کنید تا امتیازهایش را ببینید (تازه‌ترین حساب‌ها اول)، یا کاربری را تا امتیازهای او را ببینید (تازه‌ترین‌ها اول).
tags-title = برچسب‌ها
tags-what = برچسب‌های ۵٬۰۰۰ نوشتهٔ آخر، با شمار نوشته‌های هر برچسب.
signed-in-title = نشست‌ها
signed-in-what = کاربران واردشده، با دستگاه و شبکه‌شان. نام دستگاه را مرورگر اعلام می‌کند.
api-tokens-title = توکن‌های API
api-tokens-what = توکن‌هایی که برنامه‌ها با آن‌ها به جای کاربران کار می‌کنند. برای لغو توکن‌های یک کاربر، او را از حساب خارج کنید.
pauses-title = توقف‌های امتیازدهی
pauses-what = کاربرانی که نمی‌توانند به نوشته‌ای امتیاز دهند، چون هزاران تلاششان ناکام مانده یا مدیران آن‌ها را متوقف کرده‌اند. خودشان نیز می‌توانند با یک پیوند توقف را بردارند.
pauses-active = متوقف‌شده
pauses-failing = ناکام، متوقف‌نشده
mails-title = صندوق خروجی
mails-what = ایمیل‌های در انتظار ارسال. ایمیل‌های ارسال‌شده نگه داشته نمی‌شوند و متن ایمیل‌ها نمایش داده نمی‌شود.
mails-all = همه
mails-failed = ارسال ناموفق
mails-will-retry = ارسال ناموفق بود، دوباره تلاش می‌شود
states-title = وضعیت محدودکننده‌ها
states-what = میزان استفاده از سقف مجاز ورود، گزارش، دریافت داده، درخواست و امتیاز، به تفکیک کلید. حساب‌ها با شماره یا اثر انگشت دیده می‌شوند.
warnings-title = پیوندهای مشکوک
warnings-what = نوشته‌های منتشرشده با URLهایی که در فهرست تهدیدها هستند. صفحه‌ها مستقیم به این URLها پیوند نمی‌دهند.

## Bulk actions of lists

action-keep-posts = نگه داشتن نوشته‌ها
action-keep-posts-what = گزارش‌ها رد می‌شوند و نوشته‌ها می‌مانند. گزارش‌دهندگان دلیل را با ایمیل دریافت می‌کنند و می‌توانند اعتراض کنند.
action-keep-posts-done = { $count } نوشته ماند.
action-take-down-posts = برداشتن نوشته‌ها
action-take-down-posts-what = نوشته‌ها برداشته می‌شوند، چون خلاف قوانین این سایت‌اند. نویسندگان و گزارش‌دهندگان دلیل را با ایمیل دریافت می‌کنند و نویسندگان می‌توانند اعتراض کنند.
action-take-down-posts-done = { $count } نوشته برداشته شد.
action-decide-reason-hint = هر دو طرف آن را می‌بینند. بخش و قانونی را که نقض می‌کند نام ببرید، یا توضیح دهید چرا نوشته‌ها مجازند. حداکثر ۳۰۰ نویسه.
action-unpublish = لغو انتشار
action-unpublish-what = این نوشته‌ها پیش‌نویس می‌شوند و امتیازهایشان می‌ماند. نویسندگانشان می‌توانند دوباره منتشرشان کنند. برای جلوگیری از آن، با تصمیم دربارهٔ یک گزارش نوشته را بردارید.
action-unpublish-done = انتشار { $count } نوشته لغو شد.
action-publish = انتشار
action-publish-what = این نوشته‌ها برای همه دیده می‌شوند. نوشته‌های پیش‌تر منتشرشده همان URLها و امتیازها را نگه می‌دارند.
action-publish-done = { $count } نوشته منتشر شد.
action-return-posts = برگرداندن به نویسنده
action-return-posts-what = این نوشته‌ها پیش‌نویس می‌مانند. نویسندگانشان ایمیلی با دلیل شما می‌گیرند و می‌توانند دوباره بفرستند.
action-return-posts-done = { $count } نوشته برگردانده شد.
action-end-sessions = پایان دادن به نشست‌ها
action-end-sessions-what = این نشست‌ها بی‌درنگ پایان می‌یابند. هر کس گذرواژه را بداند می‌تواند دوباره وارد شود.
action-end-sessions-done = { $count } نشست پایان یافت.
action-pause = توقف
action-pause-what = این کاربران نمی‌توانند به این نوشته‌ها امتیاز دهند تا زمانی که توقف را با پیوندی که می‌بینند بردارند یا مدیران آن را بردارند.
action-pause-done =
    { $count ->
            [one] { $count } کاربر برای یک نوشته متوقف شد.
           *[other] { $count } جفت کاربر و نوشته متوقف شدند.
        }
action-lift-pauses = رفع توقف
action-lift-pauses-what = کاربرانی که نمی‌توانند به نوشته‌ای امتیاز دهند، چون هزاران تلاششان ناکام مانده یا مدیران آن‌ها را متوقف کرده‌اند. خودشان نیز می‌توانند با یک پیوند توقف را بردارند.
action-lift-pauses-done = { $count } توقف رفع شد.
action-send-mails = ارسال فوری
action-send-mails-what = ارسال به‌جای زمان تعیین‌شده همین حالا انجام می‌شود.
action-send-mails-done = { $count } ایمیل اکنون ارسال می‌شود.
action-drop-mails = حذف بدون ارسال
action-drop-mails-what = این ایمیل‌ها حذف و هرگز ارسال نمی‌شوند. این کار برگشت‌پذیر نیست.
action-drop-mails-done = { $count } ایمیل حذف شد.
action-forget-states = بازنشانی محدودیت‌ها
action-forget-states-what = استفادهٔ ثبت‌شدهٔ این کلیدها حذف می‌شود و همهٔ سهمیه‌شان دوباره در دسترس است. وضعیت حذف‌شده در گزارش فعالیت‌ها می‌ماند.
action-forget-states-done = محدودیت‌های { $count } کلید بازنشانی شد.
action-reset-limiter = بازنشانی محدودکنندهٔ امتیاز
action-reset-limiter-what = وضعیت محدودکنندهٔ امتیاز برای این نوشته‌ها حذف می‌شود. امتیازها بی‌درنگ دوباره پذیرفته می‌شوند و محدودکننده یادگیری را از صفر آغاز می‌کند. امتیازها و نمره‌ها تغییر نمی‌کنند. وضعیت حذف‌شده در گزارش فعالیت‌ها می‌ماند.
action-reset-limiter-done = محدودکنندهٔ امتیاز { $count } نوشته بازنشانی شد.
invalid-no-rows-left = تغییری انجام نشد. موارد انتخاب‌شده دیگر وجود ندارند یا از پیش در همین وضعیت بودند.
action-affected = روی { $count } مورد انجام می‌شود
action-skipped = { $count } مورد انتخاب‌شده نادیده گرفته می‌شود: دیگر وجود ندارد، نیازی به تغییر ندارد، یا اجازهٔ تغییرش را ندارید.
act-post-publish = انتشار نوشتهٔ کاربری دیگر
act-post-return = برگرداندن نوشتهٔ فرستاده‌شده به نویسنده
act-pause-set = توقف امتیازهای کاربر به یک نوشته
act-limit-set = تعیین محدودیت درخواست دیگر برای کاربر یا شبکه
act-limit-end = پایان دادن به استثنای محدودیت درخواست
act-pause-lift = رفع توقف امتیازدهی کاربر
act-mail-send = ارسال زودتر ایمیل در صف
act-mail-drop = حذف ایمیل در صف
act-limiter-forget = بازنشانی محدودکننده

## Dashboard

dashboard-pending = نیازمند رسیدگی
dashboard-all-clear = همه‌چیز مرتب است و موردی برای بررسی نیست.
dashboard-reports = { $count } نوشتهٔ گزارش‌شده برای بررسی
dashboard-submitted-posts = { $count } نوشتهٔ فرستاده‌شده برای بررسی
first-steps-title = گام‌های نخست
first-steps-hide = پنهان کردن این فهرست
first-step-done = انجام شد:
first-step-skip = رد شدن
first-step-name = برای وبلاگتان نام بگذارید
first-step-name-hint = نام، توضیح، نشان‌واره، رنگ و منو در صفحهٔ تنظیمات هستند.
first-step-people = تعیین کنید چه کسی می‌تواند ثبت‌نام و منتشر کند
first-step-people-hint = در آغاز همه می‌توانند ثبت‌نام کنند، منتشر کنند و امتیاز بدهند.
first-step-post = نخستین نوشته را بنویسید
first-step-post-hint = نوشته به عنوان و متن نیاز دارد؛ می‌توانید آن را پیش‌نویس ذخیره کنید.
first-step-invite = یک نویسندهٔ همکار دعوت کنید
first-step-invite-hint = با پیوند یا ایمیل، به عنوان خواننده، نویسنده یا ناظر.
first-step-mail = ایمیل را راه بیندازید
first-step-mail-hint = بدون ایمیل، کاربران نمی‌توانند گذرواژه را بازنشانی کنند. SMTP_URL را در سرور تنظیم کنید.
first-step-limiter = به محدودکنندهٔ امتیازها نگاهی بیندازید
first-step-limiter-hint = سیل امتیازها را کند می‌کند. پیش‌فرض برای بیشتر وبلاگ‌ها مناسب است.
dashboard-failed-emails = { $count } ایمیل با ارسال ناموفق
dashboard-flagged-links = { $count } نوشته با پیوند مشکوک
dashboard-pauses = { $count } توقف امتیازدهی
dashboard-refused-ratings = { $count } تلاش ردشده برای امتیازدهی در ۲۴ ساعت گذشته.
dashboard-last-day = ۲۴ ساعت گذشته
dashboard-visits-by-hour = بازدیدها در هر ساعت
dashboard-ratings-by-hour = امتیازها و تغییرها در هر ساعت
dashboard-blocked-by-hour = تلاش‌های ردشده برای امتیازدهی در هر ساعت
dashboard-hour =
    { $time }
    بازدید: { $visits }، امتیاز: { $ratings }، تلاش ردشده: { $refused }
dashboard-times = زمان‌ها به وقت { $zone } است. ساعت آخر هنوز تمام نشده است.
dashboard-visits-description = هر حساب یا شبکه‌ای که نوشته‌ها یا فهرست‌های نوشته‌ها را می‌بیند در هر ساعت یک بازدید به شمار می‌آید. تیم سایت و صفحه‌های دیگر شمرده نمی‌شوند. هر نمونهٔ سایت جداگانه می‌شمارد. هر ده ثانیه به‌روز می‌شود.
column-hour-of-day = ساعت
column-visits = بازدیدها
column-page-views = نمایش صفحه
column-rate-limited = محدودشده
column-errors = خطاها
dashboard-system = سامانه
dashboard-version = نسخه
dashboard-database = پایگاه داده
dashboard-free-disk-space = فضای آزاد دیسک
action-reset-password = بازنشانی گذرواژه
action-reset-password-what = گذرواژهٔ کاربران انتخاب‌شده از کار می‌افتد و همهٔ نشست‌هایشان پایان می‌یابد. هر کاربر ایمیلی با پیوند انتخاب گذرواژهٔ تازه می‌گیرد.
action-reset-password-done =
    { $count ->
            [one] گذرواژهٔ { $name } بازنشانی شد. ایمیلی با راهنما در راه است.
           *[other] { $count } گذرواژه بازنشانی شد. ایمیل‌های راهنما در راه است.
        }
users-skipped-unreachable = نادیده گرفته می‌شود: با ایمیل در دسترس نیست
act-password-take = بازنشانی گذرواژهٔ کاربری دیگر
cases-guests = { $count } گزارش از مهمانان
admin-case-reported-text = متن هنگام نخستین گزارش
admin-case-current-text = متن کنونی
admin-case-description-final = نویسنده و همهٔ گزارش‌دهندگان تصمیم شما و دلیلش را می‌بینند. این تصمیم نهایی است، مگر این‌که نویسنده هنوز فرصت دفاع نداشته باشد؛ در این صورت می‌تواند اعتراض کند.
posts-unpublished = لغو انتشار از سوی تیم سایت
posts-submitted = در انتظار بررسی
action-affected-none = روی هیچ‌یک از این موارد انجام نمی‌شود
action-unpublish-reason-hint = نویسنده آن را می‌بیند، و تیم سایت در گزارش فعالیت‌ها. حداکثر ۳۰۰ نویسه.
log-kept = ماند
log-taken-down = برداشته شد
log-gone = پیش از تصمیم حذف شد
log-law = غیرقانونی
log-rules = خلاف قوانین این سایت
action-end-invitations = لغو دعوت‌نامه‌ها
action-end-invitations-what = دیگر کسی نمی‌تواند با این پیوندها حساب بسازد. حساب‌هایی که پیش‌تر با آن‌ها ساخته شده‌اند می‌مانند.
action-end-invitations-done = { $count } دعوت‌نامه لغو شد.

## Custom limits

limits-title = محدودیت درخواست‌ها
limits-what = محدودیت‌های دیگر برای یک کاربر یا یک شبکه، مانند اداره‌ای که کاربرانش نشانی مشترک دارند یا ربات خوش‌رفتار.
limits-target-hint = نام کاربری، نشانی IP یا شبکه‌ای مانند 203.0.113.0/24.
limits-allowance-hint = ضریب محدودیت‌های معمول، مانند ۱۰ یا ۰٫۵، یا «exempt» برای بدون محدودیت.
limits-days-hint = شمار روزها تا بازگشت محدودیت عادی. خالی بگذارید تا زمانی که پایانش دهید بماند.
limits-sign-in = ورود، ثبت‌نام و درخواست ایمیل یک شبکه
limits-failed-ratings = امتیازدهی‌های ناموفق یک کاربر پیش از توقف
limits-add = تعیین محدودیت
limits-list = استثناهای کنونی
limits-none = همهٔ کاربران و شبکه‌ها محدودیت عادی دارند.
limits-times = { $factor } برابر محدودیت عادی
limits-exempt = بدون محدودیت
limits-over = پایان یافت: { $time }
limits-no-end = تا وقتی تیم سایت پایانش دهد
limits-end = پایان دادن
done-custom-limit-set = محدودیت { $target } تعیین شد.
done-custom-limit-ended = محدودیت عادی دوباره برقرار شد.

## Tables, pages of users and the dashboard.

column-select = انتخاب
column-flagged-urls = نشانی‌های مشکوک
column-joined = پیوسته
column-created = زمان ساخت
column-key = کلید
column-state = وضعیت
column-last-used = آخرین استفاده
column-expires = زمان انقضا
column-recipient = گیرنده
column-queued = ورود به صف
column-next-attempt = تلاش بعدی
mails-handed-over = در حال ارسال
mails-waiting = در انتظار
column-changed-or-published = انتشار یا تغییر
column-score = نمره
column-rated = زمان امتیاز
column-changed = تغییر
column-account-created = ساخت حساب
column-device = دستگاه
column-signed-in = زمان ورود
column-last-active = آخرین فعالیت
column-paused = زمان توقف
column-failures = تلاش‌های ناکام
column-affected = کاربر یا نوشته
column-details = جزئیات
column-time = زمان
column-source = شبکه و درخواست
column-opened = آغاز پرونده
column-registered = زمان عضویت
column-text-size = حجم متن‌ها
column-warning-level = سطح هشدار
column-ratings-and-changes = امتیازها و تغییرها
user-actions = عمل‌ها برای این حساب
user-see-all = دیدن همه
dashboard-unchanged = مانند روز قبل
dashboard-almost-unchanged = تقریباً به اندازهٔ روز قبل
dashboard-none-before = روز قبل هیچ
dashboard-more = { $percent } بیشتر از روز قبل
dashboard-fewer = { $percent } کمتر از روز قبل
dashboard-latest = آخرین مورد: { $time }.
dashboard-review = بررسی
dashboard-exclude-day = کنار گذاشتن این روز
dashboard-exclude-later = پس از پایان روز (UTC) می‌توان آن را کنار گذاشت.
act-webhook-create = وب‌هوک ساخته شد
act-webhook-change = وب‌هوک تغییر کرد
act-webhook-delete = وب‌هوک حذف شد
act-webhook-send = رویداد وب‌هوک دوباره ارسال شد
action-send-webhooks = ارسال دوباره
action-send-webhooks-what = این رویدادها دوباره به وب‌هوک‌هایشان فرستاده می‌شوند. سرورها رویداد تکراری را از شناسه‌اش می‌شناسند.
action-send-webhooks-done = { $count } رویداد ارسال می‌شود.
webhooks-title = وب‌هوک‌ها
webhooks-what = وب‌هوک رویدادهای این سایت را به سرور دیگری می‌فرستد، مثلاً به یک پیام‌رسان. رویدادهایی که تحویل داده نشوند تا سه روز دوباره فرستاده می‌شوند.
webhooks-none = هنوز وب‌هوکی وجود ندارد.
webhooks-new = افزودن وب‌هوک
webhooks-create = افزودن وب‌هوک
webhooks-url-hint = نشانی‌ای که رویدادها را دریافت می‌کند، مانند https://example.com/hook
webhooks-waiting = رویدادهای در انتظار
webhooks-latest = آخرین تحویل موفق
webhooks-never = هرگز
webhooks-enabled = فعال
webhooks-disabled = غیرفعال
webhooks-failing = تحویل ناموفق است
webhooks-disabled-failing = غیرفعال به دلیل تحویل ناموفق
webhooks-gone = غیرفعال، زیرا گیرنده با 410 Gone پاسخ داد
webhook-title = وب‌هوک
webhook-disabled-what = هیچ رویدادی فرستاده نمی‌شود. سرور را بررسی کنید و سپس وب‌هوک را در پایین فعال کنید.
webhook-secret-what = سرور با این کلید بررسی می‌کند که درخواست‌ها از این سایت می‌آیند، همان‌طور که در <a href="https://www.standardwebhooks.com/">Standard Webhooks</a> آمده است. اگر کلید فاش شده است، وب‌هوک تازه‌ای بسازید و این یکی را حذف کنید.
webhook-test = ارسال رویداد آزمایشی
webhook-settings = تنظیمات
webhook-save = ذخیره
webhook-delete = حذف وب‌هوک
webhook-delete-what = رویدادهایی که هنوز تحویل داده نشده‌اند دور ریخته می‌شوند. این کار برگشت‌پذیر نیست.
webhook-event-post-published = نوشته‌ای منتشر شد.
webhook-event-rating-surge-began = نوشته‌ای ناگهان امتیازهای بسیار زیادی می‌گیرد و برخی از آن‌ها رد شدند.
webhook-event-rating-surge-ended = نوشته‌ای دیگر امتیازهای غیرعادی نمی‌گیرد.
webhook-event-report-filed = نوشته‌ای گزارش شد.
webhook-event-test = مدیر وب‌هوک را آزمایش کرد.
deliveries-title = تحویل‌های وب‌هوک
deliveries-what = رویدادهایی که در ۳۰ روز گذشته به وب‌هوک‌ها فرستاده شده‌اند یا فرستاده خواهند شد.
deliveries-delivered = تحویل داده شد
deliveries-failed = ناموفق
deliveries-will-retry = دوباره تلاش می‌شود
deliveries-waiting = در انتظار
done-webhook-created = وب‌هوک افزوده شد. کلید آن را در سرور وارد کنید و سپس یک رویداد آزمایشی بفرستید.
done-webhook-changed = وب‌هوک ذخیره شد.
done-webhook-tested = تا چند ثانیهٔ دیگر یک رویداد آزمایشی فرستاده می‌شود. برای دیدن نتیجه صفحه را دوباره بارگذاری کنید.
done-webhook-deleted = وب‌هوک حذف شد.
dashboard-failing-webhooks = { $count } وب‌هوک ناموفق
deliveries-now = اکنون
settings-title = تنظیمات
settings-what = تنظیمات سایت. تغییرها بی‌درنگ اعمال می‌شوند.
settings-site = سایت
settings-language = زبان و زمان
settings-people = خوانندگان و نویسندگان
settings-ratings = امتیازها
settings-save = ذخیرهٔ تنظیمات
settings-from-environment = متغیر محیطی <code>{ $variable }</code> سرور این مقدار را تعیین کرده است. برای تغییر در اینجا، آن متغیر را حذف کنید.
settings-description-hint = یک یا دو جمله برای صفحهٔ اول، موتورهای جست‌وجو و فیدها.
settings-footer-hint = متن پایین همهٔ صفحه‌ها، مثلاً پیوند به اطلاعات تماس. می‌توانید از Markdown استفاده کنید.
settings-menu-hint = پیوندهای بالای همهٔ صفحه‌ها. در هر سطر یک پیوند، حداکثر ۸ تا: متن، یک فاصله، و یک مسیر یا نشانی. مثلاً «پرندگان /blogs/?tag=پرندگان» به نوشته‌های یک برچسب پیوند می‌دهد.
settings-logo-hint = در بالای همهٔ صفحه‌ها کنار نام نمایش داده می‌شود، با ارتفاع ۲۸ پیکسل. PNG، JPEG یا WebP.
settings-logo-current = نشان‌وارهٔ کنونی
settings-icon-hint = در زبانه‌های مرورگر و صفحهٔ آغازین نمایش داده می‌شود. تصویری مربعی با دست‌کم ۲۴۰ پیکسل.
settings-icon-current = نماد کنونی
settings-footer-menu-hint = پیوندهای پایین همهٔ صفحه‌ها، مانند منوی بالا نوشته می‌شود.
settings-menu-lines = سطرهای صفحه‌ها و برچسب‌ها:
settings-menu-choices = افزودن صفحه یا برچسب به منو
settings-new-page = ساختن صفحه، مثلاً «دربارهٔ ما»
invalid-menu-entry = به جای «{ $line }» یک متن، یک فاصله و یک مسیر یا نشانی بنویسید، مثلاً «دربارهٔ ما /blogs/3/about/». متن می‌تواند تا ۴۰ نویسه داشته باشد.
invalid-menu-length = منو می‌تواند تا { $most } پیوند داشته باشد.
settings-accent-hint = رنگ پیوندها و دکمه‌ها در صفحه‌های روشن، مانند #0b5573. صفحه‌های تیره در صورت نیاز رنگ روشن‌تری می‌گیرند.
settings-accent-picker = انتخاب رنگ اصلی
settings-accent-too-light = پیوندها با این رنگ در صفحهٔ روشن سخت خوانده می‌شوند. رنگ تیره‌تری انتخاب کنید.
settings-preview-link = یک پیوند
settings-language-hint = برای بازدیدکنندگانی که مرورگرشان هیچ‌یک از زبان‌های سایت را ترجیح نمی‌دهد، و برای ایمیل به کاربرانی که زبانی انتخاب نکرده‌اند.
settings-time-zone-hint = زمان‌ها در این منطقه نمایش داده می‌شوند، مگر این‌که کاربر منطقهٔ دیگری انتخاب کند.
settings-registration-open = همه
settings-registration-invite = دارندگان دعوت‌نامه
settings-registration-closed = هیچ‌کس
settings-publishing-hint = دیگران می‌توانند پیش‌نویس بنویسند.
settings-publishing-everybody = همهٔ کاربران
settings-publishing-reviewed = نویسندگان و همکاران؛ نوشتهٔ دیگران در انتظار بررسی می‌ماند
settings-publishing-approved = نویسندگان تأییدشده و همکاران
settings-publishing-staff = همکاران
settings-account-age-hint = به ساعت. خالی: حساب تازه می‌تواند بی‌درنگ امتیاز بدهد.
settings-confirmed-email-hint = کار گروه‌های هماهنگ را کند می‌کند: هر امتیاز به یک صندوق ایمیل نیاز دارد.
settings-not-required = لازم نیست
settings-required = لازم است
settings-score-hint = امتیاز پایدار هنگامی که حساب‌های بسیار با هم به یک نوشته امتیاز می‌دهند تا امتیازش را جابه‌جا کنند، کمتر تغییر می‌کند.
settings-score-steady = امتیاز پایدار
settings-score-average = میانگین همهٔ امتیازها
done-settings = تنظیمات ذخیره شد.
done-settings-unchanged = چیزی تغییر نکرده است.
act-setting-change = یکی از تنظیمات سایت تغییر کرد
