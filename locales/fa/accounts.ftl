
## Validation errors of account fields.

invalid-current-password = گذرواژه درست نیست. گذرواژهٔ فعلی‌تان را وارد کنید.
invalid-approval-unused = تأیید نویسنده فقط وقتی به کار می‌رود که PUBLISHING برابر approved باشد.
invalid-approval-staff = تیم سایت همیشه اجازهٔ انتشار دارد و به تأیید نیازی نیست.
invalid-posts-choice = مشخص کنید با نوشته‌های منتشرشده‌تان چه شود: بماند (keep) یا حذف شود (delete).
invalid-whole-number = عددی صحیح از ۱ تا { $most } وارد کنید.
invalid-email = یک نشانی ایمیل وارد کنید، مانند name@example.com.
invalid-name-taken = این نام قبلاً گرفته شده است. نام دیگری انتخاب کنید.
invalid-claim-name = نوشته‌های شما در این سایت با نام { $name } منتشر شده‌اند و این نام قابل تغییر نیست.
invalid-name-looks-taken = این نام بیش از حد به نامی موجود شبیه است. نام دیگری انتخاب کنید.
invalid-username = از ۱ تا ۳۰ حرف، رقم، زیرخط، خط تیره و نقطه استفاده کنید.
invalid-accents = هر حرف حداکثر یک نشانهٔ اعراب داشته باشد.
invalid-scripts = فقط از حروف یک الفبا استفاده کنید.
invalid-name-reserved = این نام رزرو شده است. نام دیگری انتخاب کنید.
invalid-display-name = از ۱ تا ۵۰ نویسه وارد کنید.
invalid-no-letter = دست‌کم یک حرف یا رقم وارد کنید.
invalid-former-author = این نام برای حساب‌های حذف‌شده به کار می‌رود. نام دیگری انتخاب کنید.
invalid-role-name = این نام مخصوص تیم سایت است. نام دیگری انتخاب کنید.
invalid-display-name-taken = این نام بیش از حد به نام کاربری فرد دیگری شبیه است. نام دیگری انتخاب کنید.
invalid-owner-code = کد درست نیست. کد را از پیوند راه‌اندازی بردارید که سرور هنگام شروع نشان داد یا در پرونده‌ای نوشت.
invalid-password-short = دست‌کم ۸ نویسه وارد کنید.
invalid-password-long = حداکثر ۲۵۶ نویسه وارد کنید.
invalid-password-easy = حدس زدن این گذرواژه آسان است. از چند واژهٔ بی‌ربط استفاده کنید.
invalid-password-name = گذرواژه نباید شامل نام کاربری یا نشانی ایمیلتان باشد.
invalid-username-or-email = یا نام کاربری را وارد کنید یا نشانی ایمیل را، نه هر دو.
invalid-website = یک URL وارد کنید که با ⁦https://⁩ یا ⁦http://⁩ آغاز شود، نام کاربری یا گذرواژه نداشته باشد و حداکثر ۵۰۰ بایت باشد.
invalid-avatar = فایلی بارگذاری کنید، یا مسیر یکی از تصویرهایتان در این سایت را وارد کنید (/images/…).
invalid-no-such-image = این تصویر جزو تصویرهای شما نیست. یکی از تصویرهایی را که بارگذاری کرده‌اید انتخاب کنید.
invalid-code-needed = تأیید دومرحله‌ای روشن است. کدی از برنامهٔ رمزساز یا یک کد بازیابی وارد کنید.
invalid-code = این کد نادرست است، منقضی شده یا قبلاً استفاده شده است. آن را بررسی کنید یا منتظر کد بعدی بمانید.
invalid-two-factor-on = تأیید دومرحله‌ای از قبل روشن است.
invalid-two-factor-off = تأیید دومرحله‌ای از قبل خاموش است.
invalid-concurrent-change = حساب شما چند لحظه پیش تغییر کرد. صفحه را دوباره بارگذاری و دوباره تلاش کنید.

## Reserved names: the author name of deleted accounts, and names of staff roles, separated by commas.

