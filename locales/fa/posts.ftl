
## Lists of posts.

by = نوشتهٔ
minutes-to-read = { $count } دقیقه مطالعه
changed-on = ویرایش در { $day }
list-new = تازه‌ترین نوشته‌ها
list-top = پرامتیازترین‌ها
list-tag = #{ $tag }
list-title-search = جستجو: { $q }
list-description = نوشته‌ها و نظر خوانندگان دربارهٔ آن‌ها: امتیازهایی که هیچ جمعیتی نمی‌تواند یک‌شبه بالا یا پایین ببرد.
list-description-tag = نوشته‌هایی دربارهٔ { $tag }.
list-about = دربارهٔ این سایت
list-welcome = اگر چیزی در نمرهٔ نوشته‌ای به حساب نیامده باشد، دلیلش را کنار همان نمره می‌خوانید.
list-topics = موضوع‌ها:
list-writers = نویسندگان:
list-order = ترتیب
list-order-new = تازه‌ترین
list-order-top = پرامتیازترین
list-top-how = نوشته‌هایی که تعداد امتیازهایشان کم است کمتر به حساب می‌آیند: جای هر نوشته طوری حساب می‌شود که انگار ده خوانندهٔ دیگر هم به آن سه ستاره داده‌اند.
list-count = { $count } نوشته.
list-count-or-more = { $count } نوشته یا بیشتر.
list-posts-about = نوشته‌هایی دربارهٔ <bdi>#{ $tag }</bdi>
list-posts-by = نوشته‌های <bdi>{ $name }</bdi>
list-all = همهٔ نوشته‌ها
list-too-common = واژه‌های <q dir="auto">{ $q }</q> در نوشته‌های بسیاری هست. واژهٔ دیگری هم به جستجو اضافه کنید.
list-not-found = برای <q dir="auto">{ $q }</q> نوشته‌ای پیدا نشد. شاید با واژه‌های کمتر یا واژه‌های دیگر پیدا شود.
list-no-tag = هیچ نوشته‌ای این برچسب را ندارد.
list-empty = هنوز چیزی نوشته نشده است.
list-write-first = <a href="/blogs/create/">اولین نوشته را بنویسید</a>.
list-register-first = <a href="/users/register/?next=/blogs/create/">ثبت‌نام کنید</a> و اولین نوشته را بنویسید.
list-unclaimed = هنوز کسی این سایت را نمی‌گرداند. اگر مال شماست، پیوندی را که هنگام راه‌اندازی نشان داد باز کنید، یا <a href="/users/owner/">با کدی که در آن است حسابتان را بسازید</a>.
list-partial = نوشته‌های بسیاری با این جستجو جورند، پس فقط تازه‌ترین‌ها بررسی شد. با واژه‌های بیشتر، نتیجه‌ها کمتر می‌شود.

## The page of an author.

author-description = نوشته‌های { $name }.
author-since = از { $day } اینجاست
author-may-publish = اجازهٔ انتشار دارد.
author-forbid = اجازهٔ انتشار را پس بگیر
author-may-not-publish = هنوز اجازهٔ انتشار ندارد.
author-allow = اجازهٔ انتشار بده
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
drafts-none = پیش‌نویسی نیست.
drafts-private = جز خودتان کسی آن‌ها را نمی‌بیند.
drafts-may-not-publish = هنوز نمی‌توانید منتشرشان کنید: گردانندگان سایت می‌گویند چه کسی می‌تواند.
drafts-scheduled = انتشار در { $time }
drafts-look = دیدن
draft-private = این پیش‌نویس است. جز خودتان کسی آن را نمی‌بیند.
draft-scheduled = این پیش‌نویس است. در { $time } منتشر می‌شود؛ تا آن زمان جز خودتان کسی آن را نمی‌بیند.
draft-may-not-publish = این پیش‌نویس است. جز خودتان کسی آن را نمی‌بیند و هنوز نمی‌توانید منتشرش کنید.
publish = انتشار
publish-now = همین حالا منتشر کن

## Deleting and unpublishing.

edit = ویرایش
delete = حذف
unpublish = لغو انتشار
delete-post-title = حذف نوشته
delete-post-heading = این نوشته حذف شود؟
delete-post-no-ratings = امتیازی ندارد.
delete-post-ratings = { $count } امتیازش هم با آن حذف می‌شود.
delete-post-for-good = این کار برگشت‌پذیر نیست.
delete-post-button = حذف نوشته
delete-post-keep = بماند
unpublish-title = لغو انتشار نوشته
unpublish-heading = انتشار این نوشته لغو شود؟
unpublish-what = پیش‌نویس می‌شود و تنها نویسنده‌اش آن را می‌بیند. پیوندهایی که به آن داده‌اند تا انتشار دوباره به جایی نمی‌رسد؛ پس از آن مثل پیش کار می‌کند.
unpublish-ratings = { $count } امتیازش نگه داشته می‌شود و آن‌وقت دوباره به حساب می‌آید.
unpublish-keep = منتشر بماند

