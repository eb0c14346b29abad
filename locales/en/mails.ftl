
## Emails. Each line is a paragraph: .told is the main text, .advice the closing text, .act the label of the link.

mail-greeting = Hello { $username },
mail-confirm-email =
    .subject = Confirm your email address
    .told = This email address was entered for the account { $username } on our site. Please confirm that it’s yours.
    .act = Confirm email address
    .advice =
        The link is valid for three days. Until you confirm the address, we won’t send anything else to it.
        If this wasn’t you, ignore this email. The address won’t be used.
mail-password-reset =
    .subject = Reset your password
    .told = A password reset was requested for your account { $username }.
    .act = Choose a new password
    .advice =
        The link works once and expires after one hour. Resetting the password signs you out everywhere.
        If this wasn’t you, ignore this email. Your password won’t change.
mail-password-changed =
    .subject = Your password was changed
    .told = The password of your account { $username } was just changed.
    .act = Reset your password
    .advice = If this wasn’t you, reset your password now.
mail-email-changed =
    .subject = Your email address was changed
    .told =
        The email address of your account { $username } is now { $email }.
        This is the last email about the account that we’ll send to this address.
    .advice = If this wasn’t you, contact the site’s staff.
mail-approved =
    .subject = You can now publish posts
    .told = Your account { $username } can now publish posts. Your drafts haven’t changed.
    .act = Go to your author page
    .advice = If you didn’t expect this, you don’t need to do anything.
mail-invitation =
    .subject = { $name } invites you to { $site }
    .told =
        { $name } invites you to create an account on { $site } as { $role ->
            [author] an author
            [moderator] a moderator
           *[reader] a reader
        }.
        The invitation is valid until { $time }.
    .act = Create an account
    .advice = If you don’t know { $name }, ignore this email.
mail-deletion-scheduled =
    .subject = Your account will be deleted
    .told =
        Someone who knows your password requested the deletion of your account { $username }.
        { $posts ->
                [yes] Your posts will be deleted too.
               *[no] Your published posts will stay online.
            }
        The account will be deleted on { $time }. To keep it, sign in before then and cancel the deletion.
    .act = Sign in
    .advice = If this wasn’t you, sign in, cancel the deletion and change your password.
mail-account-deleted =
    .subject = Your account has been deleted
    .told = The account { $username } has been deleted, as requested a week ago.
    .advice = You won’t get any more emails about it.
mail-two-factor-on =
    .subject = Two-factor authentication was turned on
    .told = Signing in to your account { $username } now requires a code from an authenticator app.
    .act = Reset your password
    .advice = If this wasn’t you, reset your password now.
mail-two-factor-off =
    .subject = Two-factor authentication was turned off
    .told = Signing in to your account { $username } now requires only the password.
    .act = Reset your password
    .advice = If this wasn’t you, reset your password now.
mail-recovery-code-used =
    .subject = A recovery code was used
    .told =
        A recovery code was used to sign in to your account { $username }. You have { $left ->
                [one] { $left } recovery code left.
               *[other] { $left } recovery codes left.
            }
    .act = Reset your password
    .advice = If this wasn’t you, reset your password now.
mail-wrong-codes =
    .subject = Incorrect two-factor codes for your account
    .told =
        Someone entered the password of your account { $username }, followed by several incorrect two-factor codes.
        Nobody was signed in with these codes, and nothing was changed.
    .act = Reset your password
    .advice = If this wasn’t you, someone else knows your password. Reset it now.
mail-token-created =
    .subject = New API token
    .told = An API token was created for your account { $username }. With it, a program can act for you.
    .act = View your API tokens
    .advice = If this wasn’t you, revoke the token and change your password now.
mail-blocked =
    .subject = Your account has been blocked
    .told = Your account { $username } has been blocked. You can read, but you can’t post or rate. Reason: { $reason }
    .act = Go to your account
    .advice = You can download your data from your account page. If you think this is a mistake, contact the site’s staff.