former-author = نویسنده‌ای پیشین
reserved-roles = مدیر, مدیر سایت, ناظر, ادمین, گرداننده, دست‌اندرکار, صاحب سایت, مالک, مالک سایت, تیم سایت

## Messages after successful actions.

done-approved = { $name } اکنون اجازهٔ انتشار دارد.
done-not-approved = { $name } دیگر اجازهٔ انتشار ندارد. نوشته‌های منتشرشده‌اش می‌مانند و نوشته‌های زمان‌بندی‌شده منتشر نمی‌شوند.
done-deletion-scheduled = از همه‌جا خارج شدید و حسابتان در { $time } حذف می‌شود. برای نگه داشتنش، پیش از آن وارد شوید و حذف را لغو کنید.
done-deletion-cancelled = حذف حساب لغو شد. حسابتان همان‌طور که بود می‌ماند.
done-no-deletion-scheduled = حذفی برای حسابتان زمان‌بندی نشده بود.
done-email-change-link-sent = پیوندی به { $email } فرستادیم. برای تأیید نشانی تازه، آن را باز کنید.
done-email-set = نشانی ایمیل شما اکنون { $email } است.
done-email-confirmed = { $email } تأیید شد.
done-email-already-confirmed = { $email } قبلاً تأیید شده است.
done-confirmation-link-sent = پیوند تأیید را به { $email } فرستادیم. این پیوند تا سه روز معتبر است.
done-session-already-ended = آن نشست قبلاً پایان یافته است.
done-session-ended = از آن نشست خارج شدید.
sessions-no-others = نشست دیگری ندارید.
done-sessions-ended = از { $count } نشست دیگر خارج شدید.
done-invitation-created = دعوت‌نامه ساخته شد. پیوند آن بالای فهرست زیر است و تا { $time } معتبر است.
done-invitation-revoked = دعوت‌نامه لغو شد. دیگر نمی‌توان با پیوند آن ثبت‌نام کرد.
done-owner = خوش آمدید { $name }. اکنون شما مالک این سایت هستید.
done-password-reset = گذرواژه‌تان عوض شد و از همه‌جا خارج شدید. با گذرواژهٔ تازه وارد شوید.
done-password-reset-requested = اگر این حساب وجود داشته باشد و نشانی ایمیلش تأیید شده باشد، ایمیلی با یک پیوند دریافت می‌کنید. پیوند تا یک ساعت معتبر است.
done-profile = نمایه ذخیره شد.
done-registered =
    خوش آمدید { $name }. وارد حسابتان شدید.{ $mail ->
            [yes] {" "}پیوندی برای تأیید نشانی‌تان به شما ایمیل می‌شود.
           *[no] {""}
        }
done-welcome-back = خوش برگشتید { $name }.
done-two-factor-off = تأیید دومرحله‌ای خاموش شد. اکنون برای ورود فقط گذرواژه لازم است.
done-signed-out = از حسابتان خارج شدید.
done-password-changed = گذرواژه‌تان عوض شد. از همهٔ جاهای دیگر خارج شدید.
done-language = زبان سایت اکنون { $language } است.

## Device names in the list of sessions.

device-on = { $program } روی { $system }
device-unknown = برنامهٔ ناشناس
device-unknown-on = برنامهٔ ناشناس روی { $system }

## Account pages.

