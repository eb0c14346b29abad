
## Post lists.

by = نوشتهٔ
minutes-to-read = { $count } دقیقه مطالعه
changed-on = به‌روزشده در { $day }
list-new = تازه‌ترین نوشته‌ها
list-top = پرامتیازترین نوشته‌ها
list-tag = #{ $tag }
list-title-search = جستجو: { $q }
list-description-tag = نوشته‌هایی دربارهٔ { $tag }.
list-about = دربارهٔ این سایت
list-explanation = هر کس به هر نوشته یک بار امتیاز می‌دهد. از { $enough } امتیاز به بعد، موج‌های ناگهانی امتیاز کمتر به حساب می‌آیند یا به حساب نمی‌آیند تا هیچ گروهی نتواند نمره را جابه‌جا کند. هر نوشته نشان می‌دهد کدام امتیازها به حساب می‌آیند و چرا.
list-how = امتیازها چگونه محافظت می‌شوند
list-how-once = هر حساب برای هر نوشته یک امتیاز دارد. می‌توانید آن را هر زمان تغییر دهید، اما نمی‌توانید امتیاز دومی بدهید.
list-how-blocked = اگر ناگهان امتیازهای بسیار بیشتری از معمول برسد، سایت می‌تواند برخی از آن‌ها را مدتی رد کند.
list-how-weight = روز شلوغ در نمره وزنی اندکی بیشتر از روز معمولی دارد تا یک روز نتواند بر خوانندگان ماه‌ها غلبه کند.
list-how-open = چیزی پنهان نیست: صفحهٔ «روند امتیازها» هر نوشته امتیازهای ردشده را نشان می‌دهد و این‌که کدام امتیازها به حساب نمی‌آیند و چرا.
list-example = در ۲۴ ساعت گذشته { $count } تلاش برای امتیازدهی به «{ $title }» رد شد.
list-example-score = نمرهٔ آن
list-example-average = با امتیازهای ردشده
list-example-link = دیدن نمودار
list-order = ترتیب نمایش
list-order-best = مرتبط‌ترین
list-order-new = تازه‌ترین
list-order-top = پرامتیازترین
list-languages = زبان‌ها
list-all-languages = همهٔ زبان‌ها
list-no-language = هنوز نوشته‌ای به این زبان نیست.
list-no-match = هیچ نوشته‌ای با این فیلتر نیست.
invalid-language-tag = کد زبانی مانند `en` یا `fa` بنویسید.
invalid-with-search = جست‌وجو را نمی‌توان با این فیلتر ترکیب کرد. یکی از آن‌ها را حذف کنید.
invalid-time-with-zone = زمان را با منطقهٔ زمانی بنویسید، مانند 2026-01-31T18:00:00Z.
invalid-post-ids = ۱ تا { $most } شناسهٔ نوشته را با ویرگول لاتین (,) از هم جدا کنید.
list-top-description = نوشته‌ها طوری مرتب می‌شوند که انگار هر کدام ده امتیاز ۳ ★ بیشتر دارد. به این ترتیب نوشته‌هایی که امتیازهای کمی دارند یک‌باره به صدر فهرست نمی‌رسند.
list-count = { $count } نوشته پیدا شد.
list-count-or-more = دست‌کم { $count } نوشته پیدا شد.
list-posts-about = نوشته‌هایی دربارهٔ <bdi>#{ $tag }</bdi>
list-posts-by = نوشته‌های <bdi>{ $name }</bdi>
list-all = همهٔ نوشته‌ها
list-too-common = <q dir="auto">{ $q }</q> در نوشته‌های بسیار زیادی آمده است. واژهٔ دقیق‌تری اضافه کنید.
list-not-found = نوشته‌ای برای <q dir="auto">{ $q }</q> پیدا نشد. واژه‌های کمتر یا دیگری را امتحان کنید.
list-no-tag = نوشته‌ای با این برچسب نیست.
list-empty = هنوز نوشته‌ای نیست.
list-write-first = <a href="/blogs/create/">اولین نوشته را بنویسید</a>.
list-register-first = برای نوشتن اولین نوشته <a href="/users/register/?next=/blogs/create/">ثبت‌نام کنید</a>.
list-unclaimed = این سایت هنوز مالک ندارد. اگر سایت شماست، پیوند راه‌اندازی را که سرور هنگام شروع نشان داد یا در پرونده‌ای نوشت باز کنید، یا <a href="/users/owner/">با کد همان پیوند حسابتان را بسازید</a>.
list-partial = نتیجه‌ها بسیار زیاد است، پس فقط تازه‌ترین نوشته‌ها جستجو شد. برای محدود کردن جستجو، واژه‌های بیشتری بنویسید.
tags-all = همهٔ برچسب‌ها
tags-none = هنوز برچسبی نیست.

