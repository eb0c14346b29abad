
## What is wrong with an account's fields.

invalid-current-password = این گذرواژه، گذرواژهٔ فعلی شما نیست.
invalid-approval-unused = تنها وقتی PUBLISHING برابر approved باشد، دست‌اندرکاران در این باره تصمیم می‌گیرند.
invalid-approval-staff = دست‌اندرکاران همیشه اجازهٔ انتشار دارند.
invalid-posts = انتخاب کنید که بماند (keep) یا حذف شود (delete).
invalid-whole-number = عددی صحیح از ۱ تا { $most } بنویسید.
invalid-email = نشانی ایمیل را مانند name@example.com بنویسید.
invalid-name-taken = این نام گرفته شده است. لطفاً نام دیگری انتخاب کنید.
invalid-claim-name = نوشته‌های شما اینجا با نام { $name } هستند و این نام را نمی‌شود تغییر داد.
invalid-name-looks-taken = کسی نامی شبیه این دارد. لطفاً نام دیگری انتخاب کنید.
invalid-username = از ۱ تا ۳۰ حرف، رقم، زیرخط، خط تیره و نقطه استفاده کنید.
invalid-accents = حرف‌هایی بنویسید که چند نشانه روی هم نداشته باشند.
invalid-scripts = همهٔ حرف‌ها از یک الفبا باشند.
invalid-name-reserved = این نام رزرو شده است. لطفاً نام دیگری انتخاب کنید.
invalid-display-name = از ۱ تا ۵۰ نویسه بنویسید.
invalid-no-letter = دست‌کم یک حرف یا رقم بنویسید.
invalid-former = این به جای نام کسانی می‌آید که دیگر اینجا حساب ندارند. نام دیگری انتخاب کنید.
invalid-role = این نام یک نقش در سایت است، نه نام یک نفر. نام دیگری انتخاب کنید.
invalid-display-name-taken = کسی نام کاربری‌ای شبیه این دارد. نام دیگری انتخاب کنید.
invalid-owner-code = این همان کدی نیست که سایت نشان داده است.
invalid-password-short = دست‌کم ۸ نویسه بنویسید.
invalid-password-long = حداکثر ۲۵۶ نویسه بنویسید.
invalid-password-easy = حدس زدن این گذرواژه آسان است. چند واژهٔ بی‌ربط را کنار هم بگذارید.
invalid-password-name = نام کاربری و نشانی ایمیلتان را در گذرواژه نیاورید.
invalid-username-or-email = یا نام کاربری بفرستید یا نشانی ایمیل.
invalid-website = نشانی‌ای بنویسید که با ⁦https://⁩ یا ⁦http://⁩ آغاز شود، نام کاربری در آن نباشد و بیش از ۵۰۰ بایت نشود.
invalid-avatar = فایلی بفرستید، یا نشانی یکی از تصویرهایی را که اینجا دارید بنویسید (/images/…).
invalid-no-such-image = چنین تصویری اینجا ندارید.
invalid-code-needed = تأیید دومرحله‌ای شما روشن است: کدی از برنامه‌تان یا یکی از کدهای بازیابی را بنویسید.
invalid-code = این کد الان معتبر نیست یا پیش‌تر از آن استفاده شده است. بررسی‌اش کنید، یا منتظر کد بعدی بمانید.
invalid-factor-on = تأیید دومرحله‌ای شما از قبل روشن است.
invalid-factor-off = تأیید دومرحله‌ای شما روشن نیست.
invalid-changed-meanwhile = این مورد چند لحظه پیش تغییر کرد.

## What nobody may call themselves: what is shown for those who are gone, and what somebody may do here, between commas.

former-author = نویسنده‌ای پیشین
reserved-roles = مدیر, مدیر سایت, ناظر, ادمین, گرداننده, دست‌اندرکار, صاحب سایت

## What an act has done.