list-comma = ،{" "}
account-title = حساب شما
account-security = امنیت
account-data = داده‌های شما
account-email-confirmed = تأییدشده
account-email-unconfirmed = هنوز تأیید نشده
account-confirm-email-hint = تا این نشانی ایمیل را تأیید نکنید، ایمیل دیگری به آن نمی‌فرستیم و نمی‌توانید گذرواژهٔ فراموش‌شده را بازنشانی کنید.
account-send-confirmation-link = فرستادن پیوند تأیید
account-no-mail = این سایت ایمیل نمی‌فرستد. اگر گذرواژه‌تان را فراموش کردید، از تیم سایت بخواهید آن را بازنشانی کند.
account-new-email = نشانی ایمیل تازه
account-new-email-description = پیوند تأیید را به نشانی تازه می‌فرستیم. پس از تأیید، به نشانی قبلی هم خبر می‌دهیم.
account-change-email = تغییر نشانی ایمیل
confirm-title = تأیید نشانی ایمیل
confirm-heading = این نشانی ایمیل شماست؟
confirm-description = <bdi dir="ltr">{ $email }</bdi> نشانی ایمیل حساب <bdi>{ $name }</bdi> خواهد شد. ایمیل‌های این حساب به آنجا فرستاده می‌شود.
confirm-button = تأیید نشانی ایمیل
delete-account-title = حذف حساب
delete-account-scheduled = حساب شما حذف خواهد شد
delete-account-with-posts = نوشته‌های منتشرشده‌تان هم حذف می‌شوند.
delete-account-posts-stay = نوشته‌های منتشرشده‌تان با نام «{ $name }» می‌مانند.
delete-account-cancel-hint = تا وقتی حسابتان حذف نشده است می‌توانید با دکمهٔ بالای هر صفحه، حذف را لغو کنید.
delete-account-export = بارگیری همهٔ داده‌هایتان
delete-account-description = بی‌درنگ از همه‌جا خارج می‌شوید. تا یک هفته چیز دیگری تغییر نمی‌کند: برای نگه داشتن حساب، وارد شوید و حذف را لغو کنید. پس از یک هفته:
delete-account-name = نام، نشانی ایمیل، گذرواژه و سابقهٔ ورودهایتان حذف می‌شود. نامتان برای دیگران آزاد می‌شود.
delete-account-drafts = پیش‌نویس‌هایتان حذف می‌شوند.
delete-account-ratings = امتیازهایی که داده‌اید همچنان به حساب می‌آیند تا نمره‌ها عوض نشوند، اما دیگر معلوم نیست از شما بوده‌اند.
delete-account-export-first = شاید بخواهید پیش از آن <a href="/users/export/">همهٔ داده‌هایتان را بارگیری کنید</a>.
delete-account-posts = با نوشته‌های منتشرشده‌تان چه کنیم؟
delete-account-keep-posts = نوشته‌ها با نام «{ $name }» بمانند
delete-account-delete-posts = نوشته‌ها همراه با امتیازهایشان حذف شوند
delete-account-button = حذف حساب من
invitations-title = دعوت‌نامه‌ها
invitations-open = ثبت‌نام برای همه باز است. با پیوند می‌توانید کسی را با ایمیل دعوت کنید یا نویسنده کنید.
invitations-email-hint = پیوند به این نشانی فرستاده می‌شود و یک بار کار می‌کند. برای فرستادن پیوند به دست خودتان، خالی بگذارید.
invalid-invited-role = فقط مالکان می‌توانند ناظر دعوت کنند.
invalid-no-mail-server = سایت ایمیل نمی‌فرستد. نشانی را خالی بگذارید و پیوند را کپی کنید.
done-invitation-sent = دعوت‌نامه به { $email } فرستاده شد. پیوند تا { $time } معتبر است.
invitations-closed = ثبت‌نام بسته است و پیوندهای دعوت کار نمی‌کنند. این پیوندها فقط وقتی به کار می‌روند که <code>REGISTRATION</code> برابر <code>invite</code> باشد.
invitations-max-uses-hint = چند نفر می‌توانند با این پیوند ثبت‌نام کنند: ۱ تا ۱٬۰۰۰.
invitations-days-hint = پیوند چند روز معتبر است: ۱ تا ۳۶۵.
invitations-create = ساختن دعوت‌نامه
invitations-none = هنوز دعوت‌نامه‌ای نیست.
invitations-joined = { $uses } نفر از { $max_uses } نفر ثبت‌نام کرده‌اند.
invitations-created-by = سازنده: <bdi>{ $name }</bdi>.
invitations-used-up = ظرفیت پر شده
invitations-expired = منقضی در { $time }
invitations-valid-until = معتبر تا { $time }
invitations-accounts-deleted = همهٔ حساب‌هایی که با این پیوند ساخته شده بودند حذف شده‌اند.
invitations-others = و دیگران
invitations-revoke = لغو دعوت‌نامه
sign-in-title = ورود
sign-in-to-rate = برای دادن { $stars } ستاره به «<bdi>{ $title }</bdi>» وارد شوید
sign-in-two-factor = تأیید دومرحله‌ای
sign-in-code-hint = کد شش‌رقمی برنامهٔ رمزساز، یا یک کد بازیابی.
sign-in-codes-lost = به برنامهٔ رمزساز و کدهای بازیابی دسترسی ندارید؟ با تیم سایت تماس بگیرید.
sign-in-start-over = شروع دوباره
sign-in-no-account = حساب ندارید؟
username-hint = کنار نوشته‌هایتان نمایش داده می‌شود. ۱ تا ۳۰ حرف از هر الفبایی، رقم، زیرخط، خط تیره و نقطه.
email-hint = فقط خودتان آن را می‌بینید.
password-hint = دست‌کم ۸ نویسه. چند واژهٔ بی‌ربط به کار ببرید و از گذرواژه‌های رایج بپرهیزید.
owner-title = حساب مالک
owner-heading = ساختن حساب مالک
owner-description = این سایت هنوز مالکی ندارد. اگر مال شماست، حسابتان را اینجا بسازید. مالک می‌تواند همهٔ نوشته‌ها را ویرایش و حذف کند و تعیین کند چه کسان دیگری این اجازه را دارند.
owner-code-hint = کد بخشی از پیوند راه‌اندازی است که سرور هنگام شروع نشان داد یا در پرونده‌ای نوشت. این کد نشان می‌دهد که سرور در اختیار شماست.
owner-button = ساختن حساب مالک
owner-just-browsing = فقط برای خواندن آمده‌اید؟ به <a href="/blogs/">نوشته‌ها</a> بروید.
owner-just-browsing-register = فقط برای خواندن آمده‌اید؟ به‌عنوان خواننده <a href="/users/register/">ثبت‌نام کنید</a>، یا به <a href="/blogs/">نوشته‌ها</a> بروید.
password-change-title = تغییر گذرواژه
password-change-description = با تغییر گذرواژه، از همهٔ جاهای دیگر خارج می‌شوید.
password-change-button = تغییر گذرواژه
password-reset-choose = انتخاب گذرواژهٔ تازه
password-reset-title = گذرواژه را فراموش کرده‌اید؟
password-reset-description = با انتخاب گذرواژهٔ تازه، از همه‌جا خارج می‌شوید.
password-reset-instructions = اگر نشانی ایمیل حسابتان تأیید شده باشد، پیوندی به آن می‌فرستیم. پیوند تا یک ساعت معتبر است.
password-reset-button = فرستادن پیوند
password-reset-no-mail = این سایت ایمیل نمی‌فرستد. از تیم سایت بخواهید گذرواژه‌تان را بازنشانی کند.
profile-title = نمایهٔ شما
profile-avatar-hint = به شکل مربع بریده می‌شود. PNG، JPEG، WebP یا GIF، تا ۱۰ مبی‌بایت.
profile-avatar-current = تصویر فعلی نمایهٔ شما
profile-avatar-remove = حذف تصویر
profile-display-name-hint = اختیاری. به جای نام کاربری نمایش داده می‌شود؛ تا ۵۰ نویسه.
profile-about-hint = در صفحهٔ نویسندگی‌تان نمایش داده می‌شود. تا ۲٬۰۰۰ نویسه؛ با پشتیبانی از Markdown.
profile-link-hint = وب‌سایت یا نمایهٔ دیگرتان (⁦https://…⁩).
profile-language-hint = برای این سایت و ایمیل‌هایی که دریافت می‌کنید.
profile-language-browser = زبان مرورگر
profile-time-zone-site = مانند سایت ({ $zone })
profile-save = ذخیره
register-title = ثبت‌نام
register-invited =
    <bdi>{ $name }</bdi> شما را به‌عنوان { $role ->
        [author] نویسنده
        [moderator] ناظر
       *[reader] خواننده
    } به <bdi>{ $site }</bdi> دعوت می‌کند. این دعوت‌نامه تا { $time } معتبر است.
register-signed-in = با نام <bdi>{ $name }</bdi> وارد شده‌اید. اگر حساب دیگری بسازید، وارد آن می‌شوید.
register-already = قبلاً ثبت‌نام کرده‌اید؟
claim-title = تحویل گرفتن حساب
claim-intro = نوشته‌های شما از وبلاگ قبلی اینجا با نام <bdi>{ $name }</bdi> هستند. برای تحویل گرفتن این حساب، نشانی ایمیلتان را وارد کنید و گذرواژه‌ای انتخاب کنید.
second-factor-title = تأیید دومرحله‌ای
second-factor-codes = کدهای بازیابی شما
second-factor-codes-description = همین حالا این کدها را ذخیره کنید: دوباره نمایش داده نمی‌شوند. با هر کد می‌توانید یک بار بدون برنامهٔ رمزساز وارد شوید. کدهای قبلی دیگر معتبر نیستند.
second-factor-on-since = تأیید دومرحله‌ای از { $day } روشن است. برای ورود، کدی از برنامهٔ رمزساز لازم دارید.
second-factor-codes-left = { $count } کد بازیابی دیگر دارید.
second-factor-new-codes-hint = می‌توانید در پایین کدهای بازیابی تازه بسازید.
second-factor-new-codes = کدهای بازیابی تازه
second-factor-new-codes-button = ساختن کدهای تازه
second-factor-code-hint = کدی از برنامهٔ رمزساز، یا یک کد بازیابی.
second-factor-digits-hint = کد شش‌رقمی برنامهٔ رمزساز.
second-factor-scan-qr-code = این کد QR را با برنامهٔ رمزساز اسکن کنید، یا این کلید را در آن وارد کنید: <code class="secret" dir="ltr">{ $secret }</code>
second-factor-open-app = باز کردن برنامهٔ رمزساز روی همین دستگاه
second-factor-qr-code = کد QR برای برنامهٔ رمزساز
second-factor-on-button = روشن کردن تأیید دومرحله‌ای
second-factor-off-button = خاموش کردن تأیید دومرحله‌ای
second-factor-sign-out-hint = با ادامه دادن، از همهٔ جاهای دیگر خارج می‌شوید.
second-factor-is-off = تأیید دومرحله‌ای خاموش است. اگر آن را روشن کنید، برای ورود افزون بر گذرواژه به کدی از برنامه‌ای روی تلفنتان نیاز دارید. آن‌وقت دانستن گذرواژه به‌تنهایی برای ورود کافی نیست.
second-factor-set-up = راه‌اندازی تأیید دومرحله‌ای
sessions-title = نشست‌ها
sessions-description = نام دستگاه را مرورگر اعلام می‌کند. زمان آخرین فعالیت تا پنج دقیقه خطا دارد.
sessions-unknown-device = دستگاه ناشناس
sessions-current = (نشست فعلی)
sessions-from = ورود از <bdi dir="ltr">{ $network }</bdi>.
sessions-since = آغاز در { $since }، آخرین فعالیت { $used }
sessions-sign-out = پایان دادن به این نشست
sessions-sign-out-others = خروج از همهٔ جاهای دیگر
sessions-unrecognized = نشستی هست که از شما نیست؟ به آن پایان دهید و <a href="/users/password_change/">گذرواژه‌تان را عوض کنید</a>.
tokens-title = توکن‌های API
tokens-description = با توکن API یک برنامه می‌تواند بدون گذرواژهٔ شما به جای شما کار کند. آن را در سرآیند <code dir="ltr">Authorization: Bearer ek_…</code> بفرستید.
tokens-created = توکن تازهٔ API: { $name }
tokens-created-description = توکن را همین حالا رونوشت بردارید. دوباره نشان داده نمی‌شود.
tokens-none = توکن API ندارید.
tokens-scopes = دسترسی‌ها: { $scopes }
tokens-expires = در { $time } منقضی می‌شود.
tokens-never-expires = منقضی نمی‌شود.
tokens-used = آخرین استفاده: { $used } از <bdi dir="ltr">{ $network }</bdi>.
tokens-unused = هرگز استفاده نشده است.
tokens-revoke = لغو
tokens-new = توکن تازهٔ API
tokens-name-hint = برنامه‌ای که از توکن استفاده می‌کند، برای نمونه «اسکریپت پشتیبان».
tokens-days = { $days } روز
tokens-never = هرگز
tokens-create = ساختن توکن
done-token-revoked = توکن API «{ $name }» لغو شد.
scope-read = خواندن نوشته‌ها، امتیازها، پیش‌نویس‌ها و گزارش‌ها. هر توکنی این را می‌تواند.
scope-rate = امتیازدهی به نوشته‌ها.
scope-write = نوشتن، بارگذاری تصویر و گزارش نوشته‌ها.
scope-account = خواندن و تغییر حساب، جز گذرواژه، ورود دومرحله‌ای و توکن‌ها.
scope-admin = استفاده از نقش شما در تیم سایت و بخش مدیریت.
password-change-end-tokens = همهٔ توکن‌های API هم لغو شوند
device = { $program }
export-readme =
    این بایگانی داده‌هایی را در بر دارد که سایت دربارهٔ حساب شما نگه می‌دارد. گذرواژه‌تان (که فقط چکیدهٔ رمزنگاری‌شدهٔ آن نگه داشته می‌شود)
    و شمارنده‌های درخواست، که سایت را از فشار بیش از حد محافظت می‌کنند، در آن نیست.
    
    account.json – حساب شما، و این‌که چه کسی دعوتتان کرده است
    sessions.json – نشست‌های شما، و شبکه‌های IP که از آن‌ها وارد شده‌اید
    posts.json – نوشته‌ها و پیش‌نویس‌های شما، بدون متن
    posts/ – متن نوشته‌ها و پیش‌نویس‌ها، همان‌طور که نوشته‌اید (Markdown)
    revisions.json – نسخه‌های پیشین نوشته‌ها و پیش‌نویس‌های شما، همراه متن
    images.json – تصویرهای شما و متن جایگزین آن‌ها
    images/ – فایل تصویرها، همان‌طور که در سایت نگه‌داری می‌شود
    ratings.json – امتیازهایی که داده‌اید؛ برای امتیازهایی که هنوز شمرده نشده‌اند، «waits» برابر true است
    refused_ratings.json – امتیازهای اخیر شما که محدودکننده رد کرد
    reports.json – گزارش‌های شما، و تصمیم‌هایی که دربارهٔ آن‌ها و دربارهٔ نوشته‌هایتان گرفته شده است
    limits.json – محدودیت‌های دیگر درخواست‌های شما، اگر مدیران تعیین کرده باشند
    pauses.json – نوشته‌هایی که تلاش‌های ناموفق شما برای امتیاز دادن به آن‌ها شمرده شده است، و توقف‌های احتمالی
    staff.json – تصمیم‌های شما به‌عنوان عضو تیم سایت، و کسانی که دعوت کرده‌اید
    log.json – رویدادهای ثبت‌شدهٔ مربوط به کارهای شما و حسابتان
    
    زمان‌ها به وقت UTC است. تغییرهایی که هنگام ساخته شدن بایگانی داده شده‌اند ممکن است در آن نباشند.
invitations-what = پیوندهایی برای ثبت‌نام، همراه با سازنده و تعداد ثبت‌نام‌ها.
invitations-all = همه
invitations-valid = معتبر
invitations-expired-or-used-up = منقضی یا پرشده
invitations-all-link = جست‌وجو در همهٔ دعوت‌نامه‌ها یا لغو چند دعوت‌نامه با هم