## Author pages.

author-description = نوشته‌های { $name }.
author-since = عضو از { $day }
author-posts = { $count } نوشته
author-can-publish = این کاربر اجازهٔ انتشار دارد.
author-revoke-publishing = لغو اجازهٔ انتشار
author-cannot-publish = این کاربر هنوز اجازهٔ انتشار ندارد.
author-allow-publishing = دادن اجازهٔ انتشار
author-no-posts = هنوز نوشته‌ای نیست.
own-label = صفحه‌های شما
written-by = نوشتهٔ <a href="{ $path }"><bdi>{ $name }</bdi></a>
author-more = نوشته‌های دیگر این نویسنده
author-feed = خوراک این نویسنده
other-posts = نوشته‌های دیگر
earlier = نوشتهٔ قبلی
later = نوشتهٔ بعدی
contents = فهرست مطالب

## Drafts.

drafts-title = پیش‌نویس‌های شما
deleted-title = نوشته‌های حذف‌شده
deleted-what = این نوشته‌ها را فقط خودتان می‌بینید. پس از ۷ روز برای همیشه حذف می‌شوند.
deleted-none = نوشتهٔ حذف‌شده‌ای نیست.
deleted-at = حذف‌شده { $time }
deleted-restore = بازگرداندن
deleted-purge = حذف همیشگی
drafts-none = پیش‌نویسی ندارید.
drafts-private = پیش‌نویس‌هایتان را فقط خودتان می‌بینید.
drafts-may-not-publish = برای انتشار پیش‌نویس‌ها به اجازهٔ تیم سایت نیاز دارید.
drafts-review = تیم سایت پیش‌نویس‌هایتان را پیش از انتشار بررسی می‌کند. برای فرستادن، پیش‌نویس را باز کنید.
drafts-submitted = در انتظار بررسی
drafts-returned = برگردانده از سوی تیم سایت
drafts-scheduled = زمان انتشار: { $time }
drafts-view = مشاهده
draft-private = این نوشته پیش‌نویس است و فقط خودتان آن را می‌بینید.
draft-scheduled = این پیش‌نویس در { $time } منتشر می‌شود. تا آن زمان فقط خودتان آن را می‌بینید.
draft-may-not-publish = این نوشته پیش‌نویس است و فقط خودتان آن را می‌بینید. هنوز اجازهٔ انتشارش را ندارید.
draft-submitted = این نوشته در انتظار بررسی تیم سایت است. فقط شما و تیم سایت آن را می‌بینید.
draft-returned = تیم سایت این نوشته را به شما برگردانده است: { $reason }
draft-submitted-by = { $name } این نوشته را برای بررسی فرستاده است. فقط نویسنده و تیم سایت آن را می‌بینند.
publish = انتشار
publish-now = همین حالا منتشر کن
schedule = زمان‌بندی

## Deleting and unpublishing.

edit = ویرایش
delete = حذف
unpublish = لغو انتشار
delete-post-title =
    { $page ->
        [yes] حذف صفحه
       *[no] حذف نوشته
    }
delete-post-heading =
    { $page ->
        [yes] این صفحه حذف شود؟
       *[no] این نوشته حذف شود؟
    }
delete-post-no-ratings = این نوشته امتیازی ندارد.
delete-post-ratings = { $count } امتیاز آن هم حذف می‌شود.
delete-post-permanent =
    { $page ->
        [yes] حذف صفحه قابل بازگشت نیست.
       *[no] حذف نوشته قابل بازگشت نیست.
    }
delete-post-restorable =
    { $page ->
        [yes] تا ۷ روز می‌توانید صفحه را بازگردانید.
       *[no] تا ۷ روز می‌توانید نوشته را بازگردانید.
    }
delete-post-button =
    { $page ->
        [yes] حذف صفحه
       *[no] حذف نوشته
    }
delete-post-cancel = انصراف
unpublish-title =
    { $page ->
        [yes] لغو انتشار صفحه
       *[no] لغو انتشار نوشته
    }
unpublish-heading =
    { $page ->
        [yes] انتشار این صفحه لغو شود؟
       *[no] انتشار این نوشته لغو شود؟
    }
unpublish-description =
    { $page ->
        [yes] صفحه
       *[no] نوشته
    } به پیش‌نویس تبدیل می‌شود و فقط نویسنده‌اش آن را می‌بیند. پیوندهایش تا انتشار دوباره کار نمی‌کنند.
