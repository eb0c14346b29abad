
## Warning page of a flagged URL.

suspected-title = پیوند مشکوک
suspected-title-past = پیوندی که پیش‌تر مشکوک بود
suspected-heading = این پیوند ممکن است ناامن باشد
suspected-heading-past = پیش‌تر دربارهٔ این پیوند هشدار داده شده بود
suspected-not-confirmed = اعتبار این هشدار به پایان رسیده است. نمی‌دانیم پیوند اکنون امن است یا نه.
suspected-source = منبع
suspected-advisory = هشدار ارائه‌شده از سوی Google
suspected-list-of = فهرست تهدیدهای { $source }
suspected-leads-to = مقصد
suspected-since = زمان هشدار
suspected-last-confirmed = آخرین تأیید
suspected-mistakes = فهرست‌های تهدید کامل و بی‌خطا نیستند: ممکن است سایت‌های ناامن در آن‌ها نباشند یا سایت‌های امن به‌اشتباه در آن‌ها باشند. این یکی اشتباه است؟
suspected-report-google = <a href="https://safebrowsing.google.com/safebrowsing/report_error/" rel="noopener noreferrer">به Google گزارش دهید</a>. اگر سایت خودتان است، <a href="https://search.google.com/search-console/security-issues" rel="noopener noreferrer">Search Console</a> نشان می‌دهد چه پیدا شده است.
suspected-report = به مسئولان فهرست در { $source } گزارش دهید.
suspected-more = بیشتر بدانید:
suspected-back = بازگشت به <bdi>{ $name }</bdi>
suspected-continue = با این حال ادامه می‌دهم
threat-malware = بازدید از این سایت ممکن است به رایانه‌تان آسیب بزند. به نظر می‌رسد برنامه‌های مخربی دارد که شاید بدون اجازهٔ شما نصب شوند.
threat-social-engineering = این سایت ممکن است فریبکارانه باشد و شما را به کاری خطرناک وادارد، مانند نصب یک برنامه یا وارد کردن گذرواژه، شمارهٔ تلفن یا شمارهٔ کارت بانکی.
threat-unwanted-software = این سایت ممکن است برنامه‌های مخربی داشته باشد که مرورگرتان را تغییر دهند یا تبلیغات بیشتری نشان دهند.
threat-harmful-application = این سایت ممکن است برنامه‌های مخربی داشته باشد که داده‌های دستگاهتان مانند عکس‌ها، پیام‌ها یا گذرواژه‌ها را بدزدند یا پاک کنند.
threat-other = این سایت ممکن است ناامن باشد.
threat-more-malware = بدافزار و نرم‌افزار ناخواسته
threat-more-phishing = گروه مبارزه با فیشینگ (APWG)
threat-more-policy = سیاست نرم‌افزارهای ناخواسته