## The form for writing.

write-title = نوشتهٔ تازه
write-edit-post = ویرایش نوشته
write-edit-draft = ویرایش پیش‌نویس
write-signed-out = نوشته‌تان پایین همین صفحه است و هنوز ذخیره نشده. <a href="/users/login/" target="_blank">در زبانه‌ای دیگر وارد شوید</a> و بعد دکمهٔ همین صفحه را دوباره بزنید.
write-unsafe =
    { $count ->
            [one] شاید یک پیوند ناامن باشد
           *[other] شاید { $count } پیوند ناامن باشند
        }
write-unsafe-what = تا وقتی چنین است، خوانندگان به جای پیوند هشداری می‌بینند. می‌توانید بگذارید بماند، یا برش دارید.
write-unsafe-known = آنچه معلوم است
write-unsafe-more = و { $count } تای دیگر
content-hint = با Markdown: **پررنگ**، *تأکید*، [پیوند](⁦https://…⁩)، # عنوان، فهرست، جدول، پانویس[^1] و ```کد```. HTML همان‌طور که تایپ شده نمایش داده می‌شود. تصویرها را اینجا بکشید و رها کنید، بچسبانید، یا از پایین اضافه کنید؛ تصویرهای جاهای دیگر نمایش داده نمی‌شود و به جایشان پیوند می‌آید.
image-add-heading = افزودن تصویر
image-hint = PNG، JPEG، WebP یا GIF، تا ۱۰ مگابایت. آنچه دوربین‌ها در آن می‌نویسند، مانند مکان، نگه داشته نمی‌شود.
alt-hint = در یک جمله، برای کسانی که آن را نمی‌بینند.
alt-hint-own = در یک جمله، برای کسانی که آن را نمی‌بینند. اگر متن خودش گفته است، خالی بگذارید.
image-add-to-text = افزودن به متن
image-make-cover = انتخاب به‌عنوان تصویر نوشته
tags-hint = تا ده برچسب؛ با ویرگول از هم جدا کنید.
details-heading = نشانی، چکیده و تصویر
details-heading-later = زمان‌بندی انتشار؛ نشانی، چکیده و تصویر
publish-at-hint = تاریخ و ساعت به وقت { $zone }. تا آن زمان پیش‌نویس است.
slug-hint = واژه‌های نشانی‌اش؛ اگر ننویسید، واژه‌های عنوان. نشانی‌های پیشین به نشانی تازه می‌رسند.
excerpt-hint = یکی دو جمله برای فهرست‌ها و خوراک‌ها؛ اگر ننویسید، اولین بند.
cover-hint = برای جاهایی که نوشته به اشتراک گذاشته می‌شود و برای خوراک‌ها. یکی از تصویرهایی که اینجا دارید (⁦/images/…⁩) بالای متن هم می‌آید؛ تصویرهای جاهای دیگر (⁦https://…⁩) در این سایت نمایش داده نمی‌شود.
write-may-not-any-more = دیگر اجازهٔ انتشار در اینجا را ندارید، پس نوشتهٔ منتشرشده را نمی‌توانید ویرایش کنید. می‌توانید انتشارش را لغو یا آن را حذف کنید.
write-may-not-yet = هنوز اجازهٔ انتشار در اینجا را ندارید: گردانندگان سایت می‌گویند چه کسی می‌تواند. می‌توانید پیش‌نویس ذخیره کنید و وقتی اجازه یافتید منتشرش کنید.
save-draft = ذخیرهٔ پیش‌نویس
save-changes = ذخیرهٔ تغییرها
preview = پیش‌نمایش
cancel = انصراف

## What somebody else has saved in between.

theirs-heading = آنچه در این میان ذخیره شده
theirs-saved = ذخیره‌شده: { $time }، به‌عنوان نسخهٔ { $version }. نسخهٔ شما هنوز ذخیره نشده است.
theirs-none = هیچ
theirs-same = متن‌ها یکی است.
theirs-differences = تفاوت‌ها
theirs-only-saved = فقط در متن ذخیره‌شده:
theirs-only-yours = فقط در متن شما:
theirs-marks = − یعنی فقط در متن ذخیره‌شده است و + یعنی فقط در متن شما.
theirs-keep-mine = متن من بماند
theirs-keep-mine-what = <strong>متن من بماند:</strong> آنچه پایین است جای متن ذخیره‌شده را می‌گیرد.
theirs-take = متن ذخیره‌شده بماند
theirs-take-what = <strong>متن ذخیره‌شده بماند:</strong> بدون آنچه شما نوشته‌اید.
theirs-edit-both = <strong>هر دو را یکی کن:</strong> متن پایین را با نگاه به متن ذخیره‌شده ویرایش و ذخیره کنید.
theirs-whole = تمام متن ذخیره‌شده
theirs-text = متن ذخیره‌شده
theirs-yours = متن شما

## What is wrong with a post's fields.

invalid-status = `draft` یا `published` را انتخاب کنید.
invalid-no-title = نوشته باید عنوان داشته باشد.
invalid-no-text = نوشته باید متن داشته باشد.
invalid-too-many-bytes = حداکثر { $most } بایت؛ این { $count } بایت است.
invalid-tag = «{ $tag }» برچسب درستی نیست: از ۱ تا ۳۰ حرف، رقم، خط تیره و زیرخط بنویسید.
invalid-too-many-tags = حداکثر { $most } برچسب؛ اینجا { $count } برچسب هست.
invalid-no-strings = این باید فهرستی از رشته‌های متنی باشد.
invalid-slug = از حرف یا رقم استفاده کنید.
invalid-excerpt = دست‌کم یک حرف بنویسید یا خالی بگذارید.
invalid-cover = نشانی یکی از تصویرهایی را که اینجا دارید بنویسید (⁦/images/…⁩)، یا نشانی‌ای که با ⁦https://⁩ آغاز شود، نام کاربری در آن نباشد و بیش از ۵۰۰ بایت نشود.
invalid-version = این باید نسخه‌ای از نوشته باشد.
invalid-not-added = «{ $name }» هنوز افزوده نشده است. دوباره انتخابش کنید و اول «افزودن به متن» را بزنید، یا بدون انتخابش ذخیره کنید.
invalid-spot = `text` یا `cover` را انتخاب کنید.
invalid-time = تاریخ و ساعت را مانند 2026-01-31T18:00 بنویسید.
invalid-time-skipped = چنین ساعتی در { $zone } نیست: آن هنگام ساعت‌ها جلو کشیده می‌شود.
invalid-time-past = زمانی انتخاب کنید که هنوز نرسیده باشد، یا خالی بگذارید.
invalid-time-far = زمانی در ده سال آینده انتخاب کنید.
invalid-published-already = این نوشته پیش‌تر منتشر شده است. برای انتشار دوباره در زمانی دیگر، اول انتشارش را لغو کنید.
invalid-is-published = این نوشته منتشر شده است. تغییرها را برای همه ذخیره کنید، یا اول انتشارش را لغو کنید.
invalid-search-characters = حداکثر { $most } نویسه را جستجو کنید.
invalid-search-words = حداکثر { $most } واژه را جستجو کنید.
invalid-order = `new` یا `top` را انتخاب کنید.

## What an act has done, and what an author should know.

done-with-notice = { $done } { $notice }
done-draft-saved = پیش‌نویستان ذخیره شد.
done-changes-saved = تغییرهایتان ذخیره شد.
done-published = منتشر شد.
done-scheduled = { $done } در { $time } منتشر می‌شود.
done-unpublished =
    انتشار لغو شد و دوباره پیش‌نویس است.{ $ratings ->
            [yes] {" "}امتیازهایش نگه داشته شد.
           *[no] {""}
        }
done-draft-deleted = پیش‌نویس حذف شد.
done-post-deleted = نوشته با امتیازهایش حذف شد.
done-image-in-text = تصویرتان در پایان متن است. سطرش را به جای مناسب ببرید.
done-image-is-cover = اکنون تصویر این نوشته است.
done-image-post-unsaved = خود نوشته هنوز ذخیره نشده است.
notice-suspected =
    { $count ->
            [one] پیوندی به { $address } دارد که شاید ناامن باشد: خوانندگان به جای پیوند هشداری می‌بینند.
           *[other] به { $count } جا پیوند دارد که شاید ناامن باشند، از جمله { $address }: خوانندگان به جای این پیوندها هشدار می‌بینند.
        }
notice-much-code = کد زیادی دارد: از جایی به بعد بدون رنگ نمایش داده می‌شود.
notice-too-much = پیوندها، پانویس‌ها، جدول‌ها و نشانه‌هایش بیش از آن است که در یک صفحه جا شود، پس همان‌طور که تایپ کرده‌اید نمایش داده می‌شود. کمترشان کنید، یا به چند نوشته تقسیمش کنید.

## Inside of texts, in the language of the text.

text-image = تصویر:{" "}
text-suspected = (پیوند مشکوک)
text-suspected-link = پیوند مشکوک
text-hidden-address = یک نشانی

## The language of a post.

text-language-hint = نوشته به چه زبانی است؛ برای جستجو و برای کسانی که متن برایشان بلند خوانده می‌شود.
text-language-found = تشخیص از روی متن
invalid-text-language = کد یک زبان را بنویسید، مانند en، de یا fa.
drafts-changed = آخرین ویرایش: { $time }
list-guess = هیچ نوشته‌ای این واژه‌ها را ندارد. شاید منظورتان یکی از این عنوان‌ها بود؟
