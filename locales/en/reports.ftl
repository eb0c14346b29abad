report-title = Report this post
report-description = Tell us what’s wrong with this post. A person will review your report; posts aren’t taken down just because many people report them. The author won’t be told who you are.
report-illegal = Illegal content
report-harassment = Harassment or threats
report-privacy = Private information
report-copyright = Someone else’s work
report-spam = Advertising or spam
report-other = Something else
report-explanation-hint = Quote the passage and explain what’s wrong with it. If it’s illegal, name the law. At most 3,000 characters.
report-confirmation = By submitting this report, you confirm that it’s true to the best of your knowledge.
report-guest = You aren’t signed in, so you’ll get a link to check the status of your report.
report-send = Submit report
done-reported = Thanks! We received your report and will review it.
reports-title = Reports and decisions
reports-none = You haven’t reported any posts, and there are no decisions about your posts.
reports-your-post = Your post
reports-your-report = Your report
case-title = Report status
case-of-author = Decision about your post
case-of-reporter = Status of your report
case-save-url = Save the URL of this page. You can’t find your report again without it.
case-your-report = Your report
case-decision = Decision
case-pending = No decision yet.
case-human-decision = Decided by a person
case-draft-hint = Unless this decision is reversed, the post stays a draft that only you can see. You can edit it, but you can’t publish it.
ruling-kept = The post stays up.
ruling-taken-down = The post was taken down because it breaks this site’s rules.
ruling-taken-down-law = The post was taken down because it’s illegal.
ruling-post-deleted = The post was deleted before a decision was made.
ground-law = Take down: the post is illegal
ground-rules = Take down: the post breaks this site’s rules
case-appeal = Appeal
case-author-appealed = The author has appealed.
case-reporter-appealed = Someone who reported this post has appealed.
case-other-appealed = Someone else who reported this post has appealed.
case-appeal-pending = The appeal is pending. If possible, another person will decide it.
case-final = This decision is final on this site. You can still go to court.
case-appeal-form = Appeal this decision
case-appeal-description = You can appeal once until { $time }. Explain why the decision should be different, and the case will be decided again.
case-appeal-send = Submit appeal
case-no-action-needed = You don’t need to do anything.
done-appealed = Your appeal was submitted. The case will be decided again.
draft-taken-down = Staff took this post down. You can edit it, but you can’t publish it unless that decision is reversed. <a href="{ $path }">See the reason and your options</a>
drafts-taken-down = taken down by staff
ruling-kept-but-down = The post was kept in this case, but it’s still taken down because of another decision.
ruling-kept-draft = The post was kept, but it’s now a draft for another reason.
ruling-post-deleted-appeal = The post was deleted before the appeal was decided.
draft-unpublished =
    Staff unpublished { $page ->
        [yes] this page
       *[no] this post
    }. Only you can see it. You can edit it and publish it again.
case-earlier-decision = Earlier decision
case-may-appeal = The author can appeal this decision until { $time }.
ruling-published-again = The post is published again.
case-you-appealed = You have appealed.
case-appeal-not-submitted = Appeal not submitted
