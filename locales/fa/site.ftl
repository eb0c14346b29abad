
## What stands around every page.

site-description = وبلاگی که امتیازهایش تعادل دارد: هر امتیاز در میانگین شمرده می‌شود، و نمرهٔ کنار آن را هیچ جمعیتی نمی‌تواند یک‌شبه بالا یا پایین ببرد.
site-footer = امتیازها اینجا تعادل دارد: هیچ جمعیتی نمی‌تواند آن‌ها را یک‌شبه بالا یا پایین ببرد.
skip-to-content = پرش به محتوا
search-label = جستجو
search-button = جستجو
search-hint = نوشته، نویسنده
nav-site = سایت
nav-write = نوشتن
nav-sign-out = خروج
nav-sign-in = ورود
nav-register = ثبت‌نام
nav-atom = خوراک Atom
nav-json = خوراک JSON
language-choose = زبان
staff-need-second-factor = شما از دست‌اندرکاران سایت هستید، اما اینجا دست‌اندرکاران به تأیید دومرحله‌ای نیاز دارند. <a href="/users/second_factor/">آن را راه بیندازید</a>؛ تا آن زمان فقط کارهایی را می‌توانید بکنید که همه می‌توانند.
account-deleted-on = حساب شما در { $time } حذف می‌شود.
account-keep = حسابم بماند
pages-label = صفحه‌ها
pages-previous = صفحهٔ قبل
pages-next = صفحهٔ بعد

## The page of an error.

error-try-again = تلاش دوباره
error-see-paused = <a href="/rate/paused/">امتیازهای متوقف‌شدهٔ شما</a>
error-see-sign-in = <a href="/users/login/">ورود</a>
error-see-account = <a href="/users/account/">صفحهٔ حساب</a> پیوند دیگری برای نشانی ایمیل می‌فرستد، و <a href="/users/password_reset/">این صفحه</a> پیوندی برای گذرواژهٔ تازه.
error-read-latest = خواندن تازه‌ترین نوشته‌ها
error-status = وضعیت { $status } · درخواست <code dir="ltr">{ $id }</code>

## What the site is doing while it starts.

starting-connecting = در حال وصل شدن به پایگاه داده
starting-waiting-database = منتظر پایگاه داده
starting-waiting-lock = منتظر آزاد شدن قفلی در پایگاه داده
starting-waiting-instance = منتظر نمونهٔ دیگری که پایگاه داده را به‌روز می‌کند
starting-updating = در حال به‌روزرسانی پایگاه داده، { $number } از { $all }
blocked = حساب شما مسدود است: می‌توانید بخوانید، اما نه بنویسید و نه امتیاز بدهید. دلیل: <q>{ $reason }</q>
blocked-until = حساب شما تا { $time } مسدود است: می‌توانید بخوانید، اما نه بنویسید و نه امتیاز بدهید. دلیل: <q>{ $reason }</q>