mail-blocked-until =
    .subject = Your account has been temporarily blocked
    .told = Your account { $username } is blocked until { $time }. You can read, but you can’t post or rate. Reason: { $reason }
    .act = Go to your account
    .advice = You can download your data from your account page. If you think this is a mistake, contact the site’s staff.
mail-unblocked =
    .subject = Your account has been unblocked
    .told = You can post and rate again with your account { $username }.
    .advice = If you didn’t expect this, you don’t need to do anything.
mail-post-taken-down =
    .subject = Your post was taken down
    .told =
        Your post “{ $title }” was reported. A person reviewed it and took it down because it { $law ->
            [yes] breaks the law
           *[no] breaks this site’s rules
        }. Reason:
        { $reason }
        The post is now a draft that only you can see. You can edit it, but you can’t publish it.
    .act = View the decision
    .advice =
        { $final ->
            [yes] This decision is final on this site. You can still go to court.
           *[no] You can appeal once, until { $until }, on the decision page.
        }
mail-post-stays-published =
    .subject = Your post was reported and stays published
    .told =
        Your post “{ $title }” was reported. A person reviewed it and decided that it stays published. Reason:
        { $reason }
    .act = View the decision
    .advice = You don’t need to do anything.
mail-report-post-taken-down =
    .subject = Decision about your report
    .told =
        The post “{ $title }”, which you reported, was taken down because it { $law ->
            [yes] breaks the law
           *[no] breaks this site’s rules
        }. Reason:
        { $reason }
    .act = View the decision
    .advice =
        { $final ->
            [yes] Thank you for your report. You don’t need to do anything.
           *[no] Thank you for your report. You don’t need to do anything. If the author appeals, the case will be reviewed again.
        }
mail-post-republished =
    .subject = Your post is published again
    .told =
        Your post “{ $title }” had been taken down. The case was reviewed again, and the post is back online, unchanged. Reason:
        { $reason }
    .act = View the decision
    .advice = You don’t need to do anything.
mail-report-post-republished =
    .subject = Decision about your report
    .told =
        The post “{ $title }”, which you reported, had been taken down. The case was reviewed again, and the post is back online. Reason:
        { $reason }
    .act = View the decision
    .advice =
        { $final ->
            [yes] This decision is final on this site. You can still go to court.
           *[no] You can appeal once, until { $until }, on the decision page.
        }
mail-report-post-stays-published =
    .subject = Decision about your report
    .told =
        A person reviewed the post “{ $title }”, which you reported, and decided that it stays published. Reason:
        { $reason }
    .act = View the decision
    .advice =
        { $final ->
            [yes] This decision is final on this site. You can still go to court.
           *[no] You can appeal once, until { $until }, on the decision page.
        }
mail-password-reset-by-staff =
    .subject = Choose a new password
    .told =
        The site’s staff reset the password of your account { $username } and signed you out everywhere.
        Choose a new password to sign in again. The link is valid for one hour; after that, request a new one on the sign-in page.
    .act = Choose a new password
    .advice = If you don’t know why this happened, contact the site’s staff.
mail-post-unpublished =
    .subject = Your post was unpublished
    .told =
        The site’s staff unpublished your post “{ $title }”. Reason:
        { $reason }
        The post is now a draft and keeps its ratings. You can edit it and publish it again.
    .act = Go to your post
    .advice = If you think this is a mistake, contact the site’s staff.
mail-post-published =
    .subject = Your post was published
    .told = The site’s staff published your post “{ $title }”.
    .act = Go to your post
    .advice = You can edit or unpublish it at any time.
mail-post-returned =
    .subject = Your post was returned
    .told =
        The site’s staff did not publish your post “{ $title }”. Reason:
        { $reason }
        The post is still a draft. You can change it and submit it again.
    .act = Edit your post
    .advice = Only you can see the draft.