unpublish-ratings = { $count } امتیاز آن نگه داشته می‌شود و پس از انتشار دوباره به حساب می‌آید.
unpublish-cancel = انصراف

## Post editor.

write-title = نوشتن نوشتهٔ تازه
write-page = نوشتن صفحه
write-edit-page = ویرایش صفحه
write-edit-post = ویرایش نوشته
write-edit-draft = ویرایش پیش‌نویس
write-signed-out = از حسابتان خارج شده‌اید و متن زیر هنوز ذخیره نشده است. <a href="/users/login/" target="_blank">در زبانه‌ای دیگر وارد شوید</a> و بعد همین‌جا دوباره تلاش کنید.
write-unsafe =
    { $count ->
            [one] { $count } پیوند ممکن است ناامن باشد
           *[other] { $count } پیوند ممکن است ناامن باشند
        }
write-unsafe-description = خوانندگان به جای هر پیوند مشکوک هشداری می‌بینند. می‌توانید پیوندها را نگه دارید یا حذف کنید.
write-unsafe-details = جزئیات
write-unsafe-more = و { $count } تای دیگر
content-hint = می‌توانید از Markdown استفاده کنید. تصویرهای سایت‌های دیگر به‌صورت پیوند نمایش داده می‌شوند.
content-drop-hint = می‌توانید تصویرها را هم اینجا بکشید و رها کنید یا بچسبانید.
image-add-heading = افزودن تصویر
image-hint = PNG، JPEG، WebP یا GIF، تا ۱۰ مگابایت. اطلاعاتی که دوربین ثبت می‌کند، مانند مکان، حذف می‌شود.
alt-hint = تصویر را در یک جمله برای کسانی توصیف کنید که آن را نمی‌بینند.
alt-hint-own = تصویر را در یک جمله برای کسانی توصیف کنید که آن را نمی‌بینند. اگر متن نوشته تصویر را توصیف کرده است، خالی بگذارید.
image-add-to-text = افزودن به متن
image-make-cover = استفاده به‌عنوان تصویر نوشته
tags-hint = حداکثر ده برچسب؛ با ویرگول از هم جدا کنید.
tags-frequent = برچسب‌های پرکاربرد
details-heading = تنظیمات نوشته
publish-at-hint = تاریخ و ساعت به وقت { $zone }. تا آن زمان، نوشته پیش‌نویس می‌ماند.
slug-hint = واژه‌هایی که در نشانی نوشته می‌آید. اگر خالی باشد، عنوان به کار می‌رود. نشانی‌های قبلی به نشانی تازه هدایت می‌شوند.
is-page-hint = صفحه، مثلاً صفحهٔ «دربارهٔ ما»، تاریخ ندارد و در فهرست‌ها و خوراک‌ها نمی‌آید. از منو در تنظیمات به آن پیوند بدهید.
accepts-ratings-hint = اگر بعداً امتیازدهی را ببندید، امتیازهای موجود همچنان دیده می‌شوند.
post-kind = نوشته
page-kind = صفحه
ratings-allowed = خوانندگان می‌توانند به این نوشته امتیاز بدهند
ratings-not-allowed = خوانندگان نمی‌توانند به این نوشته امتیاز دهند
ratings-closed = این نوشته دیگر امتیاز نمی‌پذیرد.
invalid-page-staff = فقط تیم سایت می‌تواند صفحه بسازد.
excerpt-hint = یکی دو جمله برای فهرست‌ها و خوراک‌ها. اگر خالی باشد، بند اول به کار می‌رود.
cover-hint = بالای متن، در فهرست‌ها، در خوراک‌ها و هنگام اشتراک‌گذاری نوشته نمایش داده می‌شود. یکی از تصویرهای خود را برگزینید یا در «افزودن تصویر» تصویری بارگذاری کنید.
cover-image = تصویر { $number } شما
cover-none = بدون تصویر
markdown-no-html = کد HTML به‌صورت متن نمایش داده می‌شود.
markdown-footnote = پانویس
markdown-caption = تصویر با زیرنویس
markdown-help = راهنمای Markdown
write-permission-revoked = دیگر اجازهٔ انتشار ندارید، پس نمی‌توانید این نوشتهٔ منتشرشده را ویرایش کنید. می‌توانید انتشارش را لغو یا آن را حذف کنید.
write-permission-needed = برای انتشار به اجازهٔ تیم سایت نیاز دارید. می‌توانید فعلاً پیش‌نویس ذخیره کنید و پس از گرفتن اجازه منتشرش کنید.
write-review = تیم سایت نوشته‌تان را پیش از انتشار بررسی می‌کند.
submit-for-review = فرستادن برای بررسی
save-draft = ذخیرهٔ پیش‌نویس
save-changes = ذخیرهٔ تغییرها
preview = پیش‌نمایش
cancel = انصراف

