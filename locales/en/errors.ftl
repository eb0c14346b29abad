
## What went wrong: its title, and in .detail what happened and what to do about it.

error-invalid = Please check your answers
    .detail =
        { $count ->
                [one] One of them cannot be taken as it is.
               *[other] { $count } of them cannot be taken as they are.
            }
error-malformed = This request cannot be read
error-bad-host = This site has another name
    .detail = The Host header does not name this site. Check the address, or ALLOWED_HOSTS if you run this site.
error-not-signed-in = Please sign in
    .detail = You need to be signed in to do this.
error-wrong-credentials = Wrong username or password
    .detail = No account has this username and this password. Check both; capitals matter in the password.
error-second-factor-needed = One more step
    .detail = Send the `code` of your authenticator app, or a recovery code, with your username and password.
error-wrong-code = Wrong code
    .detail = This is not the code of this moment, or it was used before. Each is good once: wait for the next one. A recovery code works, too.
error-sign-in-again = This took too long
    .detail = More than five minutes have passed since your password. Please sign in once more.
error-forbidden = This is somebody else’s post
    .detail = Only its author and moderators can change or delete it.
error-own-post = You cannot rate your own post
    .detail = Others rate it, and you see what they gave.
error-staff-only = This is for moderators
    .detail = Only staff of this site can do this.
error-cross-site = This came from another site
    .detail = A page of another site sent this request, so nothing was done. If it was meant, do it from a page of this site.
error-not-found = There is nothing here
    .detail = The address may be mistyped, or what was here has been deleted.
error-method-not-allowed = This page cannot be opened directly
    .detail = Forms and programs send something here: the address takes { $allow } only.
error-method-not-accepted = This method is not accepted here
    .detail = The URL accepts { $allow } only.
error-timeout = This took too long to arrive
    .detail = The rest of the request did not come in time, so nothing was done. Please try again.
error-already-rated = You have already rated this post
    .detail = There is one rating for each reader and post. You can change yours.
error-conflict = This post was changed meanwhile
    .detail = It was saved elsewhere since you began to change it, so your version is not saved yet. Compare the two, and choose.
error-too-large = That is too much at once
    .detail = At most { $limit } bytes can be sent here.
error-unsupported-type = This kind of content is not understood
    .detail = Send a form (application/x-www-form-urlencoded; where a file is meant, multipart/form-data) or JSON (application/json), in UTF-8 and without Content-Encoding.
error-post-rate-limited = Not counted yet
    .detail = This post is getting unusually many ratings at the moment, so new ones have to wait. Please try again in { $wait }.
error-edit-limited = You have changed this rating often
    .detail = A rating can be changed a few times, and then once in ten minutes. Please try again in { $wait }.
error-sign-in-limited = Too many attempts
    .detail = There have been many attempts, so the next one has to wait. Please try again in { $wait }. What you entered was not checked.
error-class-limited = Too many requests
    .detail =
        So many requests of this kind came from you that this one was not served. Please try again in { $wait }.{ $closed ->
                [yes] {" "}As they did not stop, you are signed out.
               *[no] {""}
            }
error-paused = Your ratings of this post are paused
    .detail = Your account has tried to rate this post very often, in a way that cannot succeed. Probably a program keeps trying. When it is mended, you can lift the pause yourself; waiting does not.
error-unpause-link-invalid = This link is not complete
    .detail = It is not as we made it; perhaps a part was lost when it was copied. Nothing was changed. The list of your paused ratings has a new one.
error-unpause-link-expired = This link is too old
    .detail = Links to lift a pause can be used for 14 days. Nothing was changed. The list of your paused ratings has a new one.
error-unpause-link-used = This pause is already over
    .detail = It was lifted before, by this link or another, or its post was deleted. Other pauses have links of their own, as the list of your paused ratings does.
error-unpause-link-of-another = This link is for another account
    .detail = You are signed in to one account, and the link lifts the pauses of another. Nothing was changed. Sign out first, or open the link in another browser.
error-mail-link-invalid = This link is not complete
    .detail = It is not as we made it; perhaps a part was lost when it was copied. Nothing was changed. Ask for a new one.
error-mail-link-expired = This link is too old
    .detail = Nothing was changed. Ask for a new one.
error-mail-link-used = This link is no longer valid
    .detail = A link works once. A newer link, another email address or another password also ends it. Nothing was changed.
