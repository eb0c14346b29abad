
## Page header and footer.

site-description = وبلاگی که امتیازهایش در برابر هجوم امتیازهای سازمان‌یافته محافظت می‌شود.
site-footer = امتیازهای اینجا در برابر هجوم امتیازهای سازمان‌یافته محافظت می‌شود.
skip-to-content = پرش به محتوا
search-label = جستجو
search-button = جستجو
search-hint = نوشته‌ها، کاربران
nav-site = منوی اصلی
nav-menu = منو
nav-write = نوشتن
nav-sign-out = خروج
nav-account = منوی حساب کاربری
nav-sign-in = ورود
nav-register = ثبت‌نام
nav-atom = خوراک Atom
nav-json = خوراک JSON
language-choose = زبان
staff-need-second-factor = تیم این سایت باید تأیید دومرحله‌ای داشته باشد. برای دسترسی به امکانات تیم، <a href="/users/second_factor/">آن را فعال کنید</a>.
account-deleted-on = حساب شما در { $time } حذف می‌شود.
account-keep = نگه داشتن حسابم
pages-label = صفحه‌بندی
pages-first = صفحهٔ اول
pages-previous = صفحهٔ قبل
pages-next = صفحهٔ بعد

## Error pages.

error-try-again = تلاش دوباره
error-see-paused = <a href="/rate/paused/">امتیازهای متوقف‌شدهٔ شما</a>
error-see-sign-in = <a href="/users/login/">ورود</a>
error-see-account = برای تأیید نشانی ایمیل، از <a href="/users/account/">صفحهٔ حساب</a> پیوند تازه‌ای بگیرید. برای بازنشانی گذرواژه، <a href="/users/password_reset/">پیوند تازه‌ای درخواست کنید</a>.
error-read-latest = خواندن تازه‌ترین نوشته‌ها
error-status = وضعیت { $status } · شناسهٔ درخواست <code dir="ltr">{ $id }</code>

## Startup steps.

starting-connecting = در حال اتصال به پایگاه داده
starting-waiting-database = در انتظار پایگاه داده
starting-waiting-lock = در انتظار آزاد شدن قفل پایگاه داده
starting-waiting-instance = در انتظار نمونهٔ دیگری که پایگاه داده را به‌روز می‌کند
starting-updating = در حال به‌روزرسانی پایگاه داده ({ $number } از { $all })
blocked = حساب شما مسدود است. می‌توانید بخوانید، اما نمی‌توانید بنویسید یا امتیاز بدهید. دلیل: <q>{ $reason }</q>
blocked-until = حساب شما تا { $time } مسدود است. می‌توانید بخوانید، اما نمی‌توانید بنویسید یا امتیاز بدهید. دلیل: <q>{ $reason }</q>

# Reference of the API.
api-title = مرجع API
api-description = برنامه‌ها از همان نشانی‌های مرورگر استفاده می‌کنند، با هر درخواست <code>Accept: application/json</code> می‌فرستند و با <a href="/users/tokens/">توکن API</a> احراز هویت می‌شوند. این صفحه همهٔ عملیات را به انگلیسی فهرست می‌کند.
api-json = توضیح در قالب JSON (OpenAPI 3.1)
api-yaml = توضیح در قالب YAML
api-needs-scripts = فهرست عملیات به جاوااسکریپت نیاز دارد. توضیح در قالب JSON یا YAML همان محتوا را دارد.
nav-api = API