## Edit conflicts: the post was saved elsewhere since the editor was opened.

theirs-heading = آخرین نسخهٔ ذخیره‌شده
theirs-saved = ذخیره‌شده: { $time }، به‌عنوان نسخهٔ { $version }. نسخهٔ شما هنوز ذخیره نشده است.
theirs-none = هیچ
theirs-same = دو متن یکسان‌اند.
theirs-differences = تفاوت‌ها
theirs-only-saved = فقط در نسخهٔ ذخیره‌شده:
theirs-only-yours = فقط در نسخهٔ شما:
theirs-marks = سطرهای − فقط در نسخهٔ ذخیره‌شده و سطرهای + فقط در نسخهٔ شما هستند.
theirs-keep-mine = نگه داشتن نسخهٔ من
theirs-keep-mine-description = <strong>نگه داشتن نسخهٔ من:</strong> نسخهٔ پایین جای نسخهٔ ذخیره‌شده را می‌گیرد.
theirs-take = استفاده از نسخهٔ ذخیره‌شده
theirs-take-description = <strong>استفاده از نسخهٔ ذخیره‌شده:</strong> تغییرهای شما دور ریخته می‌شود.
theirs-edit-both = <strong>ترکیب هر دو:</strong> متن پایین را با نسخهٔ ذخیره‌شده مقایسه، ویرایش و ذخیره کنید.
theirs-whole = متن کامل ذخیره‌شده
theirs-text = متن ذخیره‌شده
theirs-yours = نسخهٔ شما

## نسخه‌های پیشین نوشته.

revisions-title = نسخه‌های پیشین
revisions-what = وقتی متنی را ویرایش می‌کنید، نسخهٔ پیشین آن ۳۰ روز این‌جا می‌ماند.
revisions-none = نسخهٔ پیشینی نیست.
column-saved = زمان ذخیره
column-characters = نویسه‌ها
revision-heading = نسخهٔ { $time }
revision-marks = سطرهای − فقط در این نسخه و سطرهای + فقط در نسخهٔ کنونی هستند.
revision-only-earlier = فقط در این نسخه:
revision-only-current = فقط در نسخهٔ کنونی:
revision-whole = متن کامل این نسخه
revision-restore = بازگرداندن این نسخه
revision-delete = حذف این نسخه

## Validation errors of post fields.

invalid-status = `draft` یا `published` را انتخاب کنید.
invalid-no-title = عنوان را وارد کنید.
invalid-no-text = متن را وارد کنید.
invalid-too-many-bytes = این { $count } بایت است. حداکثر { $most } بایت مجاز است.
invalid-tag = «{ $tag }» برچسب معتبری نیست. از ۱ تا ۳۰ حرف، رقم، خط تیره و زیرخط استفاده کنید.
invalid-too-many-tags = { $count } برچسب وارد کرده‌اید. حداکثر { $most } برچسب مجاز است.
invalid-no-strings = مقدار باید فهرستی از رشته‌ها باشد.
invalid-slug = دست‌کم یک حرف یا رقم وارد کنید.
invalid-excerpt = متنی وارد کنید یا خالی بگذارید.
invalid-cover = نشانی یکی از تصویرهایتان در این سایت (⁦/images/…⁩) را وارد کنید، یا نشانی‌ای که با ⁦https://⁩ آغاز می‌شود، نام کاربری ندارد و حداکثر ۵۰۰ بایت است.
invalid-version = مقدار باید شمارهٔ یکی از نسخه‌های نوشته باشد.
invalid-not-added = «{ $name }» هنوز افزوده نشده است. فایل را دوباره انتخاب کنید و «افزودن به متن» را بزنید، یا بدون آن ذخیره کنید.
invalid-spot = `text` یا `cover` را انتخاب کنید.
invalid-time = تاریخ و ساعت را مانند 2026-01-31T18:00 وارد کنید.
invalid-time-skipped = این ساعت در { $zone } وجود ندارد، چون ساعت‌ها جلو کشیده می‌شوند. ساعت دیگری انتخاب کنید.
invalid-time-past = زمانی در آینده انتخاب کنید یا خالی بگذارید.
invalid-time-far = زمانی در ده سال آینده انتخاب کنید.
invalid-published-already = این نوشته قبلاً منتشر شده است. برای زمان‌بندی انتشار، اول انتشارش را لغو کنید.
invalid-is-published = این نوشته قبلاً منتشر شده است. تغییرها را به‌صورت منتشرشده ذخیره کنید، یا اول انتشارش را لغو کنید.
invalid-search-characters = در جستجو حداکثر { $most } نویسه وارد کنید.
invalid-order =
    { $search ->
            [yes] `best`، `new` یا `top` را انتخاب کنید.
           *[no] `new` یا `top` را انتخاب کنید.
        }

