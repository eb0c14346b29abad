desk-title = Desk
desk-what = For those who run this site. Others are not told that it is here.
desk-invitations = Links by which people may register, and who came by them.
log-title = Who did what
log-what = What staff decide, what people change about their accounts, and what the site does by itself. No passwords, texts or mails.
log-none = Nothing of this kind has been done, or it was too long ago.
log-any-act = Anything
log-filter = Show
log-all = Show everything
log-nobody = The site, or somebody who is gone
log-post = post { $id }

## What was done

act-days-void = left days out of a score
act-days-restore = took days into a score again
act-post-change = changed somebody’s post
act-post-delete = deleted somebody’s post
act-post-unpublish = unpublished somebody’s post
act-author-approve = let somebody publish
act-author-disapprove = no longer lets somebody publish
act-invitation-make = made an invitation
act-invitation-end = ended an invitation
act-staff-make = made an account of the staff
act-password-change = changed a password
act-password-reset = set a new password by mail
act-email-change = changed an e-mail address
act-second-factor-on = turned on the second factor
act-second-factor-off = turned off the second factor
act-second-factor-codes = made new recovery codes
act-sessions-end = signed out elsewhere
act-deletion-ask = asked for an account to be deleted
act-deletion-cancel = kept an account after all
act-account-erase = deleted an account when its week was over