done-approved = { $name } از این پس اجازهٔ انتشار دارد.
done-not-approved = { $name } دیگر اجازهٔ انتشار ندارد. نوشته‌های منتشرشده‌اش می‌ماند؛ انتشارهای زمان‌بندی‌شده لغو شد.
done-deletion-asked = از همه‌جا خارج شدید و حسابتان در { $time } حذف می‌شود. برای نگه داشتنش پیش از آن وارد شوید.
done-account-kept = حسابتان با هر چه در آن است می‌ماند.
done-account-not-kept = قرار نبود حسابتان حذف شود.
done-email-link = پیوندی به { $email } فرستادیم. وقتی از آن استفاده کنید، این نشانی ایمیل شما می‌شود.
done-email-set = نشانی ایمیل شما { $email } است.
done-email-confirmed = { $email } تأیید شد.
done-email-confirmed-already = { $email } پیش‌تر تأیید شده است.
done-email-link-again = ایمیلی به { $email } در راه است. تا سه روز از پیوندش استفاده کنید.
done-session-over = آن نشست پیش‌تر پایان یافته است.
done-session-ended = از آنجا خارج شدید.
sessions-no-other = جای دیگری وارد نشده‌اید.
done-sessions-ended = از { $count } جای دیگر خارج شدید.
done-invitation-made = پیوند تازه اولین مورد فهرست زیر است. تا { $time } اعتبار دارد.
done-invitation-ended = دیگر کسی نمی‌تواند با آن پیوند ثبت‌نام کند.
done-owner = خوش آمدید { $name }. این سایت مال شماست.
done-password-reset = گذرواژه‌تان عوض شد و از همه‌جا خارج شدید. با گذرواژهٔ تازه وارد شوید.
done-reset-asked = اگر چنین حسابی باشد و نشانی ایمیلش تأیید شده باشد، ایمیلی در راه است. پیوندش یک ساعت اعتبار دارد.
done-profile = نمایه‌تان ذخیره شد.
done-registered =
    خوش آمدید { $name }. وارد حسابتان شدید.{ $mail ->
            [yes] {" "}ایمیلی با پیوندی برای تأیید نشانی‌تان فرستادیم.
           *[no] {""}
        }
done-welcome-back = خوش برگشتید { $name }.
done-factor-off = تأیید دومرحله‌ای شما خاموش شد: گذرواژه به‌تنهایی کافی است.
done-signed-out = از حسابتان خارج شدید.
done-password-changed = گذرواژه‌تان عوض شد. از همهٔ جاهای دیگر خارج شدید.
done-language = از این پس زبان سایت برای شما { $language } است.

## Devices, as they say of themselves.

device-on = { $program } روی { $system }
device-program = یک برنامه
device-program-on = برنامه‌ای روی { $system }

## Pages of accounts.