## Success messages, and notices for authors.

done-with-notice = { $done } { $notice }
done-draft-saved = پیش‌نویس ذخیره شد.
done-submitted = نوشته فرستاده شد. تیم سایت آن را منتشر می‌کند یا با ذکر دلیل به شما برمی‌گرداند.
done-changes-saved = تغییرها ذخیره شد.
done-published =
    { $page ->
        [yes] صفحه منتشر شد.
       *[no] نوشته منتشر شد.
    }
done-scheduled =
    { $done } { $page ->
        [yes] صفحه
       *[no] نوشته
    } در { $time } منتشر می‌شود.
done-unpublished =
    { $page ->
        [yes] انتشار صفحه لغو شد و اکنون پیش‌نویس است.
       *[no] انتشار نوشته لغو شد و اکنون پیش‌نویس است.
    }{ $ratings ->
            [yes] {" "}امتیازهایش نگه داشته شد.
           *[no] {""}
        }
done-draft-deleted = پیش‌نویس حذف شد.
done-deleted =
    { $page ->
        [yes] صفحه حذف شد.
       *[no] نوشته حذف شد.
    } تا ۷ روز می‌توانید آن را از اینجا بازگردانید.
done-restored =
    { $page ->
        [yes] صفحه به صورت پیش‌نویس بازگردانده شد. نشانی‌اش محفوظ است.
       *[no] نوشته به صورت پیش‌نویس بازگردانده شد. امتیازها و نشانی‌اش محفوظ است.
    }
done-purged =
    { $page ->
        [yes] صفحه برای همیشه حذف شد.
       *[no] نوشته برای همیشه حذف شد.
    }
done-post-deleted =
    { $page ->
        [yes] صفحه حذف شد.
       *[no] نوشته و امتیازهایش حذف شد.
    }
done-revision-restored = نسخهٔ { $time } بازگردانده شد. برای برگرداندن این کار:
done-revision-deleted = نسخه حذف شد.
done-image-in-text = تصویر در آخرین سطر متن افزوده شد. برای نمایش آن در جای دیگر، این سطر را جابه‌جا کنید.
done-image-is-cover = این تصویر اکنون تصویر نوشته است.
done-image-post-unsaved = خود نوشته هنوز ذخیره نشده است.
notice-flagged-links =
    { $count ->
            [one] این نوشته به { $address } پیوند دارد که ممکن است ناامن باشد. خوانندگان به جای پیوند هشداری می‌بینند.
           *[other] این نوشته به { $count } نشانی پیوند دارد که ممکن است ناامن باشند، از جمله { $address }. خوانندگان به جای این پیوندها هشدار می‌بینند.
        }
notice-much-code = متن کد زیادی دارد، پس بخشی از کد بدون رنگ‌آمیزی نمایش داده می‌شود.
notice-too-much = پیوندها، پانویس‌ها، جدول‌ها یا قالب‌بندی‌های متن بیش از اندازه است، پس متن همان‌طور که تایپ کرده‌اید نمایش داده می‌شود. از قالب‌بندی کمتری استفاده کنید، یا آن را به چند نوشته تقسیم کنید.

## Inside rendered posts, in the language of the post.

text-image = تصویر:{" "}
text-flagged = (پیوند مشکوک)
text-flagged-link = پیوند مشکوک
text-hidden-url = نشانی پنهان‌شده

## The language of a post.

text-language-hint = زبان نوشته، برای جستجو و صفحه‌خوان‌ها.
text-language-detect = تشخیص خودکار
invalid-text-language = کد زبان را وارد کنید، مانند en، de یا fa.
drafts-changed = آخرین ویرایش: { $time }
list-similar-titles = این واژه‌ها در هیچ نوشته‌ای نیست. منظورتان یکی از این عنوان‌ها بود؟
drafts-quota = { $posts } از { $most } نوشته و پیش‌نویس دارید. متن آن‌ها { $used } از { $quota } جا گرفته است.
invalid-too-many-posts = { $most } نوشته و پیش‌نویس دارید که بیشترین تعداد است. نخست چندتا را پاک کنید.
invalid-texts-too-large = متن‌های شما { $used } از { $most } جا گرفته است. نخست چندتا را پاک کنید یا این متن را کوتاه کنید.
