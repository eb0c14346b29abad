
## Validation errors of fields.

invalid-missing = پر کردن این فیلد لازم است.
invalid-not-a-string = این مقدار باید رشتهٔ متنی باشد.
invalid-file-not-accepted = این فیلد فایل نمی‌پذیرد.
invalid-null-character = نویسهٔ تهی (NUL) مجاز نیست.
invalid-unknown-field = فیلد ناشناخته است. نام آن را بررسی کنید.
invalid-choose-file = یک فایل انتخاب کنید.
choose-file-again = فایل را دوباره انتخاب کنید.
invalid-not-a-file = آن را به‌صورت فایل و با multipart/form-data بارگذاری کنید.
invalid-file-too-large = این فایل بیش از حد بزرگ است ({ $size } مبی‌بایت). حداکثر { $most } مبی‌بایت مجاز است.
invalid-id = یک شناسه (ID) وارد کنید: عددی صحیح، از ۱ به بالا.
invalid-zone = یک منطقهٔ زمانی وارد کنید، مانند Asia/Tehran، Europe/Berlin یا UTC.
invalid-language = یکی از این زبان‌ها را انتخاب کنید: { $languages }.
invalid-too-many-characters = حداکثر { $most } نویسه مجاز است. شما { $count } نویسه وارد کرده‌اید.
invalid-boolean = true یا false را انتخاب کنید.

## Errors of malformed requests.

malformed-request = درخواست خوانده نشد.
malformed-body = بدنهٔ درخواست خوانده نشد.
malformed-if-match = سرآیند If-Match خوانا نیست. مقدار سرآیند ETag را در گیومه بفرستید.
malformed-incomplete = بدنهٔ درخواست ناقص است. دوباره تلاش کنید.
malformed-not-utf8 = بدنهٔ درخواست UTF-8 معتبر نیست.
malformed-multipart = بدنهٔ درخواست multipart/form-data معتبر نیست.
malformed-json = بدنهٔ درخواست باید یک شیء JSON بدون فیلد تکراری باشد.
malformed-duplicate-field = یک فیلد یا پارامتر در درخواست تکرار شده است.
malformed-too-many = تعداد فیلدها یا پارامترهای درخواست بیش از حد است.
malformed-duplicate-parameter = یک پارامتر در URL تکرار شده است.
malformed-null = در یکی از پارامترهای URL نویسهٔ تهی (NUL) هست.
malformed-percent = یکی از پارامترهای درصدی‌شدهٔ URL، UTF-8 معتبر نیست.
malformed-cursor = این پیوند صفحه مال این فهرست نیست. به صفحهٔ اول برگردید.

## Field labels, shown above the field, in error summaries and in the audit log. The key is label- and the name of the field.

label-username = نام کاربری
label-email = ایمیل
label-username-or-email = نام کاربری یا ایمیل
label-password = گذرواژه
label-current-password = گذرواژهٔ فعلی
label-old-password = گذرواژهٔ فعلی
label-new-password = گذرواژهٔ تازه
label-code = کد
label-title = عنوان
label-content = متن
label-tags = برچسب‌ها
label-publish-at = زمان‌بندی انتشار
label-slug = نامک
label-is-page = نوع
label-accepts-ratings = امتیازها
label-excerpt = چکیده
label-cover = تصویر نوشته
label-status = وضعیت
label-version = نسخه
label-image = تصویر
label-avatar = تصویر نمایه
label-alt = متن جایگزین
label-spot = محل
label-display-name = نام نمایشی
label-about = دربارهٔ شما
label-link = پیوند
label-language = زبان
label-time-zone = منطقهٔ زمانی
label-max-uses = تعداد افراد
label-target = کاربر یا شبکه
label-limit = محدودیت
label-allowance = ضریب
label-network = شبکه
label-expires = پایان
label-days = تعداد روزها
label-posts = نوشته‌های منتشرشده
label-from = اولین روز
label-to = آخرین روز
label-reason = دلیل
label-rating = امتیاز

## Title of a page whose form was rejected.

title-with-error = خطا: { $title }

## Text that is not translated.

verbatim = { $text }

## Units.

