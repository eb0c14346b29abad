desk-title = میز کار
desk-what = برای گردانندگان این سایت. دیگران از بودنش خبر ندارند.
desk-invitations = پیوندهایی که با آن‌ها می‌شود ثبت‌نام کرد، و کسانی که با آن‌ها آمده‌اند.
log-title = چه کسی چه کرد
log-what = تصمیم‌های دست‌اندرکاران، تغییرهایی که هر کس در حسابش می‌دهد، و کارهایی که سایت خودش انجام می‌دهد. گذرواژه، متن و ایمیل در آن نیست.
log-none = چنین کاری انجام نشده، یا زمان زیادی از آن گذشته است.
log-any-act = هر کاری
log-filter = نمایش
log-all = نمایش همه
log-nobody = سایت، یا کسی که دیگر اینجا نیست
log-post = نوشتهٔ { $id }

## What was done

act-days-void = کنار گذاشتن روزهایی از نمره
act-days-restore = برگرداندن روزهایی به نمره
act-post-change = ویرایش نوشتهٔ دیگری
act-post-delete = حذف نوشتهٔ دیگری
act-post-unpublish = لغو انتشار نوشتهٔ دیگری
act-author-approve = دادن اجازهٔ انتشار
act-author-disapprove = گرفتن اجازهٔ انتشار
act-invitation-make = ساختن دعوت
act-invitation-end = پایان دادن به دعوت
act-staff-make = ساختن حساب دست‌اندرکار
act-password-change = تغییر گذرواژه
act-password-reset = گذرواژهٔ تازه از راه ایمیل
act-email-change = تغییر نشانی ایمیل
act-second-factor-on = روشن کردن تأیید دومرحله‌ای
act-second-factor-off = خاموش کردن تأیید دومرحله‌ای
act-second-factor-codes = ساختن کدهای بازیابی تازه
act-sessions-end = خروج از جاهای دیگر
act-deletion-ask = درخواست حذف حساب
act-deletion-cancel = نگه داشتن حساب پس از درخواست حذف
act-account-erase = حذف حساب پس از یک هفته