error-registration-closed = Registration is closed
    .detail = Nobody can register here at the moment. Everything that is published can be read without an account.
error-invitation-needed = Registration is by invitation
    .detail = You need a link from those who run this site. Open it to register.
error-invitation-invalid = This invitation is not complete
    .detail = It is not as we made it; perhaps a part was lost when it was copied. Ask whoever sent it for the whole link.
error-invitation-expired = This invitation is over
    .detail = Its time has ended. Ask whoever sent it for a new one.
error-invitation-used = This invitation is used up
    .detail = As many people as it was for have registered by it. Ask whoever sent it for a new one.
error-has-owner = This site has its owner
    .detail = The account was made before, and the code is spent. If it is yours, sign in.
error-last-of-staff = Nobody would run this site
    .detail = It is the only account of an owner who can decide here. Make somebody else an owner first (on the admin area, or with evenkeel createsuperuser).
error-image-in-use = This picture is shown somewhere
    .detail = A post, a draft or your profile shows it. Take it out there first.
error-one-at-a-time = One picture at a time
    .detail = Another picture of yours is still on its way. Send this one again when that is here.
error-images-limited = Too many pictures
    .detail = You have sent many pictures in a short time. Please wait before the next one.
error-week-is-over = The week to come back is over
    .detail = Your account is being deleted at this moment, and cannot be kept any more.
error-export-limited = You have downloaded your data often
    .detail = It can be done three times, and then once in 20 minutes: again in { $wait }.
error-may-not-publish = You may not publish here
    .detail = Only those whom the people who run this site let publish can do so. A draft can be saved, and published when you may.
error-no-mail = This site sends no mail
    .detail = Those who run it can give you a new password.
error-too-many-streams = Too many streams at once
    .detail = You listen to as many streams as you may. Close one first.
error-internal = Something went wrong on our side
    .detail = It has been noted. Trying again later may help.
error-busy = Too busy right now
    .detail = Nothing was saved. Please try again in a moment.
error-starting = The site is starting
    .detail = It is { $doing }. Please try again in a moment.
error-unavailable = Not available right now
    .detail = The site cannot get at its data. If you were saving something, it may not have been saved: please try again in a moment.
invalid-nobody = Nobody here is called { $name }.
error-role-needed = This is for others of the staff
    .detail =
        { $role ->
                [owner] Only owners may do this.
               *[other] Only admins and owners may do this.
            } Nothing was changed.
error-blocked = Your account is blocked
    .detail = You can read, but not write or rate. The reason: { $reason }
error-blocked-until = Your account is blocked until { $time }
    .detail = Until then you can read, but not write or rate. The reason: { $reason }
error-gate-changed = Somebody else has just changed this
    .detail = Nothing was done. Look at what is in force now, and decide again.
error-replay-runs = Another comparison is running
    .detail = One at a time is worked out. Load the page again in half a minute.
invalid-report-category = Choose what is wrong from the list.
invalid-no-explanation = Write some sentences that say why.
invalid-own-report = This is your own post: you can change, unpublish or delete it.
invalid-choice = Choose one from the list.
invalid-ruling = Choose whether it stays, or what it is taken down for.
error-reports-limited = You have reported much
    .detail = It can be done 20 times, and then once in 3 minutes: again in { $wait }. What you wrote is still in the form.
error-already-reported = You have reported this post already
    .detail = It has not been decided yet. Your reports are listed with your account.
error-enough-reports = Very many have reported this post already
    .detail = It waits to be decided, and one more report would change nothing.
error-no-appeal = There is nothing to appeal against
    .detail = Nobody has decided yet, it was decided as you asked, somebody has appealed already, or it is too late.
error-not-your-case = Somebody else has to decide this
    .detail = You wrote the post, reported it, or have decided it before. An owner may decide all the same.
error-already-decided = This is decided already
    .detail = Somebody else was faster, the post is gone, or the last word is said. Look at the case again; what you wrote is still in the form.
error-withheld = Staff have taken this post down
    .detail = It can be saved as a draft, but not published while that stands. Its page says why, and how to appeal.
invalid-no-rows = Pick at least one.
invalid-too-many-rows = At most { $most } at once.
error-post-changed = The post has been changed
    .detail = It says something else than what you looked at. Read it again below, and decide then; what you wrote is still in the form.
invalid-action = Choose what to do from the list.
