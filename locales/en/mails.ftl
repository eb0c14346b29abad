
## What mails say. Each line is a paragraph; .act is what the link is called.

mail-hello = Hello { $username },
mail-confirm =
    .subject = Confirm your e-mail address
    .told = Somebody, probably you, gave this address for the account { $username }.
    .act = Confirm this address
    .advice =
        The link is good for three days. Until you use it, nothing else is sent here.
        If it was not you, do nothing: then the address is not used.
mail-reset =
    .subject = Choose a new password
    .told = Somebody, probably you, asked for a new password for the account { $username }.
    .act = Choose a new password
    .advice =
        The link is good for an hour, and once. Using it signs the account out everywhere.
        If it was not you, do nothing: your password stays as it is.
mail-password-changed =
    .subject = Your password was changed
    .told = The password of the account { $username } was changed just now.
    .act = Choose a new password
    .advice = If it was not you, choose a new one at once.
mail-address-changed =
    .subject = Your e-mail address was changed
    .told =
        The account { $username } has another e-mail address now: { $email }.
        This is the last mail about it that is sent here.
    .advice = If it was not you, tell those who run the site.
mail-approved =
    .subject = You may publish now
    .told = The account { $username } may publish posts now. Your drafts are as you left them.
    .act = Your page
    .advice = If you did not expect this, you need not do anything.
mail-deletion-asked =
    .subject = Your account will be deleted
    .told =
        Somebody who knows its password asked to delete the account { $username }.
        { $posts ->
                [yes] Its posts are to go with it.
               *[no] Its published posts are to stay.
            }
        It will be deleted on { $time }. Until then you can come back: sign in, and keep it.
    .act = Sign in
    .advice = If it was not you, sign in, keep it, and change your password.
mail-deleted =
    .subject = Your account is deleted
    .told = The account { $username } is deleted, as was asked for a week ago.
    .advice = This is the last mail about it.
mail-factor-on =
    .subject = Your second factor is on
    .told = Signing in to the account { $username } needs a code of an authenticator app now.
    .act = Choose a new password
    .advice = If it was not you, choose a new password at once.
mail-factor-off =
    .subject = Your second factor is off
    .told = Signing in to the account { $username } needs no code any more: the password alone is enough.
    .act = Choose a new password
    .advice = If it was not you, choose a new password at once.
mail-recovery-code =
    .subject = A recovery code was used
    .told =
        Somebody signed in to the account { $username } with a recovery code. { $left ->
                [one] { $left } is left.
               *[other] { $left } are left.
            }
    .act = Choose a new password
    .advice = If it was not you, choose a new password at once.
mail-wrong-codes =
    .subject = Wrong two-factor codes for your account
    .told =
        Somebody entered the password of the account { $username }, and then several wrong two-factor codes.
        Nobody was signed in with these codes, and nothing was changed.
    .act = Choose a new password
    .advice = If it was not you, somebody knows your password: choose a new one at once.
mail-blocked =
    .subject = Your account is blocked
    .told = The account { $username } can read, but not write or rate any more. The reason: { $reason }
    .act = Your account
    .advice = There you can take your data along. If you think that this is wrong, tell those who run the site.
mail-blocked-until =
    .subject = Your account is blocked for a time
    .told = Until { $time } the account { $username } can read, but not write or rate. The reason: { $reason }
    .act = Your account
    .advice = There you can take your data along. If you think that this is wrong, tell those who run the site.
mail-unblocked =
    .subject = Your account is not blocked any more
    .told = The account { $username } can write and rate again.
    .advice = If you did not expect this, you need not do anything.
mail-post-taken-down =
    .subject = Your post was taken down
    .told =
        Your post “{ $title }” was taken down, as it is { $law ->
            [yes] against the law
           *[no] against what this site allows
        }. It was reported, and a person decided. The reason:
        { $reason }
        It is a draft now, which only you see. You can change it, but not publish it.
    .act = See the decision
    .advice =
        { $final ->
            [yes] That is final here. Courts are still open to you.
           *[no] Until { $until } you can appeal there, once.
        }
mail-post-kept =
    .subject = Your post was reported, and stays
    .told =
        Your post “{ $title }” was reported. A person looked at it, and it stays. The reason:
        { $reason }
    .act = See the decision
    .advice = You need do nothing.
mail-report-taken-down =
    .subject = What became of your report
    .told =
        The post “{ $title }”, which you reported, was taken down, as it is { $law ->
            [yes] against the law
           *[no] against what this site allows
        }. The reason:
        { $reason }
    .act = See the decision
    .advice =
        { $final ->
            [yes] Thank you. You need do nothing.
           *[no] Thank you. You need do nothing. The author can appeal; then it is decided anew.
        }
mail-post-put-back =
    .subject = Your post is published again
    .told =
        Your post “{ $title }” had been taken down. It was decided anew, and the post stays as it was. The reason:
        { $reason }
    .act = See the decision
    .advice = You need do nothing.
mail-report-put-back =
    .subject = What became of your report
    .told =
        The post “{ $title }”, which you reported, had been taken down. It was decided anew, and the post is published again. The reason:
        { $reason }
    .act = See the decision
    .advice =
        { $final ->
            [yes] That is final here. Courts are still open to you.
           *[no] Until { $until } you can appeal there, once.
        }
mail-report-kept =
    .subject = What became of your report
    .told =
        The post “{ $title }”, which you reported, stays. A person decided. The reason:
        { $reason }
    .act = See the decision
    .advice =
        { $final ->
            [yes] That is final here. Courts are still open to you.
           *[no] Until { $until } you can appeal there, once.
        }
mail-password-taken =
    .subject = Choose a new password
    .told =
        Those who run the site ended the password of the account { $username }, and signed it out everywhere.
        Choose a new one to sign in again. The link is good for an hour; after that, ask for another one where you sign in.
    .act = Choose a new password
    .advice = If you do not know why, answer to those who run the site.
mail-post-unpublished =
    .subject = Your post was unpublished
    .told =
        Those who run the site unpublished your post “{ $title }”. The reason:
        { $reason }
        It is a draft now, with its ratings kept. You can change it, and publish it again.
    .act = Your post
    .advice = If you think that this is wrong, answer to those who run the site.