seconds = { $count } ثانیه
minutes = { $count } دقیقه
hours = { $count } ساعت
days = { $count } روز
kilobytes = { $size } کیلوبایت
megabytes = { $size } مگابایت
gigabytes = { $size } گیگابایت
percent = { $percent }٪
label-act = عمل
label-actor = انجام‌دهنده
label-user = کاربر
label-post = شناسهٔ نوشته
label-invitation = دعوت‌نامه
label-ratings = امتیازها
label-score-before = نمره پیش از تغییر
label-score-after = نمره پس از تغییر
label-sessions = نشست‌ها
label-command = فرمان
invalid-too-many-overrides = حداکثر { $most } نوشته می‌توانند محدودکنندهٔ جداگانه داشته باشند. ابتدا محدودکنندهٔ نوشتهٔ دیگری را بردارید.
label-limiter = محدودکننده
label-before = پیش از تغییر
label-after = پس از تغییر
label-params-before = پارامترها پیش از تغییر
label-params-after = پارامترها پس از تغییر
invalid-staff-role = یکی از نقش‌های moderator، admin یا owner را انتخاب کنید، یا none را برای برداشتن نقش.
label-users = حساب‌ها
label-role = نقش
label-until = مسدود تا
invalid-password-needed = برای تأیید این کار، گذرواژه‌تان را وارد کنید.
label-category = دلیل گزارش شما
label-explanation = توضیحات
label-appeal = دلیل اعتراض شما
label-ruling = تصمیم
label-case = پرونده
label-ground = علت برداشتن نوشته
label-name-starts = نام آغاز می‌شود با
label-name = نام
label-words = شامل متن
label-author = نویسنده
label-tag = برچسب
label-key = کلید آغاز می‌شود با
label-mail = نوع ایمیل
label-made-by = سازنده
label-token = توکن
label-scopes = دسترسی‌ها
label-expires-in-days = مدت اعتبار
label-end-tokens = لغو توکن‌های API
label-tokens = توکن‌های API
malformed-idempotency-key = سرآیند Idempotency-Key باید ۱ تا ۲۵۵ نویسهٔ مرئی ASCII بدون گیومه داشته باشد.
label-event = رویداد
label-events = رویدادها
label-url = نشانی
label-webhook = وب‌هوک
label-attempts = تلاش‌ها
label-error = خطا
label-secret = کلید
label-enabled = فعال
label-is-enabled = وضعیت
copy = کپی
copied = کپی شد.
invalid-webhook-url = نشانی کاملی بنویسید که با https:// آغاز شود و نام کاربری، گذرواژه و بخش # نداشته باشد.
invalid-webhook-http = نشانی باید با https:// آغاز شود.
invalid-webhook-address = این نشانی عمومی نیست. تنظیم WEBHOOK_PRIVATE_NETWORKS می‌تواند آن را مجاز کند.
invalid-webhook-events = دست‌کم یکی از این رویدادها را انتخاب کنید: { $names }.
invalid-webhook-no-events = دست‌کم یک رویداد را انتخاب کنید.
invalid-too-many-webhooks = حداکثر { $most } وب‌هوک ممکن است. نخست یکی را حذف کنید.
label-site-name = نام سایت
label-site-description = توضیح
label-site-footer = پانویس
label-site-menu = منو
label-site-logo = نشان‌واره
label-site-icon = نماد
label-footer-menu = منوی پانویس
label-accent-color = رنگ اصلی
label-site-language = زبان
label-site-time-zone = منطقهٔ زمانی
label-registration = چه کسی می‌تواند ثبت‌نام کند
label-publishing = چه کسی می‌تواند نوشته منتشر کند
label-min-account-age-hours = کمترین عمر حساب برای امتیازدهی
label-confirmed-email = ایمیل تأییدشده برای امتیازدهی
label-score-shown = امتیازی که نمایش داده می‌شود
label-setting = تنظیم
invalid-color = رنگ را به شکل # و شش رقم از 0 تا f وارد کنید، مانند #0b5573.
invalid-contrast = پیوندها با این رنگ در صفحهٔ روشن سخت خوانده می‌شوند. رنگ تیره‌تری انتخاب کنید، مانند { $color }.
invalid-from-environment = متغیر محیطی { $variable } سرور این مقدار را تعیین کرده است، پس اینجا نمی‌توان آن را تغییر داد.
invalid-no-mail = سایت ایمیل نمی‌فرستد، پس هیچ ایمیلی تأیید نمی‌شود. نخست SMTP_URL را در سرور تنظیم کنید.
