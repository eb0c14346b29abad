
## The page before a suspected link.

suspected-title = پیوند مشکوک
suspected-title-was = پیوندی که مشکوک بود
suspected-heading = احتمال می‌رود این پیوند ناامن باشد
suspected-heading-was = پیش‌تر احتمال می‌رفت این پیوند ناامن باشد
suspected-not-again = از آن پس دوباره چنین چیزی گفته نشده است. نمی‌دانیم اکنون امن است یا نه.
suspected-who = منبع هشدار
suspected-advisory = هشدار از Google
suspected-list-of = فهرست { $source }
suspected-leads-to = مقصد
suspected-since = از تاریخ
suspected-last = آخرین گزارش
suspected-mistakes = این فهرست نه کامل است و نه بی‌خطا: برخی جاهای ناامن در آن نیست و شاید برخی جاهای امن در آن باشد. این یکی اشتباه است؟
suspected-report-google = <a href="https://safebrowsing.google.com/safebrowsing/report_error/" rel="noopener noreferrer">به Google گزارش دهید</a>. سایت خودتان است؟ <a href="https://search.google.com/search-console/security-issues" rel="noopener noreferrer">Search Console</a> می‌گوید چه پیدا شده است.
suspected-report = به مسئولان فهرست در { $source } خبر بدهید.
suspected-more = بیشتر بدانید:
suspected-back = بازگشت به <bdi>{ $name }</bdi>
suspected-go = با این حال می‌روم
threat-malware = شاید به رایانه‌تان آسیب بزند: گویا برنامه‌هایی دارد که ممکن است بدون اجازهٔ شما نصب شود.
threat-social-engineering = شاید فریبکارانه باشد: کسی آنجا ممکن است شما را به کاری خطرناک وادارد، مانند گفتن گذرواژه، شمارهٔ تلفن یا شمارهٔ کارت بانکی، یا نصب یک برنامه.
threat-unwanted-software = شاید برنامه‌های زیان‌بار عرضه کند: ممکن است مرورگرتان را دست‌کاری کنند یا تبلیغ بیشتری نشانتان دهند.
threat-harmful-application = شاید برنامه‌هایی عرضه کند که محتوای دستگاهتان را بدزدند یا پاک کنند، مانند عکس‌ها، پیام‌ها یا گذرواژه‌ها.
threat-other = شاید ناامن باشد.
threat-more-malware = بدافزار و نرم‌افزار ناخواسته
threat-more-phishing = گروه مبارزه با فیشینگ (APWG)
threat-more-policy = سیاست نرم‌افزار ناخواسته
