
## What is wrong with a field, and what is allowed in it.

invalid-missing = پر کردن این مورد لازم است.
invalid-no-string = این باید یک رشتهٔ متنی باشد.
invalid-no-file-field = این فیلد جای فایل نیست.
invalid-null = نویسهٔ تهی (NUL) در آن جایی ندارد.
invalid-unknown-field = چنین موردی اینجا نیست.
invalid-choose-file = یک فایل انتخاب کنید.
invalid-no-file = آن را به‌صورت فایل بفرستید، با فرمی از نوع multipart/form-data.
invalid-file-too-large = حداکثر { $most } مگابایت؛ این فایل { $size } مگابایت است.
invalid-id = این باید یک شناسه (id) باشد: عددی صحیح، از ۱ به بالا.
invalid-zone = منطقهٔ زمانی را مانند Asia/Tehran، Europe/Berlin یا UTC بنویسید.
invalid-language = یکی از این‌ها را انتخاب کنید: { $languages }.
invalid-too-many-characters = حداکثر { $most } نویسه؛ این { $count } نویسه است.
invalid-boolean = true یا false را انتخاب کنید.

## Why a request cannot be read.

malformed-request = درخواست خوانده نشد.
malformed-body = بدنهٔ درخواست خوانده نشد.
malformed-broke-off = بدنهٔ درخواست نیمه‌کاره ماند.
malformed-not-utf8 = بدنهٔ درخواست UTF-8 نیست.
malformed-parts = بدنهٔ درخواست فرمی نیست که بخش‌هایش خوانا باشد.
malformed-json = بدنهٔ درخواست یک شیء JSON نیست که هر فیلدش یک بار آمده باشد.
malformed-twice = یک فیلد یا پارامتر دو بار آمده است.
malformed-too-many = فیلدها یا پارامترها بیش از اندازه‌اند.
malformed-parameter-twice = یک پارامتر دو بار آمده است.
malformed-null = در یک پارامتر نویسهٔ تهی (NUL) هست.
malformed-percent = بخشی که با درصد کدگذاری شده UTF-8 نیست.
malformed-cursor = این پیوندِ صفحه مال این فهرست نیست.

## Labels of fields: on top of the field, and in the list of what is wrong. Named after the fields.

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
label-slug = نشانی
label-excerpt = چکیده
label-cover = تصویر نوشته
label-status = وضعیت
label-version = نسخه
label-image = تصویر
label-avatar = تصویر
label-alt = توضیح تصویر
label-spot = جا
label-display-name = نام نمایشی
label-about = دربارهٔ شما
label-link = پیوند
label-language = زبان
label-time-zone = منطقهٔ زمانی
label-people = تعداد افراد
label-days = تعداد روزها
label-posts = نوشته‌های منتشرشده
label-from = اولین روز
label-to = آخرین روز
label-reason = دلیل
label-rating = ستاره‌ها

## Stands before the title of a page whose form was not accepted.

title-with-error = خطا: { $title }

## What is shown as it is.

verbatim = { $text }

## Units.

seconds = { $count } ثانیه
minutes = { $count } دقیقه
hours = { $count } ساعت
kilobytes = { $size } کیلوبایت
megabytes = { $size } مگابایت
gigabytes = { $size } گیگابایت
percent = { $percent }٪
label-act = چه کاری
label-actor = چه کسی
label-user = حسابِ چه کسی
label-post = شمارهٔ نوشته
label-invitation = دعوت
label-ratings = امتیازها
label-score-before = نمرهٔ پیشین
label-score-after = نمرهٔ پسین
label-sessions = نشست‌ها
label-command = فرمان
invalid-too-many-gates = دست‌بالا { $most } نوشته می‌توانند محدودکنندهٔ خود را داشته باشند. اول محدودکنندهٔ نوشتهٔ دیگری را بردارید.
label-limiter = محدودکننده
label-before = پیش
label-after = پس
label-params-before = پارامترهای پیش
label-params-after = پارامترهای پس
invalid-no-users = دست‌کم یک حساب برگزینید.
invalid-too-many-users = دست‌بالا { $most } حساب در هر بار، نه { $count }.
invalid-block-days = عددی صحیح از ۱ تا { $most } روز، یا هیچ.
invalid-staff-role = نقش‌ها moderator و admin و owner هستند؛ none آن را برمی‌دارد.
label-users = حساب‌ها
label-role = نقش
label-until = تا
invalid-look-twice = گذرواژهٔ خود را بنویسید: پیش از این کار دوباره پرسیده می‌شود.
label-category = چه چیزی درست نیست
label-explanation = چه چیزی و چرا
label-appeal = چرا باید تصمیم دیگری گرفته شود
label-ruling = تصمیم
label-case = پرونده
label-ground = برداشته به خاطر
label-name = نام با این آغاز می‌شود
label-words = واژه‌هایی در آن
label-author = نویسنده
label-tag = برچسب
label-key = کلید با این آغاز می‌شود
label-mail = ایمیل
label-made-by = سازنده
