
## Warning page of a flagged URL.

suspected-title = Flagged link
suspected-title-past = Previously flagged link
suspected-heading = This link may be unsafe
suspected-heading-past = This link was flagged as possibly unsafe
suspected-not-confirmed = This warning has expired. We don’t know whether the link is safe now.
suspected-source = Source
suspected-advisory = Advisory provided by Google
suspected-list-of = Threat list from { $source }
suspected-leads-to = Destination
suspected-since = Flagged since
suspected-last-confirmed = Last confirmed
suspected-mistakes = Threat lists aren’t complete or free of mistakes: they may miss unsafe sites or include safe ones. Is this a mistake?
suspected-report-google = <a href="https://safebrowsing.google.com/safebrowsing/report_error/" rel="noopener noreferrer">Report it to Google</a>. If this is your site, <a href="https://search.google.com/search-console/security-issues" rel="noopener noreferrer">Search Console</a> shows what was found.
suspected-report = Report it to the maintainers of the list at { $source }.
suspected-more = Learn more:
suspected-back = Back to <bdi>{ $name }</bdi>
suspected-continue = Continue anyway
threat-malware = Visiting this site may harm your computer. It appears to contain malicious programs that could be installed without your consent.
threat-social-engineering = This site may be deceptive. It may try to trick you into something dangerous, such as installing a program or revealing your password, phone number or credit card number.
threat-unwanted-software = This site may offer harmful programs that could change your browser or show you extra ads.
threat-harmful-application = This site may offer harmful apps that could steal or delete data on your device, such as photos, messages or passwords.
threat-other = This site may be unsafe.
threat-more-malware = Malware and unwanted software
threat-more-phishing = Anti-Phishing Working Group
threat-more-policy = Unwanted software policy