list-comma = ،{" "}
account-title = حساب شما
account-back = بازگشت به حساب
account-email-confirmed = تأییدشده
account-email-unconfirmed = هنوز تأیید نشده
account-until-confirmed = تا تأیید نشود، ایمیلی به آن فرستاده نمی‌شود و گذرواژهٔ فراموش‌شده را نمی‌توان عوض کرد.
account-send-link = فرستادن پیوند تأیید
account-no-mail = این سایت ایمیل نمی‌فرستد. گذرواژهٔ فراموش‌شده را تنها گردانندگان سایت می‌توانند عوض کنند.
account-second-factor = <a href="/users/second_factor/">تأیید دومرحله‌ای</a>: هنگام ورود، کدی از یک برنامه
account-export = <a href="/users/export/">بارگیری همهٔ داده‌هایتان</a> (یک بایگانی ZIP با JSON و Markdown)
account-other-email = نشانی ایمیل دیگر
account-other-email-how = پیوندی به آن می‌فرستیم. وقتی از آن استفاده کنید، نشانی شما می‌شود و به نشانی پیشین هم خبر می‌دهیم.
account-change-email = تغییر نشانی
confirm-title = تأیید نشانی ایمیل
confirm-heading = این نشانی شماست؟
confirm-what = قرار است <bdi dir="ltr">{ $email }</bdi> نشانی حساب <bdi>{ $name }</bdi> باشد. ایمیل‌های این حساب به آنجا فرستاده می‌شود.
confirm-button = تأیید نشانی
delete-account-title = حذف حساب
delete-account-asked = حساب شما حذف خواهد شد
delete-account-with-posts = نوشته‌های منتشرشده‌تان هم با آن حذف می‌شود.
delete-account-posts-stay = نوشته‌های منتشرشده‌تان می‌ماند، با نام «{ $name }».
delete-account-until-then = تا آن زمان می‌توانید آن را با هر چه دارد نگه دارید: دکمه‌اش بالای همهٔ صفحه‌هاست.
delete-account-export = بارگیری همهٔ داده‌هایتان
delete-account-what = بی‌درنگ از همه‌جا خارج می‌شوید. تا یک هفته چیز دیگری تغییر نمی‌کند و می‌توانید برگردید: وارد شوید و نگه داشتن حساب را انتخاب کنید. پس از آن:
delete-account-name = نام، نشانی ایمیل، گذرواژه و جاهایی که وارد شده بودید پاک می‌شود. نامتان برای دیگران آزاد می‌شود.
delete-account-drafts = پیش‌نویس‌هایتان پاک می‌شود.
delete-account-ratings = امتیازهایی که داده‌اید همچنان به حساب می‌آید تا نمره‌ها عوض نشود، اما دیگر معلوم نیست از شما بوده است.
delete-account-export-first = شاید بخواهید پیش از آن <a href="/users/export/">همهٔ داده‌هایتان را بارگیری کنید</a>.
delete-account-posts = نوشته‌های منتشرشده‌تان چه شود؟
delete-account-keep-posts = بماند، با نام «{ $name }»
delete-account-delete-posts = حذف شود، با امتیازهایی که دیگران داده‌اند
delete-account-button = حسابم را حذف کن
invitations-title = دعوت‌نامه‌ها
invitations-open = ثبت‌نام برای همه باز است، پس این پیوندها فعلاً به کار نمی‌آید. وقتی به کار می‌آید که <code>REGISTRATION</code> برابر <code>invite</code> باشد.
invitations-closed = ثبت‌نام بسته است، پس این پیوندها فعلاً به کار نمی‌آید. وقتی به کار می‌آید که <code>REGISTRATION</code> برابر <code>invite</code> باشد.
invitations-people-hint = چند نفر می‌توانند با این پیوند ثبت‌نام کنند: ۱ تا ۱٬۰۰۰.
invitations-days-hint = برای چه مدت: ۱ تا ۳۶۵.
invitations-make = ساختن پیوند
invitations-none = هنوز دعوت‌نامه‌ای نیست.
invitations-came = { $came } نفر از { $people } نفر آمده‌اند.
invitations-made-by = از طرف <bdi>{ $name }</bdi>،
invitations-used-up = ظرفیت پر شده
invitations-over = مهلتش در { $time } تمام شد
invitations-good-until = معتبر تا { $time }
invitations-gone = دیگر اینجا نیستند.
invitations-others = و دیگران
invitations-end = لغو دعوت‌نامه
sign-in-title = ورود
sign-in-to-rate = برای دادن { $stars } ستاره به «<bdi>{ $title }</bdi>» وارد شوید
sign-in-one-more-step = یک گام دیگر
sign-in-code-hint = شش رقمی که برنامهٔ رمزساز الان نشان می‌دهد، یا یکی از کدهای بازیابی‌تان.
sign-in-lost-both = به هیچ‌کدام دسترسی ندارید؟ گردانندگان سایت می‌توانند کمکتان کنند.
sign-in-begin-again = شروع دوباره
sign-in-new-here = تازه آمده‌اید؟
username-hint = ۱ تا ۳۰ حرف، رقم، زیرخط (_)، خط تیره (-) و نقطه (.)، از هر الفبایی. کنار نوشته‌هایتان دیده می‌شود.
email-hint = جز خودتان کسی آن را نمی‌بیند.
password-hint = دست‌کم ۸ نویسه، و نه گذرواژه‌ای که خیلی‌ها دارند. چند واژهٔ بی‌ربط از همه بهتر است.
owner-title = حساب صاحب سایت
owner-heading = این سایت مال کیست؟
owner-what = هنوز کسی آن را نمی‌گرداند. اگر مال شماست، حسابتان را اینجا بسازید. این حساب می‌تواند همهٔ نوشته‌ها را ویرایش و حذف کند و بگوید دیگر چه کسانی می‌توانند.
owner-code-hint = سایت هنگام راه‌اندازی پیوندی نشان داد که این کد در آن است. کد نشان می‌دهد که سایت را شما راه انداخته‌اید.
owner-button = ساختن حساب من
owner-only-looking = فقط برای خواندن آمده‌اید؟ به <a href="/blogs/">نوشته‌ها</a> بروید.
owner-only-looking-register = فقط برای خواندن آمده‌اید؟ به‌عنوان خواننده <a href="/users/register/">ثبت‌نام کنید</a>، یا به <a href="/blogs/">نوشته‌ها</a> بروید.
password-change-title = تغییر گذرواژه
password-change-what = از همهٔ جاهای دیگر خارج می‌شوید.
password-change-button = تغییر گذرواژه
password-reset-choose = انتخاب گذرواژهٔ تازه
password-reset-title = گذرواژه را فراموش کرده‌اید؟
password-reset-what = از همه‌جا خارج می‌شوید.
password-reset-how = اگر نشانی ایمیل حسابتان را تأیید کرده باشید، پیوندی به آن می‌فرستیم. پیوند یک ساعت اعتبار دارد.
password-reset-button = فرستادن پیوند
password-reset-no-mail = این سایت ایمیل نمی‌فرستد، پس نمی‌تواند پیوندی برایتان بفرستد. گردانندگان سایت می‌توانند گذرواژهٔ تازه‌ای به شما بدهند.
profile-title = نمایهٔ شما
profile-avatar-hint = تصویری از خودتان. مربع وسطش در اندازهٔ کوچک نمایش داده می‌شود. PNG، JPEG، WebP یا GIF، تا ۱۰ مگابایت.
profile-avatar-now = تصویر فعلی شما
profile-avatar-remove = برداشتن تصویر
profile-display-name-hint = به جای نام کاربری، کنار نوشته‌هایتان می‌آید. تا ۵۰ نویسه؛ اگر نمی‌خواهید، خالی بگذارید.
profile-about-hint = برای صفحهٔ شما، با Markdown. تا ۲٬۰۰۰ نویسه.
profile-link-hint = نشانی صفحهٔ دیگری که دارید: ⁦https://…⁩
profile-language-hint = صفحه‌های سایت و ایمیل‌هایی که می‌گیرید به این زبان است.
profile-language-any = همان زبان مرورگرم
profile-time-zone-hint = مانند Asia/Tehran: زمان‌ها به وقت آن نمایش داده می‌شود. اگر خالی بگذارید، منطقهٔ زمانی سایت: { $zone }.
profile-save = ذخیره
register-title = ثبت‌نام
register-signed-in = با نام <bdi>{ $name }</bdi> وارد شده‌اید. این کار حساب دیگری می‌سازد و شما را وارد آن می‌کند.
register-already = قبلاً ثبت‌نام کرده‌اید؟
claim-title = تحویل گرفتن حساب
claim-intro = نوشته‌هایی که در وبلاگ قبلی نوشته‌اید اینجا با نام <bdi>{ $name }</bdi> هستند. نشانی ایمیلتان را وارد و گذرواژه‌ای انتخاب کنید تا حساب مال شما شود.
second-factor-title = تأیید دومرحله‌ای
second-factor-codes = کدهای بازیابی شما
second-factor-codes-what = همین حالا یادداشت یا چاپشان کنید: دوباره نمایش داده نمی‌شود. اگر برنامه‌تان را از دست بدهید، هر کد یک بار شما را وارد می‌کند. کدهای پیشین دیگر اعتبار ندارد.
second-factor-on-since = از { $day } روشن است: برای ورود، کد برنامهٔ رمزساز لازم است.
second-factor-codes-left = { $count } کد بازیابی دارید.
second-factor-make-new = کدهای تازه بسازید.
second-factor-new-codes = کدهای بازیابی تازه
second-factor-new-codes-button = ساختن کدهای تازه
second-factor-code-hint = کدی از برنامه‌تان، یا یکی از کدهای بازیابی.
second-factor-digits-hint = شش رقمی که برنامه الان نشان می‌دهد.
second-factor-read-picture = این تصویر را با برنامهٔ رمزسازتان اسکن کنید، یا این را در آن بنویسید: <code class="secret" dir="ltr">{ $secret }</code>
second-factor-open-app = باز کردن برنامه روی همین دستگاه
second-factor-picture = کد QR برای برنامهٔ رمزساز
second-factor-on-button = روشن کردن
second-factor-off-button = خاموش کردن
second-factor-signs-out = با این کار از همهٔ جاهای دیگر خارج می‌شوید.
second-factor-is-off = خاموش است: گذرواژه به‌تنهایی کافی است. با تأیید دومرحله‌ای، ورود کدی از برنامهٔ تلفنتان را هم می‌خواهد؛ آن‌وقت کسی که گذرواژه را بداند هم نمی‌تواند وارد شود.
second-factor-set-up = راه‌اندازی
sessions-title = جاهایی که وارد شده‌اید
sessions-what = نام دستگاه‌ها همان است که خودشان می‌گویند. زمان آخرین استفاده ممکن است تا پنج دقیقه خطا داشته باشد.
sessions-unknown-device = دستگاه ناشناس
sessions-this-one = (همین یکی)
sessions-from = از <bdi dir="ltr">{ $network }</bdi>.
sessions-since = ورود در { $since }، آخرین استفاده: { $used }
sessions-end = خروج از آنجا
sessions-end-others = خروج از همهٔ جاهای دیگر
sessions-unknown = یکی از آن‌ها را نمی‌شناسید؟ <a href="/users/password_change/">گذرواژه‌تان را هم عوض کنید</a>.
device = { $program }
export-readme =
    این‌ها داده‌هایی است که سایت دربارهٔ حساب شما نگه می‌دارد. دو چیز در آن نیست: گذرواژه‌تان، که فقط چکیدهٔ رمزنگاری‌شدهٔ آن نگه داشته
    می‌شود، و شمار درخواست‌های اخیرتان، که سایت برای جلوگیری از سیل درخواست‌ها می‌شمارد.
    
    account.json – حساب شما، و این‌که با دعوت چه کسی آمده‌اید
    sessions.json – جاهایی که وارد شده‌اید، و شبکه‌هایی که از آن‌ها وارد شده‌اید
    posts.json – نوشته‌ها و پیش‌نویس‌های شما، بدون متن
    posts/ – متن نوشته‌ها، همان‌طور که نوشته‌اید (Markdown)
    images.json – تصویرهای شما، و توضیحی که برایشان نوشته‌اید
    images/ – خود تصویرها، همان‌طور که در سایت نگه‌داری می‌شود
    ratings.json – امتیازهایی که داده‌اید؛ برای آن‌هایی که هنوز شمرده نشده، «waits» برابر true است
    refused_ratings.json – امتیازهای تازهٔ شما که محدودکننده نپذیرفت
    reports.json – آنچه گزارش کرده‌اید، و تصمیم‌هایی که دربارهٔ آن و دربارهٔ نوشته‌هایتان گرفته شده است
    pauses.json – نوشته‌هایی که آن‌قدر برای امتیاز دادن به آن‌ها تلاش کرده‌اید که شمرده شده است
    staff.json – تصمیم‌هایی که به‌عنوان دست‌اندرکار گرفته‌اید، و کسانی که دعوت کرده‌اید
    log.json – کارهایی که شما به‌عنوان دست‌اندرکار یا در حسابتان کرده‌اید، و کارهایی که در آن انجام شده است
    
    زمان‌ها به وقت UTC است. تغییرهایی که هنگام ساختن این فایل داده‌اید، ممکن است در آن نباشد.
invitations-what = پیوندهایی که با آن‌ها می‌توان ثبت‌نام کرد: هر کدام را چه کسی ساخته و چند نفر با آن آمده‌اند.
invitations-all = همه
invitations-usable = هنوز معتبر
invitations-ended = تمام‌شده
invitations-all-link = همهٔ دعوت‌ها، برای جست‌وجو و پایان دادن به چند تا با هم
